/** Takes a token out of a text, as it is and URL-encoded. An empty one stands nowhere. */
export function withoutToken(text: string, token: string): string {
  if (token === "") return text;
  return text.replaceAll(token, "[token]").replaceAll(encodeURIComponent(token), "[token]");
}
