/** A request in parts: lists and sentences part for certain, `and` and commas only where each side stands by itself. */

type Known = (text: string) => Promise<boolean>;

/** In the order written, none empty. `known`: the text is understood by itself. */
export async function partsOf(requests: readonly string[], known: Known): Promise<readonly string[]> {
  const parts: string[] = [];
  for (const piece of requests.flatMap(firmPieces)) parts.push(...(await softPieces(piece, known)));
  return parts;
}

const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;

/** Items of a list (their lead-in dropped), else sentences. One that ends in a colon keeps what follows. */
function firmPieces(request: string): string[] {
  const lines = request.split("\n").filter((line) => line.trim() !== "");
  const items = lines.filter((line) => ITEM.test(line));
  if (items.length > 1 && !/\b(?:list|table|file|checklist)\b[^\n]*:\s*$/i.test(lines[0] ?? "")) {
    const rest = lines.filter((line) => !ITEM.test(line) && !/:\s*$/.test(line));
    return [...rest.flatMap(sentences), ...items.map((line) => line.replace(ITEM, "").trim())];
  }
  return items.length > 0 || /:\s*$/m.test(request) ? [request.trim()] : lines.flatMap(sentences);
}

function sentences(text: string): string[] {
  const pieces = text.split(
    /(?<=[?!])\s+|(?<=[a-z)"”\d]{2}\.)\s+(?=[A-Z\d])|,? (?:and )?then,? (?=\w)|[,;] (?:and )?also,? (?=\w)/i,
  );
  return pieces
    .map((piece) => piece.trim().replace(/^(?:(?:and|then|also|finally),? )+/i, ""))
    .filter((piece) => /[\p{L}\p{N}?]/u.test(piece));
}

/** `search for salt and pepper and calculate 2 + 2`: pieces that do not stand alone stay with what is before them. */
async function softPieces(text: string, known: Known): Promise<string[]> {
  const pieces = text.split(/(,? and |, |; )/i);
  const parts = [pieces[0] ?? ""];
  for (let at = 1; at + 1 < pieces.length && pieces.length < 40; at += 2) {
    const [joint = "", piece = ""] = [pieces[at], pieces[at + 1]];
    const last = parts.length - 1;
    if (piece.trim().includes(" ") && (await known(piece)) && (await known(parts[last] ?? ""))) parts.push(piece);
    else parts[last] += joint + piece;
  }
  const whole = parts.length < 2 || pieces.length >= 40 || !(await every(parts, known));
  return whole ? [text] : parts;
}

async function every(parts: readonly string[], known: Known): Promise<boolean> {
  return (await Promise.all(parts.map(known))).every(Boolean);
}
