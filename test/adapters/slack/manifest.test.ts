import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { slack } from "../../../adapters/slack/adapter.ts";
import { EVENTS, SCOPES } from "../../../adapters/slack/needs.ts";
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

test("the manifest asks for what the code needs, and for nothing else", () => {
  expect(manifest.oauth_config.scopes.bot).toEqual(SCOPES.map(({ scope }) => scope));
  expect(manifest.settings.event_subscriptions.bot_events).toEqual(EVENTS);
});

test("the guide explains every scope", () => {
  const guide = readFileSync(join(FOLDER, "README.md"), "utf8");
  for (const { scope } of SCOPES) expect(guide).toContain(`\`${scope}\``);
});

test("its one command is the configured one, is free on Slack, and names the others", () => {
  const [command, ...more] = manifest.features.slash_commands;
  expect(more).toEqual([]);
  expect(slack.config.parse({ command: command?.command }).command).toBe(slack.config.parse({}).command);
  for (const { name } of COMMANDS) expect(command?.usage_hint).toContain(name);
});

test("names that Slack keeps for itself, or that it would not take, are refused with what to do", () => {
  for (const command of ["/status", "/invite", "/who"])
    expect(slack.config.safeParse({ command }).error?.message).toContain("Choose another");
  for (const command of ["threadline", "/Thread", "/a b", "/", `/${"x".repeat(32)}`])
    expect(slack.config.safeParse({ command }).error?.message).toContain("/threadline");
});
