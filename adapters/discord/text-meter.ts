/** How many units a text takes in Discord's markdown, unit by unit; its marks are not counted here. */

/** As `escapeText`, inside backticks, or inside a fence. */
export type Writing = "escaped" | "code" | "pre";
/** Takes the next units of one span: what they take, including what is written between them. */
export type TextMeter = (text: string, start: number, end: number) => number;

export function meterText(writing: Writing, quoted: boolean): TextMeter {
  const extra = writing === "escaped" ? escapes() : writing === "code" ? codeTicks() : fenceTicks();
  return (text, start, end) => {
    let units = end - start;
    for (let at = start; at < end; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === NEWLINE && quoted) units += "> ".length;
      units += extra(unit);
    }
    return units;
  };
}

type Extra = (unit: number) => number;

const NEWLINE = 0x0a;
const TICK = 0x60;
const COLON = 0x3a;
const SLASH = 0x2f;

/** By code, as each unit of a text is looked up. */
function codes(characters: string): Uint8Array {
  const table = new Uint8Array(0x80);
  for (const one of characters) table[one.charCodeAt(0)] = 1;
  return table;
}
/** Escaped wherever they are, or where nobody can tell before the rest of the text is known. */
const ALWAYS = codes("\\*_~`|<>[:@");
const AT_LINE_START = codes("#+-");
const AFTER_NUMBER = codes(".)");

/** One backslash for each escape, two brackets around each address. */
function escapes(): Extra {
  let line: "blank" | "number" | "text" = "blank";
  let last = 0;
  return (unit) => {
    const isAddress = unit === SLASH && last === COLON;
    last = unit;
    const before = line;
    line = lineAfter(line, unit);
    if (ALWAYS[unit] === 1) return 1;
    if (before === "blank" && AT_LINE_START[unit] === 1) return 1;
    if (before === "number" && AFTER_NUMBER[unit] === 1) return 1;
    return isAddress ? "<>".length : 0;
  };
}

function lineAfter(line: "blank" | "number" | "text", unit: number): "blank" | "number" | "text" {
  if (unit === NEWLINE || unit === 0x0d || unit === 0x2028 || unit === 0x2029) return "blank";
  if (line === "text") return "text";
  if (unit >= 0x30 && unit <= 0x39) return "number";
  return line === "blank" && /\s/.test(String.fromCharCode(unit)) ? "blank" : "text";
}

const LONGER = "``  ``".length - "``".length;

/** A backtick makes the delimiters longer, and two of them are torn. */
function codeTicks(): Extra {
  let [seen, last] = [false, 0];
  return (unit) => {
    const longer = unit === TICK && !seen ? LONGER : 0;
    const torn = unit === TICK && last === TICK ? 1 : 0;
    seen ||= unit === TICK;
    last = unit;
    return longer + torn;
  };
}

/** Each two backticks are torn. */
function fenceTicks(): Extra {
  let ticks = 0;
  return (unit) => {
    ticks = unit === TICK ? ticks + 1 : 0;
    return ticks > 0 && ticks % 2 === 0 ? 1 : 0;
  };
}
