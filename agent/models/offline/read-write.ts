/** `make a list of apples, pears and plums`, `save that as markdown`: what shall be written, never made up. */
import type { Content, Format, Job } from "./jobs.ts";

const WRITE =
  /^(?:please |can you |could you |would you )*(?:make|create|write|generate|produce|prepare|give|build|save|put|export)(?: me)?(?: down)? (?:an? |the )?(?:new |short |simple |shopping |packing |todo |to-do |text |plain |markdown |csv |\.?md |\.?txt )*(?:file|list|table|document|note|checklist|spreadsheet|csv|markdown)(?: file| document)?(?<rest>\b.*|:.*)?$/is;
const SAVE =
  /^(?:please |can you |could you )*(?:save|export|put|write) (?:that|this|it|the (?:last )?(?:answer|reply|result)|your (?:last )?(?:answer|reply))\b(?:(?: down)?(?: as| to| into| in)? ?[^:]{0,30})?$/i;
/** `save this list as a file: apples, pears`: what comes after the colon is meant, not the last answer. */
const GIVEN =
  /^(?:please |can you |could you )*(?:save|export|put|write) (?:down )?(?:this|these|the following)\b[^:\n]{0,60}(?<rest>:.+)$/is;

export function readWrite(text: string): Job | undefined {
  if (SAVE.test(text)) return job({ type: "last_reply" }, formatIn(text));
  const match = GIVEN.exec(text) ?? WRITE.exec(text);
  if (!match) return undefined;
  const rest = (match.groups?.["rest"] ?? "").trim();
  const rows = readRows(rest);
  const why =
    "I write down only what you give me: put the items after a colon, separated by commas, or connect a language model";
  return rows
    ? job({ type: "items", rows }, formatIn(text.slice(0, text.length - rest.length) + rest.split(":")[0]))
    : { type: "unknown", text, why };
}

function job(content: Content, format: Format | undefined): Job {
  return { type: "write", content, ...(format && { format }) };
}

export function formatIn(text: string): Format | undefined {
  if (/\bcsv\b|\bspreadsheet\b/i.test(text)) return "csv";
  if (/\bmarkdown\b|\bmd\b/i.test(text)) return "md";
  return /\btxt\b|\bplain text\b|\btext file\b/i.test(text) ? "txt" : undefined;
}

/** Rows are parted by `;` or lines and cells by commas; without them each item is a row. A sentence is no list: without
 *  a colon it takes three items. */
function readRows(rest: string): readonly (readonly string[])[] | undefined {
  const colon = rest.indexOf(":");
  const given = colon >= 0 ? rest.slice(colon + 1) : rest.replace(/^(?:of|with|from|containing)\s+/i, "");
  const lines = given
    .split(/[;\n]/)
    .map((line) => cells(line))
    .filter((row) => row.length > 0);
  const rows = lines.length > 1 ? lines : (lines[0] ?? []).map((item) => [item]);
  return rows.length >= (colon >= 0 ? 2 : 3) ? rows : undefined;
}

function cells(line: string): string[] {
  const parted = line.includes(",") ? line.replace(/,? and (?=[^,]*$)/i, ",") : line;
  return parted
    .split(/,| and (?!.*,)/i)
    .map((cell) => cell.trim().replace(/^[-*]\s+/, ""))
    .filter((cell) => cell !== "");
}
