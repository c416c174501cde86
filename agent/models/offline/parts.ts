/** A request in parts: lists and sentences part for certain, `and` and commas only where each side stands by itself. What
 *  is carried along (`masking.ts`) is never parted. */
import { mask } from "./masking.ts";

type Known = (text: string) => Promise<boolean>;

/** In the order written, none empty. `known`: the text is understood by itself. */
export async function partsOf(requests: readonly string[], known: Known): Promise<readonly string[]> {
  const parts: string[] = [];
  for (const { text, unmask } of requests.map(mask)) {
    const knownWhole = (piece: string) => known(unmask(piece));
    for (const piece of firmPieces(text)) parts.push(...(await softPieces(piece, knownWhole)).map(unmask));
  }
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

/** Parts that are all understood, else parts that look like requests of which some are, else the whole. */
async function softPieces(text: string, known: Known): Promise<readonly string[]> {
  const pieces = text.split(/(,? and |, |; )/i);
  if (pieces.length < 3 || pieces.length >= 40) return [text];
  const strict = await joined(pieces, async (before, piece) => (await known(piece)) && (await known(before)));
  if (strict.length > 1 && (await Promise.all(strict.map(known))).every(Boolean)) return strict;
  if (await known(text)) return [text];
  return joined(
    pieces,
    async (before, piece) => REQUEST.test(piece) && ((await known(before)) || (await known(piece))),
  );
}

/** How a request of its own begins. Without it, `calculate 3 + 4 and a bit more` would part. */
const REQUEST =
  /^(?:(?:please|then|also|can you|could you) )*(?:what|where|when|who|whose|how|which|why|is|are|does|do|did|calculate|compute|convert|search|find|summari[sz]e|describe|compare|count|make|create|write|save|translate|explain|tell|give|show|draft|book|play|remind|set|send|draw)\b/i;

type Parts = (before: string, piece: string) => Promise<boolean>;

/** `search for salt and pepper and calculate 2 + 2`: pieces that do not part stay with what is before them. */
async function joined(pieces: readonly string[], partsHere: Parts): Promise<readonly string[]> {
  const parts = [pieces[0] ?? ""];
  for (let at = 1; at + 1 < pieces.length; at += 2) {
    const [joint = "", piece = ""] = [pieces[at], pieces[at + 1]];
    const last = parts.length - 1;
    if (piece.trim().includes(" ") && (await partsHere(parts[last] ?? "", piece))) parts.push(piece);
    else parts[last] += joint + piece;
  }
  return parts;
}
