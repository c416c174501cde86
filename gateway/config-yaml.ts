/**
 * YAML 1.2 text → plain values. A mistake is told by its place and by a sentence of ours: the library's own messages
 * quote the text, and that may be a secret.
 */
import { LineCounter, parseDocument, type YAMLError } from "yaml";

const SENTENCES: Partial<Record<YAMLError["code"], string>> = {
  BAD_INDENT: "expected the lines of one map to begin in the same column; fix the indentation",
  TAB_AS_INDENT: "expected spaces for indentation, got a tab; use two spaces",
  DUPLICATE_KEY: "expected every key once, got the same key again; keep one of the two",
  MISSING_CHAR: 'expected a closing quote, bracket or ":"; check what is left open here',
  BLOCK_AS_IMPLICIT_KEY:
    'expected one "key: value" a line; check the quotes and the indentation, also of the line above',
  MULTIPLE_DOCS: 'expected one document, got a second one after "---"; keep one',
  BAD_SCALAR_START: 'expected a plain value, got one that begins with a reserved character; put it in "quotes"',
};
const FALLBACK = 'expected "key: value" lines; check indentation, quotes and brackets here';

const ALIAS =
  'expected every *alias to stand below its &anchor, not inside it, and few of them; put a value that begins with "*" in "quotes"';

export type YamlResult =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "malformed"; readonly problems: readonly string[] };

/** Never throws. No text is an empty configuration; each problem names line and column and no value. */
export function readYaml(text: string): YamlResult {
  const lines = new LineCounter();
  // prettyErrors would put the source line into the message.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: "1.2" });
  const errors = [...document.errors, ...document.warnings];
  if (errors.length > 0) {
    return { type: "malformed", problems: errors.map((error) => `${placeOf(error, lines)}: ${sentence(error)}`) };
  }
  try {
    const value: unknown = document.toJS() ?? {};
    // An alias inside its own anchor is a value without an end: JSON refuses it, here and nowhere later.
    JSON.stringify(value);
    return { type: "value", value };
  } catch {
    // The library's message names the alias, and a secret that begins with `*` looks like one.
    return { type: "malformed", problems: [ALIAS] };
  }
}

const sentence = (error: YAMLError): string => SENTENCES[error.code] ?? FALLBACK;

function placeOf(error: YAMLError, lines: LineCounter): string {
  const { line, col } = lines.linePos(error.pos[0]);
  return `line ${line}, column ${col}`;
}
