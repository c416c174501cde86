/** Components as trees: what Discord checks beyond its specification, what a reader sees, what can be pressed. */
import { invalid } from "./discord-refusals.ts";
import type { WireComponent } from "./discord-world.ts";

const V2 = 1 << 15;

const isComponent = (value: unknown): value is WireComponent =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "number";

/** A component and all inside it, in the order of reading: rows, containers, sections with their accessory, labels. */
export function flatten(components: readonly unknown[]): WireComponent[] {
  return components.filter(isComponent).flatMap((one) => {
    const inner = Array.isArray(one["components"]) ? one["components"] : [];
    return [one, ...flatten(inner), ...flatten([one["accessory"], one["component"]])];
  });
}

/** Discord gives every component an id, counting from 1, unless the sender did. */
export function numbered(components: readonly WireComponent[]): readonly WireComponent[] {
  let next = 1;
  const number = (one: WireComponent): WireComponent => {
    const id = one["id"] ?? next++;
    const inner = one["components"];
    const children = Array.isArray(inner) ? { components: inner.filter(isComponent).map(number) } : {};
    const own = (key: "accessory" | "component") => {
      const child = one[key];
      return isComponent(child) ? { [key]: number(child) } : {};
    };
    return { ...one, id, ...children, ...own("accessory"), ...own("component") };
  };
  return components.map(number);
}

/** @throws Refusal 50035 for what the specification does not say: rows only without V2, five of them, ids once. */
export function checkComponents(components: readonly WireComponent[], flags: number): void {
  const all = flatten(components);
  const v2 = (flags & V2) !== 0;
  if (!v2 && components.some(({ type }) => type !== 1))
    throw invalid(["components", "0", "type"], 'Value of field "type" must be one of (1,).');
  if (!v2 && components.length > 5) throw invalid(["components"], "Must be between 1 and 5 in length.");
  if (all.length > 40) throw invalid(["components"], "The total number of components cannot exceed 40.");
  const text = all.filter(({ type }) => type === 10).map((one) => String(one["content"]));
  if (text.join("").length > 4000)
    throw invalid(["components"], "The total text in components cannot exceed 4000 characters.");
  const ids = all.flatMap((one) => one["custom_id"] ?? []);
  if (new Set(ids).size < ids.length)
    throw invalid(["components"], "Component custom id cannot be duplicated", "COMPONENT_CUSTOM_ID_DUPLICATED");
  for (const one of all) checkComponent(one);
}

function checkComponent(one: WireComponent): void {
  if (one.type === 1) {
    const inner = flatten([one]).slice(1);
    if (inner.length > 1 && inner.some(({ type }) => type !== 2))
      throw invalid(["components"], "A row holds one menu or up to five buttons.", "COMPONENT_LAYOUT_WIDTH_EXCEEDED");
  }
  if (one.type === 2) {
    const link = one["style"] === 5;
    if (link ? typeof one["url"] !== "string" : typeof one["custom_id"] !== "string" && one["style"] !== 6)
      throw invalid(
        ["components"],
        `A ${link ? "url" : "custom id"} is required`,
        "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED",
      );
    if (!one["label"] && !one["emoji"])
      throw invalid(["components"], "A button needs a label or an emoji", "BUTTON_COMPONENT_LABEL_REQUIRED");
  }
  if (one.type === 3) checkMenu(one);
}

function checkMenu(menu: WireComponent): void {
  const values = optionsOf(menu).map(({ value }) => value);
  if (new Set(values).size < values.length)
    throw invalid(
      ["components"],
      "The specified option value is already used",
      "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
    );
  for (const key of ["min_values", "max_values"] as const) {
    if (Number(menu[key] ?? 1) > values.length) throw invalid(["components"], `${key} exceeds the number of options`);
  }
}

export interface MenuOption {
  readonly label: string;
  readonly value: string;
}
const isOption = (value: unknown): value is MenuOption =>
  typeof value === "object" && value !== null && "label" in value && "value" in value;
export const optionsOf = (menu: WireComponent): MenuOption[] =>
  Array.isArray(menu["options"]) ? menu["options"].filter(isOption) : [];

/** A text of a component; empty when it has none. */
export function textAt(component: WireComponent, key: string): string {
  const value = component[key];
  return typeof value === "string" ? value : "";
}

/** What can be pressed: a button that is not disabled, or one option of a menu. */
export interface Pressable {
  readonly label: string;
  readonly component: WireComponent;
  readonly value?: string;
}
export function pressables(components: readonly WireComponent[]): Pressable[] {
  return flatten(components)
    .filter((one) => one["disabled"] !== true && one["custom_id"] !== undefined)
    .flatMap((component): Pressable[] => {
      if (component.type === 2) return [{ label: textAt(component, "label"), component }];
      return optionsOf(component).map(({ label, value }) => ({ label, component, value }));
    });
}

/** Texts that a reader sees in components, one each. */
export const textsOf = (components: readonly WireComponent[]): string[] =>
  flatten(components).flatMap((one) => (one.type === 10 ? String(one["content"]) : []));
