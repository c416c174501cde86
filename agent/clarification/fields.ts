/** Whatever a model passes as form fields, made a form that every platform can draw, or none at all. Pure. */
import { wellFormed } from "../../subagents/well-formed.ts";
import type { QuestionField } from "../contract.ts";
import { normaliseOptions, parseJson, toChoices } from "./options.ts";

/** Contract B, caps of a form. */
const MAX_FIELDS = 16;
const MAX_OPTIONS = 24;
const MAX_CHARS = 200;
const MAX_BYTES = 16_384;

const PLAIN_TYPES = ["text", "textarea", "number", "checkbox", "date"] as const;
const CHOICE_TYPES = ["select", "multi_select"] as const;

/**
 * The normalised fields; undefined when there is no form. Atomic: one entry that is no object, one blank, repeated or
 * reserved name, or one broken cap drops the whole form.
 */
export function normaliseFields(raw: unknown): readonly QuestionField[] | undefined {
  const entries = typeof raw === "string" ? parseJson(raw) : raw;
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_FIELDS) return undefined;
  const fields = entries.map(normaliseField);
  const kept = fields.filter((field) => field !== undefined);
  const names = new Set(kept.map((field) => field.name));
  if (kept.length !== fields.length || names.size !== kept.length) return undefined;
  return Buffer.byteLength(JSON.stringify(kept), "utf8") <= MAX_BYTES ? kept : undefined;
}

function normaliseField(raw: unknown): QuestionField | undefined {
  if (!isRecord(raw)) return undefined;
  const name = text(raw["name"]);
  const label = text(raw["label"]) || name;
  const placeholder = text(raw["placeholder"]);
  const options = normaliseOptions(raw["options"]);
  if (name === "" || isReserved(name) || options.length > MAX_OPTIONS) return undefined;
  if ([name, label, placeholder, ...options].some((one) => one.length > MAX_CHARS)) return undefined;
  const common = { name, label, required: isTrue(raw["required"]), ...(placeholder && { placeholder }) };
  const choice = CHOICE_TYPES.find((type) => type === raw["type"]);
  if (choice && options.length > 0) return { ...common, type: choice, options: toChoices(options, `${name}-option`) };
  return { ...common, type: PLAIN_TYPES.find((type) => type === raw["type"]) ?? "text" };
}

/** Names that JavaScript objects already have: values keyed by them would go astray. */
function isReserved(name: string): boolean {
  return name === "prototype" || name in Object.prototype;
}
/** Contract B: true, a number that is not zero, "true" in any case. */
function isTrue(value: unknown): boolean {
  if (typeof value === "number") return value !== 0 && !Number.isNaN(value);
  return value === true || (typeof value === "string" && value.trim().toLowerCase() === "true");
}
function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? wellFormed(String(value)).trim() : "";
}
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
