/** What the app must be allowed; the manifest asks for the same, which a test compares. */

interface Scope {
  readonly scope: string;
  /** What does not work without it. */
  readonly why: string;
}

export const SCOPES: readonly Scope[] = [
  { scope: "app_mentions:read", why: "mentions of the bot do not arrive" },
  { scope: "assistant:write", why: "the bot is not offered as an agent" },
  { scope: "channels:history", why: "messages in threads of public channels do not arrive and cannot be looked up" },
  { scope: "channels:read", why: "it cannot be told whether the bot is in a public channel" },
  { scope: "chat:write", why: "nothing can be answered, and no status is shown" },
  { scope: "commands", why: "there is no slash command" },
  { scope: "files:read", why: "files that people send cannot be read" },
  { scope: "files:write", why: "files cannot be handed over" },
  { scope: "groups:history", why: "messages in threads of private channels do not arrive and cannot be looked up" },
  { scope: "groups:read", why: "it cannot be told whether the bot is in a private channel" },
  { scope: "im:history", why: "direct messages do not arrive" },
  { scope: "im:read", why: "the slash command cannot tell the bot's direct messages from others" },
  { scope: "mpim:history", why: "messages in groups of people do not arrive" },
  { scope: "mpim:read", why: "it cannot be told whether the bot is in a group of people" },
  { scope: "users:read", why: "members cannot be told from guests, so nobody may enter" },
];
