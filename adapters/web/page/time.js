/** Times as people read them, in their own language's form. */

const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** `14:03` today, `3 Nov` before. @param {number} at */
export function shortTime(at) {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return (isToday ? clock : day).format(at);
}

/** @param {number} bytes */
export function readableSize(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
