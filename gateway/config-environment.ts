/**
 * `$NAME` as a whole value reads the environment; empty values count as not written. This file and detection of models
 * are the only ones that know environment variables.
 */
import { isSecretKey, secretDefect } from "./config-secrets.ts";
import { pathText } from "./config-problems.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that was asked for and is not set. */
export interface Missing {
  readonly path: readonly string[];
  readonly name: string;
}
export interface Resolved {
  /** The same tree with variables read, secrets trimmed and `null` turned into undefined. */
  readonly value: unknown;
  readonly missing: readonly Missing[];
  readonly problems: readonly string[];
  /** Every value that must not be shown. */
  readonly secrets: readonly string[];
  /** The variable that was read, by the key it stands for. */
  readonly names: ReadonlyMap<string, string>;
}

const REFERENCE = /^\$([A-Za-z_]\w*)$/;

/** Reads every `$NAME` of a tree of plain values. A variable that is set to nothing counts as missing. */
export function resolveVariables(tree: unknown, env: Environment): Resolved {
  const missing: Missing[] = [];
  const problems: string[] = [];
  const secrets: string[] = [];
  const names = new Map<string, string>();

  const text = (raw: string, path: readonly string[]): unknown => {
    const key = path.at(-1) ?? "";
    const name = REFERENCE.exec(raw)?.[1];
    const found = name === undefined ? raw : env[name]?.trim();
    if (name !== undefined && !found) {
      missing.push({ path, name });
      return undefined;
    }
    if (name !== undefined) names.set(pathText(path), name);
    const value = isSecretKey(key) ? (found ?? "").trim() : (found ?? "");
    if (name !== undefined || isSecretKey(key)) secrets.push(value);
    const defect = secretDefect(pathText(path), key, value);
    if (defect !== undefined) problems.push(`${origin(path, name)}: ${defect}`);
    return name === undefined || isSecretKey(key) ? value : plainScalar(value);
  };
  const walk = (node: unknown, path: readonly string[]): unknown => {
    if (node === null) return undefined;
    if (typeof node === "string") return text(node, path);
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, String(index)]));
    if (typeof node !== "object") return node;
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, walk(child, [...path, key])]));
  };

  return { value: walk(tree, []), missing, problems, secrets, names };
}

/** A variable's text means what YAML would read in its place, so that `port: $PORT` is a number. */
function plainScalar(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

const origin = (path: readonly string[], name: string | undefined): string =>
  name === undefined ? pathText(path) : `${pathText(path)} (from $${name})`;

/** A lower-case name may be a secret that begins with `$`: it is not repeated. */
export function missingSentence({ path, name }: Missing): string {
  const shown = /^[A-Z_][A-Z0-9_]*$/.test(name) ? `the environment variable ${name}` : "an environment variable";
  return `${pathText(path)}: expected ${shown} to be set, got none; set it, or write another value here`;
}
