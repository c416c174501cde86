/** Rich text as Slack accepts it. Shapes: @slack/types, block-kit/block-elements; unknown keys are refused. */
import { z } from "zod";

const flag = z.boolean().exactOptional();
const style = z.strictObject({ bold: flag, italic: flag, strike: flag, code: flag, underline: flag }).exactOptional();
const styled = { style };
const text = z.strictObject({ type: z.literal("text"), text: z.string().min(1), ...styled });
const link = z.strictObject({
  type: z.literal("link"),
  // Slack: at most 3000 characters for an address.
  url: z.string().min(1).max(3000),
  text: z.string().min(1).exactOptional(),
  unsafe: flag,
  ...styled,
});
const inline = z.discriminatedUnion("type", [
  text,
  link,
  z.strictObject({ type: z.literal("user"), user_id: z.string().min(1), ...styled }),
  z.strictObject({ type: z.literal("usergroup"), usergroup_id: z.string().min(1), ...styled }),
  z.strictObject({ type: z.literal("broadcast"), range: z.enum(["here", "channel", "everyone"]), ...styled }),
  z.strictObject({ type: z.literal("channel"), channel_id: z.string().min(1), ...styled }),
  z.strictObject({ type: z.literal("team"), team_id: z.string().min(1), ...styled }),
  z.strictObject({
    type: z.literal("emoji"),
    name: z.string().min(1),
    unicode: z.string().exactOptional(),
    url: z.string().exactOptional(),
    ...styled,
  }),
  z.strictObject({
    type: z.literal("date"),
    timestamp: z.number().int(),
    format: z.string().min(1),
    url: z.string().exactOptional(),
    fallback: z.string().exactOptional(),
    ...styled,
  }),
  z.strictObject({ type: z.literal("color"), value: z.string().min(1), ...styled }),
]);
export type Inline = z.output<typeof inline>;

const border = z.union([z.literal(0), z.literal(1)]).exactOptional();
const section = z.strictObject({ type: z.literal("rich_text_section"), elements: z.array(inline).min(1) });
const element = z.discriminatedUnion("type", [
  section,
  z.strictObject({
    type: z.literal("rich_text_list"),
    style: z.enum(["bullet", "ordered"]),
    // Slack: indents of 0 to 8.
    indent: z.number().int().min(0).max(8).exactOptional(),
    offset: z.number().int().min(0).exactOptional(),
    border,
    elements: z.array(section).min(1),
  }),
  z.strictObject({ type: z.literal("rich_text_quote"), border, elements: z.array(inline).min(1) }),
  z.strictObject({
    type: z.literal("rich_text_preformatted"),
    border,
    language: z.string().exactOptional(),
    elements: z.array(z.discriminatedUnion("type", [text, link])).min(1),
  }),
]);
export type RichElement = z.output<typeof element>;

export const richText = z.strictObject({
  type: z.literal("rich_text"),
  block_id: z.string().min(1).max(255).exactOptional(),
  elements: z.array(element).min(1),
});
export type RichText = z.output<typeof richText>;
