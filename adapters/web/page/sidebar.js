/** On a narrow screen the list of threads is a drawer: the menu opens it; Escape, the shade or a choice closes it. */
import { byId } from "./element.js";

const menu = byId("menu", HTMLButtonElement);
const shade = byId("shade", HTMLDivElement);
const threads = byId("threads", HTMLElement);

/** @param {boolean} open */
function setOpen(open) {
  document.body.classList.toggle("list-open", open);
  menu.setAttribute("aria-expanded", String(open));
  shade.hidden = !open;
}

export const closeSidebar = () => setOpen(false);

export function startSidebar() {
  menu.addEventListener("click", () => {
    setOpen(menu.getAttribute("aria-expanded") !== "true");
    threads.querySelector("button")?.focus();
  });
  shade.addEventListener("click", closeSidebar);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || menu.getAttribute("aria-expanded") !== "true") return;
    closeSidebar();
    menu.focus();
  });
}
