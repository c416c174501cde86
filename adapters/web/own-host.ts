/** The page is for browsers on this machine that opened it under its own address. */

/**
 * Why a request is refused, or undefined when it may pass. A foreign `Host` is another site's name that points here
 * (DNS rebinding); a foreign `Origin` or `Sec-Fetch-Site` is another site's page that calls here. Following a link from
 * elsewhere is allowed: it changes nothing, and the cookie decides.
 */
export function refusal({ headers, method }: Request, own: string): string | undefined {
  const host = headers.get("host") ?? "";
  if (!ownHosts(own).includes(host)) return `Expected the host ${new URL(own).host}, got another. Open ${own} instead.`;
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) return "Requests from other origins are refused.";
  const site = headers.get("sec-fetch-site");
  const followed = method === "GET" && headers.get("sec-fetch-mode") === "navigate";
  if (site !== null && !["same-origin", "none"].includes(site) && !followed) {
    return "Requests from other sites are refused.";
  }
  return undefined;
}

/** Names that no other site can point here, all with our port. */
function ownHosts(own: string): readonly string[] {
  const { host, port } = new URL(own);
  const withPort = (name: string) => (port ? `${name}:${port}` : name);
  return [host, ...["127.0.0.1", "localhost", "[::1]"].map(withPort)];
}
