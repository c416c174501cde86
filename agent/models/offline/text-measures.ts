/** What can be said of a text by counting and quoting. It is no summary, and says so. */
import { stem } from "./passages.ts";
import { counted } from "./wording.ts";

const words = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];

export function countWords(text: string): string {
  return `${counted(words(text).length, "word")} and ${counted(text.length, "character")}`;
}

/** A newline ends a line and begins none: `a\n` is one, as `wc -l` counts. */
const countLines = (text: string) => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);

export function describeText(name: string, text: string): string {
  const headings = [...text.matchAll(/^#{1,6}\s+(.+)$/gm)].map((match) => match[1] ?? "");
  const frequent = mostFrequent(text, 5);
  return [
    `**${name}** has ${countWords(text)} in ${counted(countLines(text), "line")}.`,
    headings.length > 0 && `Headings: ${headings.slice(0, 10).join("; ")}${headings.length > 10 ? "; …" : ""}.`,
    frequent.length > 0 && `Most frequent words: ${frequent.join(", ")}.`,
    opening(text) && `It begins: “${opening(text)}”`,
    "I count and quote; a summary needs a language model.",
  ]
    .filter(Boolean)
    .join("\n");
}

/** Words that occur at least twice, those without meaning of their own left out. */
function mostFrequent(text: string, most: number): readonly string[] {
  const counts = new Map<string, { word: string; count: number }>();
  for (const word of words(text.toLowerCase())) {
    const key = word.length > 3 ? stem(word) : null;
    if (key) counts.set(key, { word: counts.get(key)?.word ?? word, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const ranked = [...counts.values()].filter(({ count }) => count > 1).toSorted((a, b) => b.count - a.count);
  return ranked.slice(0, most).map(({ word, count }) => `${word} (${count})`);
}

/** The first line of running text, at most 200 characters. */
function opening(text: string): string {
  const line = text.split("\n").find((one) => /\w/.test(one) && !/^#{1,6}\s/.test(one)) ?? "";
  return line.trim().length > 200
    ? `${line
        .trim()
        .slice(0, 200)
        .replace(/\s+\S*$/, "")} …`
    : line.trim();
}
