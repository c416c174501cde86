/** How a scope's pieces are numbered. A file of its own: who only sweeps rows up loads no messages. */
import type { Range } from "./ranges.ts";

/**
 * A piece is known by a number that counts up in its scope; its key in the table is scope × 2^26 + that number. So the rows
 * of a thread lie together in the file, and a list that only grew is one range, whatever other threads write meanwhile.
 * 33 million messages and as many values a scope, 134 million scopes: JavaScript counts the keys without loss.
 */
const KEYS_OF_SCOPE = 2 ** 26;
/** What a scope's numbers are added to. */
export const baseOf = (scope: number): number => scope * KEYS_OF_SCOPE;
export const NUMBERS: Range = [0, KEYS_OF_SCOPE - 1];
/** Messages have the lower half, so that no value comes between them. */
export const VALUES_FROM = KEYS_OF_SCOPE / 2;
