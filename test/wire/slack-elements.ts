/** Interactive elements and the small objects in them. Lengths: https://docs.slack.dev/reference/block-kit */
import { z } from "zod";

export const plainText = (max: number) =>
  z.strictObject({
    type: z.literal("plain_text"),
    text: z.string().min(1).max(max),
    emoji: z.boolean().exactOptional(),
  });
export const textObject = (max: number) =>
  z.discriminatedUnion("type", [
    plainText(max),
    z.strictObject({
      type: z.literal("mrkdwn"),
      text: z.string().min(1).max(max),
      verbatim: z.boolean().exactOptional(),
    }),
  ]);

const option = z.strictObject({
  text: plainText(75),
  value: z.string().min(1).max(150),
  description: plainText(75).exactOptional(),
});
export type Option = z.output<typeof option>;
/** Checkboxes and radio buttons take markup in an option. */
const richOption = option.extend({ text: textObject(75), description: textObject(75).exactOptional() });
const confirm = z
  .strictObject({
    title: plainText(100).exactOptional(),
    text: textObject(300),
    confirm: plainText(30).exactOptional(),
    deny: plainText(30).exactOptional(),
    style: z.enum(["primary", "danger"]).exactOptional(),
  })
  .exactOptional();

const action_id = z.string().min(1).max(255).exactOptional();
const placeholder = plainText(150).exactOptional();
const focus_on_load = z.boolean().exactOptional();
const dispatch_action_config = z
  .strictObject({ trigger_actions_on: z.array(z.enum(["on_enter_pressed", "on_character_entered"])).min(1) })
  .exactOptional();
const picking = { action_id, confirm, focus_on_load };
const typing = { action_id, placeholder, focus_on_load, dispatch_action_config };
const options = z.array(option).min(1).max(100).exactOptional();
const option_groups = z
  .array(z.strictObject({ label: plainText(75), options: z.array(option).min(1).max(100) }))
  .min(1)
  .max(100)
  .exactOptional();
const image = {
  alt_text: z.string().min(1).max(2000),
  image_url: z.url().max(3000).exactOptional(),
  slack_file: z
    .union([z.strictObject({ id: z.string().min(1) }), z.strictObject({ url: z.string().min(1) })])
    .exactOptional(),
};

export const imageElement = z.strictObject({ type: z.literal("image"), ...image });
export const imageFields = image;
const button = z.strictObject({
  type: z.literal("button"),
  action_id,
  confirm,
  text: plainText(75),
  value: z.string().max(2000).exactOptional(),
  url: z.string().max(3000).exactOptional(),
  style: z.enum(["primary", "danger"]).exactOptional(),
  accessibility_label: z.string().max(75).exactOptional(),
});
const staticSelect = z.strictObject({
  type: z.literal("static_select"),
  ...picking,
  placeholder,
  options,
  option_groups,
  initial_option: option.exactOptional(),
});
const multiSelect = staticSelect.omit({ type: true, initial_option: true }).extend({
  type: z.literal("multi_static_select"),
  initial_options: z.array(option).min(1).exactOptional(),
  max_selected_items: z.number().int().min(1).exactOptional(),
});
const overflow = z.strictObject({
  type: z.literal("overflow"),
  action_id,
  confirm,
  options: z.array(option).min(1).max(5),
});
const checkboxes = z.strictObject({
  type: z.literal("checkboxes"),
  ...picking,
  options: z.array(richOption).min(1).max(10),
  initial_options: z.array(richOption).min(1).exactOptional(),
});
const radioButtons = z.strictObject({
  type: z.literal("radio_buttons"),
  ...picking,
  options: z.array(richOption).min(1).max(10),
  initial_option: richOption.exactOptional(),
});
const datepicker = z.strictObject({
  type: z.literal("datepicker"),
  ...picking,
  placeholder,
  initial_date: z.iso.date().exactOptional(),
});
const timepicker = z.strictObject({
  type: z.literal("timepicker"),
  ...picking,
  placeholder,
  initial_time: z.string().exactOptional(),
  timezone: z.string().exactOptional(),
});
const usersSelect = z.strictObject({
  type: z.literal("users_select"),
  ...picking,
  placeholder,
  initial_user: z.string().exactOptional(),
});
const plainTextInput = z.strictObject({
  type: z.literal("plain_text_input"),
  ...typing,
  initial_value: z.string().max(3000).exactOptional(),
  multiline: z.boolean().exactOptional(),
  min_length: z.number().int().min(0).max(3000).exactOptional(),
  max_length: z.number().int().min(1).max(3000).exactOptional(),
});
const numberInput = z.strictObject({
  type: z.literal("number_input"),
  ...typing,
  is_decimal_allowed: z.boolean(),
  initial_value: z.string().exactOptional(),
  min_value: z.string().exactOptional(),
  max_value: z.string().exactOptional(),
});
const emailInput = z.strictObject({
  type: z.literal("email_text_input"),
  ...typing,
  initial_value: z.string().exactOptional(),
});
const urlInput = z.strictObject({
  type: z.literal("url_text_input"),
  ...typing,
  initial_value: z.string().exactOptional(),
});

const pickers = [staticSelect, multiSelect, checkboxes, radioButtons, datepicker, timepicker, usersSelect] as const;
export const actionElement = z.discriminatedUnion("type", [button, overflow, ...pickers]);
export const accessory = z.discriminatedUnion("type", [button, overflow, imageElement, ...pickers]);
export const inputElement = z.discriminatedUnion("type", [
  plainTextInput,
  numberInput,
  emailInput,
  urlInput,
  ...pickers,
]);
export type ActionElement = z.output<typeof actionElement>;
export type InputElement = z.output<typeof inputElement>;
