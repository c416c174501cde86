/** The sign of a question, drawn in one calm line; one that is not known stays as it came. */

const PATHS = /** @type {Record<string, string>} */ ({
  "❓": "M7.5 7.8a2.5 2.5 0 1 1 3.6 2.2c-.7.4-1.1.9-1.1 1.7M10 14.3v.1M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16",
  "🤔": "M3 5h14v9H9l-4 3v-3H3zM7 9.5v.1M10 9.5v.1M13 9.5v.1",
  "🔀": "M3 6h3c5 0 4 8 9 8h2M3 14h3c1.6 0 2.6-.8 3.3-2M12 7.3c.8-.8 1.7-1.3 3-1.3h2M14.5 3.5 17 6l-2.5 2.5M14.5 11.5 17 14l-2.5 2.5",
  "⚠️": "M10 3 2.5 16.5h15zM10 8v4M10 14.3v.1",
  "💡": "M7.5 14.5h5M8.5 17.3h3M7.5 14.5c0-2-2.5-3-2.5-6.5a5 5 0 0 1 10 0c0 3.5-2.5 4.5-2.5 6.5",
});

/** @param {string} icon */
export function drawQuestionIcon(icon) {
  const holder = document.createElement("span");
  holder.className = "question-icon";
  holder.setAttribute("aria-hidden", "true");
  const path = PATHS[icon];
  if (path) holder.append(drawLine(path));
  else holder.textContent = icon;
  return holder;
}

/** @param {string} path */
function drawLine(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS(svg.namespaceURI, "path");
  svg.setAttribute("viewBox", "0 0 20 20");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
