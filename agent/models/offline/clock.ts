/** Time of day, in places that the time zone database knows by name. */

export function timeIn(zone: string, now: Date): string {
  const time = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" }).format(now);
  return `It is ${time} on ${dateIn(zone, now)} (${zone}).`;
}

/** `Monday, 30 November 2026` */
export function dateIn(zone: string, now: Date): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  return `${part["weekday"]}, ${part["day"]} ${part["month"]} ${part["year"]}`;
}

/** Names people use that are neither in the database nor a part of a name there. */
const ALSO = new Map([
  ["germany", "Europe/Berlin"],
  ["france", "Europe/Paris"],
  ["italy", "Europe/Rome"],
  ["mumbai", "Asia/Kolkata"],
  ["delhi", "Asia/Kolkata"],
  ["india", "Asia/Kolkata"],
  ["uk", "Europe/London"],
  ["england", "Europe/London"],
  ["china", "Asia/Shanghai"],
  ["nyc", "America/New_York"],
  ["california", "America/Los_Angeles"],
  ["san francisco", "America/Los_Angeles"],
]);

/** An IANA name, older spellings too, which the list of zones leaves out: `Asia/Kolkata`, `Japan`, `UTC`. */
export function isTimezone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false; // a RangeError is how Intl says no
  }
}

/** Zones a place can stand for: a city names one, a region (`Australia`, `Argentina`) several, most places none. */
export function zonesOf(place: string): readonly string[] {
  const wanted = place.trim().toLowerCase().replace(/^the /, "");
  const known = ALSO.get(wanted) ?? (isTimezone(place.trim()) ? place.trim() : undefined);
  if (known) return [known];
  const zones = Intl.supportedValuesOf("timeZone");
  const parts = (zone: string) => zone.toLowerCase().replaceAll("_", " ").split("/");
  const cities = zones.filter((zone) => parts(zone).at(-1) === wanted);
  return cities.length > 0 ? cities : zones.filter((zone) => parts(zone).includes(wanted));
}
