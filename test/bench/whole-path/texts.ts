/** What is said in a turn: the person 200 characters, the tool 2 KB, the answer 500, as everywhere in this benchmark. */

const WORDS = "the shelf of the third room holds paper ink string and a lamp that nobody lit for years ";
const text = (length: number): string => WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length);

/** What the tool gives; its beginning is how the model sees that it was given. */
export const RESULT = text(2048);
export const RESULT_BEGINS = RESULT.slice(0, 40);

/** A turn's name, which the answer repeats: `k0000042`. No character of it needs to be escaped anywhere. */
export type Mark = `k${string}`;
export const markOf = (count: number): Mark => `k${String(count).padStart(7, "0")}`;
export const findMark = (given: string): string | undefined => /\bk\d{7}\b/.exec(given)?.[0];

export const question = (mark: Mark): string => `${mark} ${text(200 - mark.length - 1)}`;
export const answer = (mark: string): string => `${mark} ${text(500 - mark.length - 1)}`;
/** Of earlier turns. */
export const SEEDED = { question: text(200), answer: text(500), result: RESULT } as const;
