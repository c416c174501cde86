/** The page's own files: a closed list, read once, so that no path of a request ever reaches the disk. */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** By path as the browser asks for it: `/`, `/main.js`, … */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const folder = fileURLToPath(new URL("./page/", import.meta.url));
  return new Map(
    readdirSync(folder).flatMap((name) => {
      const type = TYPES[extname(name)];
      const path = name === "index.html" ? "/" : `/${name}`;
      return type ? [[path, { body: new Uint8Array(readFileSync(join(folder, name))), type }] as const] : [];
    }),
  );
}
