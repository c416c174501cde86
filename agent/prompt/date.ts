/** The last layer: today, where the person is. */

/** `YYYY-MM-DD, Weekday` in an IANA time zone; throws a RangeError when there is no such zone. */
export function dateLayer(at: number, timezone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    weekday: "long",
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? "";
  return `<current_date>${part("year")}-${part("month")}-${part("day")}, ${part("weekday")} (${timezone})</current_date>`;
}
