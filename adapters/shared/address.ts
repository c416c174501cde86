/**
 * Undefined: it is no address. Not `URL.canParse`: in Node 20 that is wrong about letters such as ü as soon as it was called
 * some thousand times.
 */
export function readAddress(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
