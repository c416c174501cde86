import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigError, parseConfig } from "../../gateway/config.ts";
import { KINDS } from "../../gateway/main.ts";

const telegram = {
  platform: "telegram",
  config: z.strictObject({
    bot_token: z
      .string()
      .regex(/^\d+:[\w-]+$/, "wrong shape")
      .optional(),
    api_url: z.string().default("https://api.telegram.org"),
  }),
  configured: (config: { bot_token?: string | undefined }) => config.bot_token !== undefined,
  access: {
    mode: "approved",
    place: { pattern: /^-?\d+$/, example: "-100123" },
    user: { pattern: /^\d+$/, example: "123" },
  },
} as const;
const web = {
  platform: "web",
  access: "owner",
  config: z.strictObject({}),
  configured: () => true,
} as const;
const kinds = [web, telegram];
const TOKEN = "123456789:AAFakeFakeFakeFakeFakeFakeFakeFake12";

const parse = (text: string | undefined, env: Record<string, string | undefined> = {}) => parseConfig(text, env, kinds);
function problemsOf(text: string, env: Record<string, string | undefined> = {}): readonly string[] {
  try {
    parse(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error("expected a ConfigError, got a configuration");
}

describe("without a file", () => {
  test("the page is on, Telegram is off, models are to be detected", () => {
    const config = parse(undefined);
    expect(config.platforms["web"]?.enabled).toBe(true);
    expect(config.platforms["telegram"]?.enabled).toBe(false);
    expect(config).not.toHaveProperty("models");
    expect(config).toMatchObject({
      dataDir: "./data",
      http: { host: "127.0.0.1", port: 8787 },
      logLevel: "info",
      idleResetMs: 86_400_000,
      shutdownGraceMs: 20_000,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      subagents: {
        limits: { perResponse: 3, perRun: 6 },
        agents: { "general-purpose": { model: "inherit", timeoutMs: 1_800_000, maxTurns: 150 } },
        custom: [],
      },
    });
  });

  test("a Telegram token in its usual variable turns Telegram on, and who may talk to it must be approved", () => {
    expect(parse(undefined, { TELEGRAM_BOT_TOKEN: TOKEN }).platforms["telegram"]).toEqual({
      enabled: true,
      settings: { bot_token: TOKEN, api_url: "https://api.telegram.org" },
      access: { mode: "approved", places: [], users: [], admins: [] },
      follow: "thread",
      answerers: "asker",
    });
  });

  test("a variable that is set to nothing is not set", () => {
    expect(parse(undefined, { TELEGRAM_BOT_TOKEN: "" }).platforms["telegram"]?.enabled).toBe(false);
  });
});

describe("the example", () => {
  const example = readFileSync(new URL("../../config.example.yaml", import.meta.url), "utf8");
  const parseAll = (text: string | undefined, env: Record<string, string> = {}) => parseConfig(text, env, KINDS);

  test("says the defaults, with every variable set and with none", () => {
    const tokens = {
      TELEGRAM_BOT_TOKEN: TOKEN,
      SLACK_BOT_TOKEN: "xoxb-1-2-three",
      SLACK_APP_TOKEN: "xapp-1-2-three",
      DISCORD_BOT_TOKEN: "one.two.three",
    };
    const all = { ...tokens, ANTHROPIC_API_KEY: "sk-ant-test", OPENAI_API_KEY: "sk-test" };
    expect(parseAll(example, all)).toEqual(parseAll(undefined, all));
    expect(parseAll(example)).toEqual(parseAll(undefined));
  });

  test("is accepted with its commented examples switched on", () => {
    const text = example.replace(/^#(?=\s{2,})/gm, " ").replace("custom: {} ", "custom: ");
    const config = parseAll(text, { ANTHROPIC_API_KEY: "sk-ant-test" });
    expect(config.models).toEqual([
      {
        name: "sonnet",
        displayName: "Claude Sonnet 4.6",
        provider: "anthropic",
        model: "claude-sonnet-4-6",
        apiKey: "sk-ant-test",
      },
      { name: "local", provider: "openai", model: "qwen3", baseUrl: "http://127.0.0.1:8000/v1" },
    ]);
    expect(config.subagents.custom).toMatchObject([
      {
        name: "reviewer",
        model: "inherit",
        timeoutMs: 900_000,
        maxTurns: 50,
        tools: ["read_file", "list_files", "search_files"],
      },
    ]);
  });
});

describe("what a newcomer gets wrong", () => {
  const all = (text: string | undefined, env: Record<string, string> = {}) => {
    try {
      return parseConfig(text, env, KINDS);
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
  };

  test("a name where an id belongs is told, with what one looks like", () => {
    const slack = 'platforms: { slack: { access: { places: ["#general"], users: ["@ann"], admins: [U0123456789] } } }';
    expect(all(slack)).toEqual([
      expect.stringMatching(/^platforms\.slack\.access\.places\[0\]: expected an id such as C0123456789/),
      expect.stringMatching(/^platforms\.slack\.access\.users\[0\]: expected an id such as U0123456789/),
    ]);
    expect(all('platforms: { discord: { answerers: ["My Friend"] } }')).toEqual([
      expect.stringMatching(/^platforms\.discord\.answerers\[0\]: expected an id/),
    ]);
  });

  test("a misspelt key with a real token in it is a misspelt key; a platform stands under platforms", () => {
    const misspelt = { SLACK_BOT_TOKEN: "xoxb-1-2-three" };
    expect(all("platforms: { slack: { bot_tokn: $SLACK_BOT_TOKEN } }", misspelt)).toEqual([
      expect.stringMatching(/bot_tokn.*: unknown key; did you mean bot_token\?/),
    ]);
    expect(all("slack: { bot_token: a }")).toEqual([
      expect.stringMatching(/^slack: unknown key.*belongs under platforms/),
    ]);
  });

  test("one token of two leaves the platform off, and says which one is missing", () => {
    const config = all(undefined, { SLACK_BOT_TOKEN: "xoxb-1-2-three" });
    expect(config).toMatchObject({
      platforms: {
        slack: { enabled: false, unset: { partly: true, text: "off: SLACK_APP_TOKEN is missing" } },
        discord: { enabled: false, unset: { partly: false, text: "off; DISCORD_BOT_TOKEN would turn it on" } },
      },
    });
  });

  test("a refused value says which variable it came from", () => {
    expect(all(undefined, { DISCORD_BOT_TOKEN: "nonsense" })).toEqual([
      expect.stringMatching(/^platforms\.discord\.bot_token \(from \$DISCORD_BOT_TOKEN\): Expected/),
    ]);
  });
});

describe("values", () => {
  test("everything that is written is read", () => {
    const config = parse(
      `data_dir: $DATA
http: { host: "::1", port: $PORT }
log: { level: debug }
models:
  - { name: a, provider: openai, model: gpt-4o-mini, api_key: $MY_KEY }
  - { name: b, provider: ollama, model: qwen3 }
  - { name: c, provider: offline }
platforms:
  web: { enabled: false }
  telegram:
    enabled: true
    bot_token: $MY_BOT
    access: { mode: allowlist, places: [-1001234567890], users: [7, "8"], admins: [7] }
    follow: mention
    answerers: [7]
question_ttl: 12h
idle_reset: 7d
shutdown_grace: 500ms
retention: { checkpoints_per_thread: 20, finished_threads_days: 90, max_db_mb: 500 }
timezone: Europe/Berlin
subagents:
  max_concurrent: 2
  max_per_run: 20
  agents: { general-purpose: { model: b, timeout_seconds: 60, max_turns: 9 } }
  custom: { reviewer: { description: d, system_prompt: p, model: a, timeout_seconds: 5, tools: [read_file], disallowed_tools: [write_file] } }
`,
      { DATA: "/srv/threads", PORT: "9000", MY_KEY: "key", MY_BOT: TOKEN },
    );
    expect(config).toEqual({
      dataDir: "/srv/threads",
      http: { host: "::1", port: 9000 },
      logLevel: "debug",
      models: [
        { name: "a", provider: "openai", model: "gpt-4o-mini", apiKey: "key" },
        { name: "b", provider: "ollama", model: "qwen3" },
        { name: "c", provider: "offline", model: "offline" },
      ],
      platforms: {
        web: expect.objectContaining({ enabled: false }),
        telegram: {
          enabled: true,
          settings: { bot_token: TOKEN, api_url: "https://api.telegram.org" },
          access: { mode: "allowlist", places: ["-1001234567890"], users: ["7", "8"], admins: ["7"] },
          follow: "mention",
          answerers: ["7"],
        },
      },
      questionTtlMs: 43_200_000,
      idleResetMs: 604_800_000,
      shutdownGraceMs: 500,
      retention: { checkpointsPerThread: 20, finishedThreadsMs: 90 * 86_400_000, maxDbBytes: 500_000_000 },
      timezone: "Europe/Berlin",
      subagents: {
        limits: { perResponse: 2, perRun: 20 },
        agents: { "general-purpose": { model: "b", timeoutMs: 60_000, maxTurns: 9 } },
        custom: [
          {
            name: "reviewer",
            description: "d",
            systemPrompt: "p",
            model: "a",
            timeoutMs: 5000,
            maxTurns: 50,
            tools: ["read_file"],
            disallowedTools: ["write_file"],
          },
        ],
      },
    });
  });

  test.each([
    [0, 1, 1],
    [-3, 1, 1],
    [2, 2, 2],
    [9, 4, 9],
    [1e300, 4, 50],
    ["", 3, 6],
  ])("limits of delegation written as %j become %i a response and %i a run", (written, perResponse, perRun) => {
    const { subagents } = parse(`subagents: { max_concurrent: ${written}, max_per_run: ${written} }`);
    expect(subagents.limits).toEqual({ perResponse, perRun });
  });

  test("a turn limit for all of them outweighs each one's own", () => {
    const { agents, custom } = parse(
      "subagents: { max_turns: 7, custom: { a: { description: d, system_prompt: p, max_turns: 9 } } }",
    ).subagents;
    expect([agents["general-purpose"]?.maxTurns, custom[0]?.maxTurns]).toEqual([7, 7]);
  });

  test("empty keys and an empty file mean the defaults", () => {
    expect(parse("data_dir:\nplatforms:\n  telegram:\nmodels:\n")).toEqual(parse(undefined));
    expect(parse("# nothing\n")).toEqual(parse(undefined));
  });

  test("a key that is not written is read from its usual variable, but never for a server of another name", () => {
    const env = { OPENAI_API_KEY: "sk-test" };
    expect(parse("models: [{ name: a, provider: openai, model: m }]", env).models?.[0]?.apiKey).toBe("sk-test");
    const local = "models: [{ name: a, provider: openai, model: m, base_url: http://127.0.0.1:1/v1/ }]";
    const { models } = parse(local, env);
    expect(models).toEqual([{ name: "a", provider: "openai", model: "m", baseUrl: "http://127.0.0.1:1/v1" }]);
  });

  test("the token is not asked for on a platform that is off", () => {
    const config = parse("platforms: { telegram: { enabled: false, bot_token: $OTHER } }");
    expect(config.platforms["telegram"]?.enabled).toBe(false);
  });

  test("SEC-04: a trailing newline of a token is cut off", () => {
    const settings = { bot_token: TOKEN };
    expect(parse(undefined, { TELEGRAM_BOT_TOKEN: `${TOKEN}\r\n` }).platforms["telegram"]).toMatchObject({ settings });
    const block = `platforms:\n  telegram:\n    bot_token: |\n      ${TOKEN}\n`;
    expect(parse(block).platforms["telegram"]).toMatchObject({ settings });
  });
});

describe("a mistake is named with its key and what to do", () => {
  const mistakes: readonly (readonly [string, string, readonly RegExp[]])[] = [
    ["a misspelled key", "htpp: { port: 1 }", [/^htpp: unknown key; did you mean http\?/]],
    [
      "a misspelled platform",
      "platforms: { telegam: {} }",
      [/^platforms\.telegam: unknown key; did you mean telegram\?/],
    ],
    [
      "a misspelled key of a platform's own",
      "platforms: { telegram: { bot_tokn: x } }",
      [/^platforms\.telegram\.bot_tokn: unknown key; did you mean bot_token\?/],
    ],
    [
      "a misspelled key inside access",
      "platforms: { telegram: { access: { mod: open } } }",
      [/^platforms\.telegram\.access\.mod: .*did you mean mode\?/],
    ],
    ["a key like nothing else", "banana: 1", [/^banana: unknown key; available here: data_dir, http/]],
    [
      "retention of nothing",
      "retention: { checkpoints_per_thread: 0 }",
      [/^retention\.checkpoints_per_thread: expected how many to keep.*leave it empty/],
    ],
    [
      "retention for no time",
      "retention: { finished_threads_days: -1 }",
      [/^retention\.finished_threads_days: expected a number of days.*leave it empty/],
    ],
    [
      "an unknown key of retention",
      "retention: { max_mb: 5 }",
      [/^retention\.max_mb: unknown key; did you mean max_db_mb/],
    ],
    ["a key of a later version", "budget: { run_tokens: 5 }", [/^budget: not available in this version.*data_dir/]],
    [
      "a later key of a model",
      "models: [{ name: a, provider: offline, thinking: true }]",
      [/^models\[0\]\.thinking: not available in this version.*display_name/],
    ],
    [
      "a later key of a platform",
      "platforms: { telegram: { busy: steer } }",
      [/^platforms\.telegram\.busy: not available/],
    ],
    [
      "access on the page",
      "platforms: { web: { access: { mode: open } } }",
      [/^platforms\.web\.access: unknown key; available here: enabled/],
    ],
    ["a wrong type", "http: { port: many }", [/^http\.port: expected number, got string/]],
    ["a port out of range", "http: { port: 70000 }", [/^http\.port: .*65535/]],
    ["a public host", "http: { host: 0.0.0.0 }", [/^http\.host: expected 127\.0\.0\.1.*only for this machine/]],
    [
      "a wrong word",
      "platforms: { telegram: { enabled: yes } }",
      [/^platforms\.telegram\.enabled: expected auto, true or false/],
    ],
    ["a wrong duration", "idle_reset: tomorrow", [/^idle_reset: expected a duration such as 24h/]],
    ["a duration without a unit", "shutdown_grace: 20", [/^shutdown_grace: expected a duration such as/]],
    [
      "a time zone that nobody knows",
      "timezone: Mars/Base",
      [/^timezone: expected a time zone such as Europe\/Berlin/],
    ],
    [
      "an id that loses digits",
      "platforms: { telegram: { access: { users: [123456789012345678901] } } }",
      [/users\[0\]: .*quotes/],
    ],
    ["two models of one name", "models: [&m { name: a, provider: offline }, *m]", [/^models\[1\]\.name: .*taken/]],
    [
      "a model without a provider",
      "models: [{ name: a, model: b }]",
      [/^models\[0\]\.provider: expected one of "anthropic"/],
    ],
    [
      "a model without an id",
      "models: [{ name: a, provider: ollama }]",
      [/^models\[0\]\.model: expected the provider's id/],
    ],
    [
      "a model that is not listed",
      "subagents: { agents: { general-purpose: { model: big } } }",
      [/^subagents\.agents\.general-purpose\.model: expected inherit.*list it under models/],
    ],
    ["a limit that is a word", "subagents: { max_concurrent: x }", [/^subagents\.max_concurrent: expected a whole/]],
    ["a limit that is no number", "subagents: { max_per_run: .nan }", [/^subagents\.max_per_run: expected a whole/]],
    ["a limit between numbers", "subagents: { max_per_run: 2.5 }", [/^subagents\.max_per_run: expected a whole/]],
    ["no turns at all", "subagents: { max_turns: 0 }", [/^subagents\.max_turns: expected a whole number of turns/]],
    ["an unknown built-in subagent", "subagents: { agents: { poet: {} } }", [/^subagents\.agents\.poet: unknown key/]],
    [
      "a custom subagent with a built-in name",
      "subagents: { custom: { general-purpose: { description: d, system_prompt: p } } }",
      [/^subagents\.custom\.general-purpose: expected a name of its own/],
    ],
    [
      "a custom subagent whose name is no word",
      "subagents: { custom: { Big Poet: { description: d, system_prompt: p } } }",
      [/^subagents\.custom\.\(a key that is no plain word\): expected a name of a-z/],
    ],
    ["a list instead of a map", "- a\n- b", [/^the file: expected "key: value" lines/]],
    ["a platform that is a word", "platforms: { telegram: on }", [/^platforms\.telegram: expected a map/]],
    [
      "a platform that is on without its token",
      "platforms: { telegram: { enabled: true } }",
      [
        /^platforms\.telegram\.enabled: true, but expected bot_token \(\$TELEGRAM_BOT_TOKEN in the environment\), got nothing/,
      ],
    ],
    [
      "a missing variable",
      "platforms: { telegram: { bot_token: $MY_BOT } }",
      [/^platforms\.telegram\.bot_token: expected the environment variable MY_BOT to be set/],
    ],
    [
      "a missing key of a model",
      "models: [{ name: a, provider: anthropic, model: m }]",
      [/^models\[0\]\.api_key: expected the environment variable ANTHROPIC_API_KEY to be set/],
    ],
    ["malformed YAML", "http:\n  port: 1\n port: 2\n", [/^line 3, column \d+: expected/]],
    ["a key that is there twice", "log: {}\nlog: {}\n", [/^line 2, column 1: expected every key once/]],
    [
      "several mistakes at once",
      "htpp: 1\ntimezone: Mars\nplatforms: { slak: {}, telegram: { follow: never } }",
      [/^htpp/, /^timezone/, /^platforms\.slak/, /^platforms\.telegram\.follow/],
    ],
  ];
  test.each(mistakes)("%s", (_, text, wanted) => {
    const problems = problemsOf(text);
    for (const pattern of wanted) expect(problems).toContainEqual(expect.stringMatching(pattern));
    expect(problems).toHaveLength(wanted.length);
  });
});

describe("SEC-04: a mistake with a secret names the defect and never the value", () => {
  const SLACK = "xoxb-111111111111-fakefakefakefake";
  const cases: readonly (readonly [string, string, Record<string, string>, string, RegExp])[] = [
    [
      "a Slack token in the Telegram variable",
      "",
      { TELEGRAM_BOT_TOKEN: SLACK },
      SLACK,
      /^platforms\.telegram\.bot_token \(from \$TELEGRAM_BOT_TOKEN\): expected a Telegram bot token, got what looks like a Slack bot token/,
    ],
    [
      "a Telegram token as a model's key",
      `models: [{ name: a, provider: openai, model: m, api_key: "${TOKEN}" }]`,
      {},
      TOKEN,
      /^models\[0\]\.api_key: .*looks like a Telegram bot token/,
    ],
    ["a token under a key that is none", `data_dir: ${SLACK}`, {}, SLACK, /^data_dir: .*looks like a Slack bot token/],
    [
      "a token of two lines",
      "",
      { TELEGRAM_BOT_TOKEN: "secret-one\nsecret-two" },
      "secret-",
      /bot_token \(from \$TELEGRAM_BOT_TOKEN\): .*white space/,
    ],
    ["a token instead of a key", `platforms: { telegram: { "${TOKEN}": x } }`, {}, TOKEN, /no plain word/],
    [
      "a lower-case reference",
      "platforms: { telegram: { bot_token: $ecret_value } }",
      {},
      "ecret_value",
      /an environment variable/,
    ],
    ["a malformed line", `platforms:\n  telegram:\n    bot_token: "${TOKEN}\n`, {}, "AAFake", /^line \d+, column \d+/],
    [
      "a secret that looks like an alias",
      `platforms: { telegram: { bot_token: *${"q".repeat(20)} } }`,
      {},
      "qqqq",
      /alias/,
    ],
    ["an unknown tag", "platforms: { telegram: { bot_token: !hidden-value x } }", {}, "hidden", /^line 1/],
    ["a token where a map belongs", `platforms:\n  telegram: ${TOKEN}\n`, {}, TOKEN, /^platforms\.telegram: /],
  ];
  test.each(cases)("%s", (_, text, env, secret, wanted) => {
    const problems = problemsOf(text, env);
    expect(problems).toEqual([expect.stringMatching(wanted)]);
    expect(new ConfigError(problems).message).not.toContain(secret);
    expect(new ConfigError(problems).message).not.toContain(secret.slice(0, 8));
  });

  test("an alias inside its own anchor, and aliases that multiply, are one sentence and no endless walk", () => {
    expect(problemsOf("http: &a\n  port: *a\n")).toEqual([expect.stringMatching(/\*alias/)]);
    const levels = Array.from({ length: 9 }, (_, n) => `k${n + 1}: &k${n + 1} [${`*k${n},`.repeat(9)}]\n`);
    expect(problemsOf(`k0: &k0 [x]\n${levels.join("")}`)).toEqual([expect.stringMatching(/\*alias/)]);
  });

  test.each(["30d", "999999999d", "61m"])("a grace that no timer can keep is refused: %s", (grace) => {
    expect(problemsOf(`shutdown_grace: ${grace}`)).toEqual([expect.stringMatching(/^shutdown_grace: .*at most 1h/)]);
  });

  test.each(["127.999.1.1", "127.0.0.256", "0.0.0.0", "::"])(
    "an address that is none of this machine's own: %s",
    (host) => {
      expect(problemsOf(`http: { host: "${host}" }`)).toEqual([
        expect.stringMatching(/^http\.host: expected 127\.0\.0\.1/),
      ]);
    },
  );

  test("a platform's own schema that quotes what it got is cut", () => {
    const chatty = {
      ...telegram,
      config: z.strictObject({
        bot_token: z.string().refine(() => false, { error: (issue) => `bad ${String(issue.input)}` }),
      }),
    };
    expect(() => parseConfig(undefined, { TELEGRAM_BOT_TOKEN: TOKEN }, [chatty])).toThrow(
      /bot_token \(from \$TELEGRAM_BOT_TOKEN\): bad \[redacted\]/,
    );
  });
});
