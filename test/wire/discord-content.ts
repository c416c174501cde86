/** What a message may hold beyond the specification, and what no good client would send. */
import { checkComponents, numbered, textsOf } from "./discord-components.ts";
import type { Upload } from "./discord-http.ts";
import { mentionsIn } from "./discord-message-json.ts";
import type { Json } from "./discord-account-json.ts";
import { invalid, refusal } from "./discord-refusals.ts";
import { EMPTY } from "./discord-world.ts";
import type { Content, WireComponent, WireEmbed, WireFile, WireMessage, World } from "./discord-world.ts";

/** A body that the specification has accepted. */
export interface MessageBody {
  readonly content?: string | null;
  readonly embeds?: readonly WireEmbed[] | null;
  readonly components?: readonly WireComponent[] | null;
  readonly attachments?:
    | readonly { readonly id: string; readonly filename?: string; readonly description?: string }[]
    | null;
  readonly flags?: number | null;
  readonly allowed_mentions?: AllowedMentions | null;
  readonly message_reference?: { readonly message_id: string; readonly fail_if_not_exists?: boolean } | null;
  readonly nonce?: string | number | null;
  readonly enforce_nonce?: boolean | null;
}
interface AllowedMentions {
  readonly parse?: readonly string[] | null;
  readonly users?: readonly string[] | null;
  readonly roles?: readonly string[] | null;
  readonly replied_user?: boolean | null;
}
/** Boundary: `checkBody` has read this body with the specification's schema. */
export const messageBody = (body: Json): MessageBody => body as MessageBody;

const FLAGS = { suppress_embeds: 4, ephemeral: 64, silent: 4096, v2: 1 << 15 } as const;
/** Discord: what the sender may set; an edit may only turn embeds off or components on. */
const SETTABLE = FLAGS.suppress_embeds | FLAGS.ephemeral | FLAGS.silent | FLAGS.v2;

/** Default for a bot in a server without boosts: 10 MB a file. */
export const UPLOAD_BYTES = 10 * 1024 * 1024;

export async function storeUploads(world: World, body: MessageBody, uploads: readonly Upload[]): Promise<WireFile[]> {
  return Promise.all(
    uploads.map(async ({ key, file }) => {
      const stated = body.attachments?.find(({ id }) => id === key);
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (bytes.length > UPLOAD_BYTES) throw refusal("too_large");
      const name = (stated?.filename ?? file.name).replace(/[^\w.-]+/g, "_");
      const description = stated?.description;
      const stored = { id: world.nextId(), name, mime: file.type || "application/octet-stream", bytes };
      const kept: WireFile = description === undefined ? stored : { ...stored, description };
      world.files.set(kept.id, kept);
      return kept;
    }),
  );
}

/**
 * What a message shows after this body: keys that are absent keep what was there.
 * @throws Refusal for what is too long, doubled or empty
 */
export function contentAfter(earlier: Content | undefined, body: MessageBody, uploaded: readonly WireFile[]): Content {
  const before = earlier ?? EMPTY;
  const stays = ({ id }: WireFile) => !body.attachments || body.attachments.some((one) => one.id === id);
  const given = (body.flags ?? before.flags) & SETTABLE;
  const editable = FLAGS.suppress_embeds | FLAGS.v2;
  const flags = earlier ? (before.flags & ~FLAGS.suppress_embeds) | (given & editable) : given;
  const after: Content = {
    // Discord trims what it is given.
    content: body.content === undefined ? before.content : (body.content ?? "").trim(),
    embeds: body.embeds === undefined ? before.embeds : (body.embeds ?? []),
    components: body.components === undefined ? before.components : numbered(body.components ?? []),
    files: [...before.files.filter(stays), ...uploaded],
    flags,
  };
  checkContent(after);
  return after;
}

function checkContent({ content, embeds, components, files, flags }: Content): void {
  // Discord: 2000 for bots; counted in UTF-16 units, the strictest reading.
  if (content.length > 2000) throw invalid(["content"], "Must be 2000 or fewer in length.", "BASE_TYPE_MAX_LENGTH");
  if (embeds.map(embedLength).reduce((sum, length) => sum + length, 0) > 6000)
    throw invalid(["embeds"], "Embed size exceeds maximum size of 6000", "MAX_EMBED_SIZE_EXCEEDED");
  checkComponents(components, flags);
  if ((flags & FLAGS.v2) !== 0 && (content !== "" || embeds.length > 0))
    throw invalid(["content"], "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2");
  if (content === "" && embeds.length === 0 && components.length === 0 && files.length === 0)
    throw refusal("empty_message");
}

/** Texts of an embed that count and are read. */
export function embedTexts(embed: WireEmbed): string[] {
  const text = (value: unknown, key: string): string[] => {
    const found = typeof value === "object" && value !== null ? (value as Json)[key] : undefined; // spec-checked
    return typeof found === "string" ? [found] : [];
  };
  const fields = Array.isArray(embed["fields"]) ? embed["fields"] : [];
  return [
    ...text(embed["author"], "name"),
    ...text(embed, "title"),
    ...text(embed, "description"),
    ...fields.flatMap((field) => [...text(field, "name"), ...text(field, "value")]),
    ...text(embed["footer"], "text"),
  ];
}
const embedLength = (embed: WireEmbed): number => embedTexts(embed).join("").length;

/** Everything in it that is written, in the order of reading. */
export const writtenIn = ({ content, embeds, components }: Content): string[] =>
  [content, ...embeds.flatMap(embedTexts), ...textsOf(components)].filter((text) => text !== "");

/** Whom this would notify: only the content and text components ring, embeds never do. */
export function pingsOf(
  world: World,
  shown: Content,
  allowed: MessageBody["allowed_mentions"],
  replyTo: WireMessage | undefined,
): string[] {
  const named = mentionsIn(world, [shown.content, ...textsOf(shown.components)].join("\n"));
  const parses = (kind: string) => !allowed || (allowed.parse ?? []).includes(kind);
  const users = named.users.map(({ id }) => id).filter((id) => parses("users") || allowed?.users?.includes(id));
  const roles = named.roles.filter((id) => parses("roles") || allowed?.roles?.includes(id));
  const everyone = named.everyone && parses("everyone") ? ["everyone"] : [];
  const replied = replyTo && (allowed ? allowed.replied_user === true : true) ? [replyTo.author.id] : [];
  return [...new Set([...users, ...roles, ...everyone, ...replied])];
}

/** What Discord accepts and a good client never sends. */
export function misdeeds(body: MessageBody, after: Content, pings: readonly string[]): string[] {
  const parse = body.allowed_mentions?.parse;
  const unguarded = parse?.length === 0 && body.allowed_mentions?.replied_user !== true;
  return [
    ...(unguarded ? [] : ["allowed_mentions is not { parse: [] }"]),
    ...pings.map((id) => `pings ${id}`),
    ...writtenIn(after).flatMap(maskedLinks),
  ];
}

const MASKED = /(?<!\\)\[([^\]\n]+)(?<!\\)\]\(<?(https?:\/\/[^\s)>]+)>?[^)]*\)/g;
const ADDRESS =
  /(?:https?:\/\/|www\.)([\w.-]+\.\w+)|(?<![\w.-])((?:[\w-]+\.)+(?:com|org|net|io|dev|app|gov|edu))(?![\w.-])/i;

/** Links whose label names another address than the one they lead to. */
function maskedLinks(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?```|`[^`\n]*`/g, "");
  return [...prose.matchAll(MASKED)].flatMap(([link, label = "", target = ""]) => {
    const address = ADDRESS.exec(label);
    const named = (address?.[1] ?? address?.[2])?.replace(/^www\./, "").toLowerCase();
    const host = URL.canParse(target) ? new URL(target).hostname.replace(/^www\./, "") : "";
    return named === undefined || named === host ? [] : [`a link shows another address than it opens: ${link}`];
  });
}
