/** Blocks of a message or a modal: what Slack accepts, and what in them no good client sends. */
import { z } from "zod";
import {
  accessory,
  actionElement,
  imageElement,
  imageFields,
  inputElement,
  plainText,
  textObject,
} from "./slack-elements.ts";
import { richText } from "./slack-rich-text.ts";
import { isHonestLink, Refusal, textViolations } from "./slack-rules.ts";

const block_id = z.string().min(1).max(255).exactOptional();
const cell = z.discriminatedUnion("type", [
  richText,
  z.strictObject({ type: z.literal("raw_text"), text: z.string().min(1) }),
  z.strictObject({ type: z.literal("raw_number"), value: z.number(), text: z.string().min(1) }),
]);
const table = z.strictObject({
  type: z.literal("table"),
  block_id,
  rows: z.array(z.array(cell).min(1).max(20)).min(1).max(100),
  column_settings: z
    .array(
      z.strictObject({
        align: z.enum(["left", "center", "right"]).exactOptional(),
        is_wrapped: z.boolean().exactOptional(),
      }),
    )
    .max(20)
    .exactOptional(),
});

const block = z.discriminatedUnion("type", [
  richText,
  table,
  z
    .strictObject({
      type: z.literal("section"),
      block_id,
      text: textObject(3000).exactOptional(),
      fields: z.array(textObject(2000)).min(1).max(10).exactOptional(),
      accessory: accessory.exactOptional(),
      expand: z.boolean().exactOptional(),
    })
    .refine(({ text, fields }) => text ?? fields, "a section needs text or fields"),
  z.strictObject({ type: z.literal("actions"), block_id, elements: z.array(actionElement).min(1).max(25) }),
  z.strictObject({
    type: z.literal("context"),
    block_id,
    elements: z
      .array(z.union([imageElement, textObject(3000)]))
      .min(1)
      .max(10),
  }),
  z.strictObject({ type: z.literal("header"), block_id, text: plainText(150) }),
  z.strictObject({ type: z.literal("divider"), block_id }),
  z.strictObject({ type: z.literal("image"), block_id, ...imageFields, title: plainText(2000).exactOptional() }),
  z.strictObject({ type: z.literal("markdown"), block_id, text: z.string().min(1).max(12_000) }),
  z.strictObject({
    type: z.literal("input"),
    block_id,
    label: plainText(2000),
    element: inputElement,
    hint: plainText(2000).exactOptional(),
    optional: z.boolean().exactOptional(),
    dispatch_action: z.boolean().exactOptional(),
  }),
]);
export type Block = z.output<typeof block>;

const LIMITS = {
  // Documented: 50 blocks a message, 100 a modal.
  message: 50,
  modal: 100,
  // Undocumented, `msg_blocks_too_long`: about 13,200 characters pass in markdown blocks (slackapi/bolt-js issue 2509),
  // 11,341 were refused in rich text (issue 2867). The server takes the lowest figure, and counts tables too.
  text: 11_300,
  // The same error, taken at its worst: what Slack counts of a menu beside its labels is not known, so all of it is.
  withMenus: 13_200,
  // Documented for all tables of a message together.
  tableText: 10_000,
};

/** Blocks as JSON or already read. Throws `invalid_blocks_format`, `invalid_blocks` or `msg_blocks_too_long`. */
export function readBlocks(given: unknown, surface: "message" | "modal"): Block[] {
  const list = z.array(z.unknown()).safeParse(given);
  if (!list.success) throw new Refusal("invalid_blocks_format");
  const read = z.array(block).max(LIMITS[surface]).safeParse(list.data);
  if (!read.success) throw invalid(...read.error.issues.map(({ path, message }) => `${message} [/${path.join("/")}]`));
  const blocks = read.data;
  if (surface === "message" && blocks.some(({ type }) => type === "input")) throw invalid("input is for modals");
  if (blocks.filter(({ type }) => type === "table").length > 1)
    throw new Refusal("invalid_attachments", ["only_one_table_allowed"]);
  for (const key of ["block_id", "action_id"]) refuseRepeats(key, blocks);
  checkLengths(blocks);
  return blocks.map((one, index) => ({ ...one, block_id: one.block_id ?? `b${index}${randomSuffix()}` }));
}

const invalid = (...what: string[]) => new Refusal("invalid_blocks", what);
const randomSuffix = () => Math.random().toString(36).slice(2, 5);

function refuseRepeats(key: string, blocks: readonly Block[]): void {
  const seen = new Set<string>();
  for (const { [key]: id } of objectsIn(blocks)) {
    if (typeof id !== "string") continue;
    if (seen.has(id)) throw invalid(`${key} "${id}" is used twice`);
    seen.add(id);
  }
}

function checkLengths(blocks: readonly Block[]): void {
  const isTable = (one: Block) => one.type === "table";
  if (lengthOf(blocks.filter(isTable)) > LIMITS.tableText) throw invalid("a table above 10,000 characters");
  const whole = lengthOf(blocks);
  if (whole > LIMITS.text) throw new Refusal("msg_blocks_too_long", [`${whole} characters`]);
  const [menus, others] = [blocks.filter(isPressed), blocks.filter((one) => !isPressed(one))];
  const all = menus.length === 0 ? 0 : jsonLength(menus) + lengthOf(others);
  if (all > LIMITS.withMenus) throw new Refusal("msg_blocks_too_long", [`${all} characters with menus and buttons`]);
}
const isPressed = ({ type }: Block): boolean => type === "actions";
/** Without what only JSON adds. */
const jsonLength = (value: unknown): number => JSON.stringify(value).replaceAll(/\\(.)/g, "$1").length;
const lengthOf = (blocks: readonly Block[]): number =>
  objectsIn(blocks).reduce((sum, { text }) => sum + (typeof text === "string" ? text.length : 0), 0);

type Fields = Readonly<Record<string, unknown>>;
/** Every object in a tree of JSON. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== "object" || value === null) return [];
  const fields: Fields = { ...value };
  return [fields, ...Object.values(fields).flatMap(objectsIn)];
}

/** What would ring somebody or lead astray; Slack accepts it. */
export function blockViolations(blocks: readonly Block[]): string[] {
  return objectsIn(blocks).flatMap((one) => {
    if (one["type"] === "user" || one["type"] === "usergroup" || one["type"] === "broadcast")
      return [`an element of type ${one["type"]} pings`];
    const url = one["type"] === "link" || one["type"] === "button" ? one["url"] : undefined;
    if (typeof url === "string" && !isHonestLink(url))
      return [`a ${String(one["type"])} to no web or mail address: ${url}`];
    const marked = one["type"] === "mrkdwn" || one["type"] === "markdown";
    return marked && typeof one["text"] === "string" ? textViolations(one["text"]) : [];
  });
}
