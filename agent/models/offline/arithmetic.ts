/** Arithmetic in words and signs, by mathjs, loaded at the first expression. Numbers and a few functions: no variables,
 *  no lists, no assignments, so that nothing can be defined, reached or made to run long. */
import type { ConstantNode, FunctionNode, MathNode, OperatorNode, SymbolNode } from "mathjs";

export const LONGEST_EXPRESSION = 200;
const CONSTANTS = new Set(["pi", "e"]);
const FUNCTIONS = new Set(
  "sqrt cbrt abs round floor ceil min max mean median sum log log10 log2 exp sin cos tan asin acos atan gcd lcm".split(
    " ",
  ),
);
const OPERATORS = new Set([
  "add",
  "subtract",
  "multiply",
  "divide",
  "pow",
  "mod",
  "unaryMinus",
  "unaryPlus",
  "factorial",
]);

/** `what is 17 times 23?` → `17 * 23`. Text that is none stays as it is. */
export function toExpression(text: string): string {
  let expression = text
    .toLowerCase()
    .replace(
      /^(?:please |can you |could you |and )*(?:calculate|compute|evaluate|work out|solve|what(?:'s|’s| is| are)|how much is|how much are)\s+/,
      "",
    )
    .replace(/^(?:the )?(?:result|value|answer|sum) of\s+/, "")
    .replace(/[\s?=.!]+$/, "")
    .replace(/^what (.*\d.*) (?:is|are|equals|makes?)$/, "$1")
    .replace(/^add (\S+) (?:and|to) (\S+)$/, "$1 + $2")
    .replace(/^multiply (\S+) (?:by|and|with) (\S+)$/, "$1 * $2")
    .replace(/^divide (\S+) by (\S+)$/, "$1 / $2")
    .replace(/^subtract (\S+) from (\S+)$/, "$2 - $1")
    .replaceAll(/(\d),(?=\d{3}(?!\d))/g, "$1");
  for (const [pattern, sign] of WORDS) expression = expression.replaceAll(pattern, sign);
  return expression.replaceAll(/\s+/g, " ").trim();
}

const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const WORDS: readonly (readonly [RegExp, string])[] = [
  ...NUMBER_WORDS.map((word, value) => [new RegExp(`\\b${word}\\b`, "g"), String(value)] as const),
  [/\bhalf of\b/g, "0.5 *"],
  [/[×✕·]|\bmultiplied by\b|\btimes\b|(?<=\d)\s*x\s*(?=\d)/g, "*"],
  [/[÷]|\bdivided by\b/g, "/"],
  [/[−–]|\bminus\b/g, "-"],
  [/\bplus\b/g, "+"],
  [/\bto the power of\b|\*\*/g, "^"],
  [/\bsquared\b|²/g, "^2"],
  [/\bcubed\b|³/g, "^3"],
  [/(?:\bthe )?\bsquare root of\b|√/g, "sqrt "],
  [/\bsqrt\s+(\d+(?:\.\d+)?)/g, "sqrt($1)"],
  [/\s*\b(?:percent|per cent)\b/g, "%"],
  [/(\d+(?:\.\d+)?)\s*%\s*off(?: of)?\s*(\d+(?:\.\d+)?)/g, "$2 - $1%"],
  [/%\s*of\b/g, "% *"],
];

/** The result, echoing what was understood: `17 × 23 = 391`. Undefined when the text is no calculation. */
export async function calculate(expression: string): Promise<string | undefined> {
  if (expression.length > LONGEST_EXPRESSION || !looksLikeArithmetic(expression)) return undefined;
  const math = await arithmetic();
  try {
    const node = math.parse(expression);
    if (!isPlain(node) || !hasOperation(node)) return undefined;
    if (dividesByZero(node)) return "Nothing can be divided by zero.";
    const value: unknown = node.evaluate();
    return typeof value === "number" ? `${pretty(expression)} ${shown(value)}` : undefined;
  } catch {
    return undefined; // not an expression: mathjs says so by throwing
  }
}

/** Has a digit or a constant, and is no date: `2026-12-25` is a day, not a subtraction. */
function looksLikeArithmetic(text: string): boolean {
  return /\d|\bpi\b/.test(text) && !/^\d{4}-\d\d?-\d\d?$|^\d\d?[./-]\d\d?[./-]\d{2,4}$/.test(text.trim());
}

const arithmetic = lazily(async () => {
  const { create, all } = await import("mathjs/number");
  const math = create({ ...all });
  const parse = math.parse.bind(math);
  const off = () => {
    throw new Error("Expected plain arithmetic");
  };
  const disabled = {
    import: off,
    createUnit: off,
    evaluate: off,
    parse: off,
    compile: off,
    parser: off,
    simplify: off,
    derivative: off,
    resolve: off,
  };
  math.import(disabled, { override: true });
  return { parse };
});

/** Only what is listed above, all the way down. */
function isPlain(node: MathNode): boolean {
  const children: MathNode[] = [];
  node.forEach((child) => children.push(child));
  if (is<ConstantNode>(node, "ConstantNode")) return typeof node.value === "number";
  if (is<SymbolNode>(node, "SymbolNode")) return CONSTANTS.has(node.name);
  if (is<OperatorNode>(node, "OperatorNode")) return OPERATORS.has(node.fn) && children.every(isPlain);
  if (is<FunctionNode>(node, "FunctionNode")) return FUNCTIONS.has(node.fn.name) && node.args.every(isPlain);
  return node.type === "ParenthesisNode" && children.every(isPlain);
}

/** A lone number is no calculation. */
function hasOperation(node: MathNode): boolean {
  return (
    node.type === "OperatorNode" ||
    node.type === "FunctionNode" ||
    node.type === "SymbolNode" ||
    hasOperationInside(node)
  );
}
function hasOperationInside(node: MathNode): boolean {
  return node.filter((inner) => inner.type === "OperatorNode" || inner.type === "FunctionNode").length > 0;
}

function dividesByZero(node: MathNode): boolean {
  const divisions = node.filter((inner) => is<OperatorNode>(inner, "OperatorNode") && inner.fn === "divide");
  return divisions.some((one) => is<OperatorNode>(one, "OperatorNode") && one.args[1]?.evaluate() === 0);
}

const is = <Node extends MathNode>(node: MathNode, type: Node["type"]): node is Node => node.type === type;

/** `17 * 23` → `17 × 23`, which `toExpression` reads back. */
export const pretty = (expression: string): string =>
  expression
    .replaceAll(/\s*\^\s*/g, "^")
    .replaceAll(/\s*\*\s*/g, " × ")
    .replaceAll(/\s*\/\s*/g, " ÷ ")
    .replaceAll(/\s*\+\s*/g, " + ")
    .replaceAll(/(?<=[\w)%]) ?- ?(?=[\w(])/g, " − ");

/** `= 391`; `≈ 0.333333` when digits were cut. */
const shown = (value: number): string => show(value, value);

/** As `shown`, but two decimals are enough: `≈ 37.78`. */
export const shownRoughly = (value: number): string =>
  show(value, Math.abs(value) < 1 ? value : Number(value.toFixed(2)));

function show(value: number, cut: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "has no result" : "is too large for me";
  const rounded = Number(value.toPrecision(12));
  const exact = Math.abs(value - rounded) <= Math.abs(value) * 1e-14 && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return exact ? `= ${rounded}` : `≈ ${sixDigits(cut)}`;
}

/** Six digits say enough, but the whole part of a number stays whole: 3333333, not 3333330. */
const sixDigits = (value: number) =>
  Math.abs(value) >= 1e6 && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : Number(value.toPrecision(6));

/** Runs once, at the first call. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
