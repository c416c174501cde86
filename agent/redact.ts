/** Takes secrets out of what a provider's client says, before it reaches a log. */

const SECRETS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [redacted]"],
  [/\b(sk|pk|xox[a-z]|ghp|key)-[\w-]{6,}/gi, "$1-[redacted]"],
  [/(\/\/)[^/\s:@]+:[^/\s@]+@/g, "$1[redacted]@"],
  [/([?&](?:api[-_]?key|key|token|access_token)=)[^&\s"']+/gi, "$1[redacted]"],
];

/** `secrets` are known values (configured keys) that must not appear whatever surrounds them. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((one) => one.length > 3).reduce((out, one) => out.replaceAll(one, "[redacted]"), text);
  return SECRETS.reduce((out, [pattern, replacement]) => out.replace(pattern, replacement), known);
}
