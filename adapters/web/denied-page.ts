/** The small pages for who is not in yet or is lost. They hold their own style: the page's files are behind the door. */
import { createHash } from "node:crypto";
import { safeHeaders } from "./headers.ts";

const STYLE = `
:root { color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; }
main { max-width: 32rem; padding: 2rem; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; opacity: .8; }
a { color: LinkText; }
`;
const STYLE_SOURCE = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/** No cookie: where the link is. A visit that began on another site comes without it and is tried once more. */
export const askForLink = (followedFromElsewhere: boolean) =>
  page(
    401,
    "This page needs its link",
    "Threadline printed a link with a key when it started. Open the newest one, and this browser is remembered.",
    followedFromElsewhere ? `<meta http-equiv="refresh" content="0;url=/">` : "",
  );

/** The link was used before, or is of an earlier start. */
export const linkIsSpent = () =>
  page(
    403,
    "This link no longer opens",
    "Each link opens once, and each start of Threadline prints a new one. Open the newest printed link, or restart Threadline to get another.",
  );

/** An address that a person typed or followed and that leads nowhere. */
export const nothingHere = () =>
  page(404, "There is nothing at this address", "Threads open from the list on Threadline's page.", "", "To the start");

/** `text` holds no outside words. */
function page(status: number, title: string, text: string, head = "", way = "Try again"): Response {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Threadline</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${head}<style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${text}</p><p><a href="/">${way}</a></p></main></body></html>`;
  return new Response(html, {
    status,
    headers: { ...safeHeaders(STYLE_SOURCE), "content-type": "text/html; charset=utf-8" },
  });
}
