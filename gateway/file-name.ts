/** A sender's file name as one that is safe in a folder of ours. */
import path from "node:path";

/** Names that mean a device on Windows, with or without an ending. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** Most file systems: a name is at most 255 bytes; room is left for ` (2)`. */
const MAX_BYTES = 200;

/** Never empty, hidden, a path or a device; at most 200 bytes; the ending is kept. */
export function safeFileName(label: string): string {
  const base = label.split(/[/\\]/).at(-1) ?? "";
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const clean = base.replace(/[\u0000-\u001f\u007f<>:"|?*]/g, "").replace(/^[.\s]+|[.\s]+$/g, "");
  const named = clean === "" ? "file" : DEVICES.test(clean) ? `file-${clean}` : clean;
  const { name, ext } = path.parse(named);
  return cutBytes(name, MAX_BYTES - Buffer.byteLength(ext.slice(0, 20))) + ext.slice(0, 20);
}

/** Whole characters only. */
function cutBytes(text: string, limit: number): string {
  let kept = "";
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    kept += character;
  }
  return kept;
}
