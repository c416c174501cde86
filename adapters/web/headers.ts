/** Headers that every answer of the page carries. */

/** `style`: one more style source, for a page that holds its style itself. */
export function safeHeaders(style = ""): Readonly<Record<string, string>> {
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' ${style}`.trim(),
      "img-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  };
}

/** Saved under its own name, never opened in place. RFC 6266: a plain name for old clients, the true one in UTF-8. */
export function asAttachment(name: string): Readonly<Record<string, string>> {
  const plain = name.replace(/[^\w. -]/g, "_");
  const exact = encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${plain}"; filename*=UTF-8''${exact}`,
  };
}
