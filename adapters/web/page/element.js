/** The one way in which this page makes elements. */

/** @typedef {string | number | boolean | undefined | null | ((event: any) => void)} Prop */

/**
 * @param {string} tag
 * @param {Record<string, Prop>} [props] Attributes; `on<Event>` functions are listeners, `false` and undefined leave
 *   an attribute out, `text` is text and `html` is HTML that the server made safe.
 * @param {...(Node | string | false | undefined | null)} children
 * @returns {HTMLElement}
 */
export function element(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) set(node, name, value);
  node.append(...children.filter((child) => child instanceof Node || typeof child === "string"));
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {string} name
 * @param {Prop} value
 */
function set(node, name, value) {
  if (value === undefined || value === false || value === null) return;
  if (typeof value === "function")
    node.addEventListener(name.slice(2).toLowerCase(), /** @type {EventListener} */ (value));
  else if (name === "text") node.textContent = String(value);
  else if (name === "html") node.innerHTML = String(value);
  else node.setAttribute(name, value === true ? "" : String(value));
}

/**
 * The element of the page's own HTML with this id.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`Expected #${id} in index.html to be a ${kind.name}, got ${found?.nodeName ?? "nothing"}.`);
}
