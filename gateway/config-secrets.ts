/**
 * What a secret looks like, so that one in the wrong variable is named before it is sent to the wrong company. Only
 * shapes that are certain stand here; a value of unknown shape is nobody's business but its platform's.
 */

interface SecretShape {
  readonly label: string;
  readonly pattern: RegExp;
  /** The keys it may stand under. */
  readonly belongs: RegExp;
}

const SHAPES: readonly SecretShape[] = [
  // Prefixes: Slack's documentation of token types; Anthropic's and OpenAI's consoles.
  { label: "a Slack bot token", pattern: /^xoxb-[\w-]{4}/, belongs: /^platforms\.slack\.bot_token$/ },
  { label: "a Slack user token", pattern: /^xoxp-[\w-]{4}/, belongs: /^$/ },
  { label: "a Slack app-level token", pattern: /^xapp-[\w-]{4}/, belongs: /^platforms\.slack\.app_token$/ },
  { label: "an Anthropic API key", pattern: /^sk-ant-[\w-]{4}/, belongs: /^models\[\d+\]\.api_key$/ },
  { label: "an OpenAI API key", pattern: /^sk-(?!ant-)[\w-]{16,}$/, belongs: /^models\[\d+\]\.api_key$/ },
  // Telegram: bot id, colon, 35 characters. Discord: three base64url parts, the first one the bot's id.
  { label: "a Telegram bot token", pattern: /^\d{6,12}:[\w-]{30,}$/, belongs: /^platforms\.telegram\.bot_token$/ },
  {
    label: "a Discord bot token",
    pattern: /^[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}$/,
    belongs: /^platforms\.discord\.bot_token$/,
  },
];

/** True for keys whose value must never be shown. */
export const isSecretKey = (key: string): boolean => /(^|_)(token|key|secret)$/.test(key);

/** What the text looks like, or undefined when its shape says nothing. */
export const recogniseSecret = (text: string): string | undefined =>
  SHAPES.find((shape) => shape.pattern.test(text))?.label;

/** The defect of a trimmed value at a path such as `platforms.telegram.bot_token`, as a sentence without the value. */
export function secretDefect(path: string, key: string, value: string): string | undefined {
  const shape = SHAPES.find((candidate) => candidate.pattern.test(value));
  if (shape !== undefined && !shape.belongs.test(path)) {
    const wanted = SHAPES.filter((candidate) => candidate.belongs.test(path)).map((candidate) => candidate.label);
    const expected = wanted.length > 0 ? wanted.join(" or ") : "no secret of another service";
    return `expected ${expected}, got what looks like ${shape.label}; two values may have changed places`;
  }
  if (!isSecretKey(key)) return undefined;
  if (value === "") return "expected a value, got an empty one; set it or remove the key";
  if (/\s/.test(value)) return "expected one word, got white space in the middle; copy the value again, in one line";
  return undefined;
}

/** A text for people or logs without what looks like a secret, also inside URLs. */
export const redactText = (text: string): string =>
  text
    .replace(/\/\/[^/\s@]+@/g, "//[redacted]@")
    // Telegram puts `bot<token>` into its paths.
    .replace(/[^\s"'`<>()/?&=,;]+/g, (word) =>
      recogniseSecret(word.replace(/^bot(?=\d)/, "").replace(/[.:]+$/, "")) === undefined ? word : "[redacted]",
    );
