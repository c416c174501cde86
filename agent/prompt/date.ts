/** The last layer: today, where the person is. */

/** Made once for each time zone: making one takes half a millisecond, at every call of a model. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** `YYYY-MM-DD, Weekday` in an IANA time zone; throws a RangeError when there is no such zone. */
export function dateLayer(at: number, timezone: string): string {
  const parts = formatOf(timezone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? "";
  return `<current_date>${part("year")}-${part("month")}-${part("day")}, ${part("weekday")} (${timezone})</current_date>`;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    weekday: "long",
  });
  formats.set(timeZone, format);
  return format;
}
