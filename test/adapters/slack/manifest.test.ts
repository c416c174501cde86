import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { SCOPES } from "../../../adapters/slack/needs.ts";
import { COMMANDS } from "../../../gateway/contract.ts";

const FOLDER = join(import.meta.dirname, "../../../adapters/slack");
const named = z.looseObject({
  command: z.string(),
  description: z.string().max(2000),
  usage_hint: z.string(),
  should_escape: z.literal(true),
});
const manifest = z
  .object({
    features: z.object({
      app_home: z.object({ messages_tab_enabled: z.literal(true), messages_tab_read_only_enabled: z.literal(false) }),
      agent_view: z.object({
        agent_description: z.string().max(300),
        suggested_prompts: z.array(z.object({ title: z.string(), message: z.string() })).max(4),
      }),
      slash_commands: z.array(named),
    }),
    oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
    settings: z.object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()) }),
      interactivity: z.object({ is_enabled: z.literal(true) }),
      socket_mode_enabled: z.literal(true),
      token_rotation_enabled: z.literal(false),
    }),
  })
  .parse(parse(readFileSync(join(FOLDER, "manifest.yaml"), "utf8")));

/** What `readPayload` reads. */
const EVENTS = [
  "app_mention",
  "member_joined_channel",
  "member_left_channel",
  "message.channels",
  "message.groups",
  "message.im",
  "message.mpim",
];

/**
 * Slack's own commands; a name that is taken voids the whole list of a manifest.
 * https://slack.com/help/articles/201259356-Slash-commands-in-Slack
 */
const RESERVED = [
  ..."active apps archive away call canvas collapse dm dnd expand feed feedback gcal giphy groups help".split(" "),
  ..."huddle invite invite_people join kick leave list me msg mute open people prefs remind remove rename".split(" "),
  ..."reminder search shortcuts shrug star status topic unarchive unmute who workflow".split(" "),
];

test("the manifest asks for what the code needs, and for nothing else", () => {
  expect(manifest.oauth_config.scopes.bot).toEqual(SCOPES.map(({ scope }) => scope));
  expect(manifest.settings.event_subscriptions.bot_events).toEqual(EVENTS);
});

test("the guide explains every scope", () => {
  const guide = readFileSync(join(FOLDER, "README.md"), "utf8");
  for (const { scope } of SCOPES) expect(guide).toContain(`\`${scope}\``);
});

test("its one command has a name that Slack takes and does not keep for itself, and it names the others", () => {
  const [command, ...more] = manifest.features.slash_commands;
  expect(more).toEqual([]);
  // Slack: lower case, no blanks, at most 32 characters with the slash.
  expect(command?.command).toMatch(/^\/[a-z0-9][a-z0-9_-]{0,30}$/);
  expect(RESERVED).not.toContain(command?.command.slice(1));
  for (const { name } of COMMANDS) expect(command?.usage_hint).toContain(name);
});
