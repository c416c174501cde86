/** Units people write, and those whose name means two things. */
import { shownRoughly } from "./arithmetic.ts";

interface Unit {
  readonly name: string;
  readonly kind: "length" | "mass" | "volume" | "temperature" | "speed" | "duration" | "area" | "data";
  /** An amount is `(amount + offset) × factor` of the kind's base: m, kg, l, K, m/s, s, m², byte. */
  readonly factor: number;
  readonly offset: number;
  readonly words: readonly string[];
}
function unit(kind: Unit["kind"], name: string, factor: number, words: string, offset = 0): Unit {
  return { kind, name, factor, offset, words: [name.toLowerCase(), ...words.split("|")] };
}

/**
 * US and imperial factors are exact by definition: NIST Handbook 44, appendix C; UK Weights and Measures Act 1985.
 * Teaspoons, tablespoons and cups are the US ones.
 */
const UNITS: readonly Unit[] = [
  unit("temperature", "°C", 1, "c|celsius|degrees celsius|degree celsius|degc|centigrade|degrees c", 273.15),
  unit("temperature", "°F", 5 / 9, "f|fahrenheit|degrees fahrenheit|degree fahrenheit|degf|degrees f", 459.67),
  unit("temperature", "K", 1, "kelvin|kelvins"),
  unit("length", "km", 1000, "kilometer|kilometers|kilometre|kilometres|kms"),
  unit("length", "mi", 1609.344, "mile|miles"),
  unit("length", "m", 1, "meter|meters|metre|metres"),
  unit("length", "ft", 0.3048, "foot|feet"),
  unit("length", "cm", 0.01, "centimeter|centimeters|centimetre|centimetres"),
  unit("length", "in", 0.0254, "inch|inches"),
  unit("length", "mm", 0.001, "millimeter|millimeters|millimetre|millimetres"),
  unit("length", "yd", 0.9144, "yard|yards"),
  unit("mass", "kg", 1, "kilo|kilos|kilogram|kilograms"),
  unit("mass", "g", 0.001, "gram|grams"),
  unit("mass", "lb", 0.45359237, "lbs|pound|pounds"),
  unit("mass", "oz", 0.028349523125, "ounce|ounces"),
  unit("mass", "metric tonnes", 1000, "tonne|tonnes|t|metric tons|metric ton"),
  unit("mass", "US short tons", 907.18474, "short ton|short tons|us tons"),
  unit("volume", "l", 1, "liter|liters|litre|litres"),
  unit("volume", "ml", 0.001, "milliliter|milliliters|millilitre|millilitres"),
  unit("volume", "US gallons", 3.785411784, "us gallon"),
  unit("volume", "imperial gallons", 4.54609, "imperial gallon|uk gallon|uk gallons"),
  unit("volume", "US pints", 0.473176473, "us pint"),
  unit("volume", "imperial pints", 0.56826125, "imperial pint|uk pint|uk pints"),
  unit("volume", "US cups", 0.2365882365, "cup|cups|us cup"),
  unit("volume", "tablespoons", 0.01478676478125, "tablespoon|tbsp"),
  unit("volume", "teaspoons", 0.00492892159375, "teaspoon|tsp"),
  unit("speed", "km/h", 1 / 3.6, "kph|kmh|kilometers per hour|kilometres per hour"),
  unit("speed", "mph", 0.44704, "miles per hour"),
  unit("speed", "m/s", 1, "meters per second|metres per second"),
  unit("speed", "knots", 1852 / 3600, "knot"),
  unit("duration", "s", 1, "sec|second|seconds"),
  unit("duration", "min", 60, "minute|minutes|mins"),
  unit("duration", "h", 3600, "hour|hours|hr|hrs"),
  unit("duration", "days", 86_400, "day"),
  unit("duration", "weeks", 604_800, "week"),
  unit("area", "m²", 1, "m2|square meters|square metres|sqm"),
  unit("area", "sq ft", 0.09290304, "square feet|square foot|ft2"),
  unit("area", "ha", 10_000, "hectare|hectares"),
  unit("area", "acres", 4046.8564224, "acre"),
  unit("data", "MB", 1e6, "megabyte|megabytes"),
  unit("data", "GB", 1e9, "gigabyte|gigabytes"),
  unit("data", "TB", 1e12, "terabyte|terabytes"),
];

/** Words for two units of one kind: which one is meant changes the result. */
const TWOFOLD: readonly { readonly words: readonly string[]; readonly readings: readonly string[] }[] = [
  { words: ["degrees", "degree", "°", "deg"], readings: ["°C", "°F"] },
  { words: ["gallon", "gallons"], readings: ["US gallons", "imperial gallons"] },
  { words: ["pint", "pints"], readings: ["US pints", "imperial pints"] },
  { words: ["ton", "tons"], readings: ["metric tonnes", "US short tons"] },
];

const clean = (word: string) => word.trim().toLowerCase().replace(/\.$/, "").replaceAll(/\s+/g, " ");
const find = (word: string) => UNITS.find(({ words }) => words.includes(clean(word)));

/** The unit names a word can stand for: none, one, or several. */
export function readingsOf(word: string): readonly string[] {
  const twofold = TWOFOLD.find(({ words }) => words.includes(clean(word)));
  if (twofold) return twofold.readings;
  const found = find(word);
  return found ? [found.name] : [];
}

/** How people may call a unit. */
export const wordsFor = (name: string): readonly string[] => find(name)?.words ?? [];

/** Other units of the same kind, the nearest relatives first. */
export function relatives(name: string): readonly string[] {
  const found = find(name);
  return UNITS.filter(({ kind, name: other }) => kind === found?.kind && other !== name).map((one) => one.name);
}

/** Two words that can be read as units of one kind. */
export const convertible = (from: string, to: string): boolean =>
  readingsOf(from).some((name) => readingsOf(to).some((other) => relatives(name).includes(other)));

/** `5 mi = 8.04672 km`; undefined when the two are of different kinds or unknown. Both are names or words of one unit. */
export function convert(amount: number, from: string, to: string): string | undefined {
  const [source, target] = [find(from), find(to)];
  if (!source || !target || source.kind !== target.kind) return undefined;
  const value = shownRoughly(converted(amount, source, target));
  return `${amount} ${named(source, amount)} ${value} ${named(target, Number(value.slice(2)))}`;
}

const converted = (amount: number, source: Unit, target: Unit) =>
  ((amount + source.offset) * source.factor) / target.factor - target.offset;

/** Written-out names lose their `s` beside a one. */
const named = ({ name }: Unit, amount: number) => (Math.abs(amount) === 1 ? name.replace(/(?<=[a-z]{2})s$/, "") : name);
