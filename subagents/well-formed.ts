/** A model's JSON can spell what no platform takes: halves of surrogate pairs, NUL, carriage returns. */
export const wellFormed = (text: string): string =>
  Buffer.from(text).toString().replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");
