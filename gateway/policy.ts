/** What the configuration says about who may do what, as the rules need it. */
import type { Access } from "./access.ts";
import type { AnyAdapterKind } from "./contract.ts";
import type { Answerers } from "./questions.ts";

export interface PlatformPolicy {
  /** Everyone who reaches it is its owner: the local page. */
  readonly trusted: boolean;
  readonly commandSign: AnyAdapterKind["commandSign"];
  readonly access: Access;
  readonly follow: "thread" | "mention";
  readonly answerers: Answerers;
}
export interface Policy {
  readonly platforms: Readonly<Record<string, PlatformPolicy>>;
  readonly idleResetMs: number;
  /** Display name of the default model. */
  readonly model: string;
}
