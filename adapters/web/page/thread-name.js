/** What a thread is called. */

// The store keeps this much of the first message, so that a name of this length has been cut.
const MOST_CHARACTERS = 80;

/** One line that ends with a whole word, with "…" where it was cut. @param {string | undefined} words */
export function threadName(words) {
  const line = words?.trim().replace(/\s+/g, " ") ?? "";
  if ((words?.length ?? 0) < MOST_CHARACTERS) return line || "New thread";
  const cut = line.slice(0, MOST_CHARACTERS);
  const whole = cut.slice(0, Math.max(0, cut.lastIndexOf(" ")));
  // A single long word is cut within; half of a two-part character never stays.
  const kept = whole.length > MOST_CHARACTERS / 2 ? whole : cut.slice(0, -1).replace(/[\ud800-\udbff]$/, "");
  return `${kept.replace(/[\s.,;:…]+$/, "")}…`;
}
