// Buttons, menus and pickers in messages, modals and the Home tab.
import { confirmed } from "./dialogs.js";
import { readControl, readForm } from "./values.js";
import { here, notice, post } from "./wire.js";

export function startActions() {
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest('[data-act="press"]');
    if (pressed) press(pressed, pressed.dataset.value ?? null);
  });
  document.addEventListener("change", (event) => {
    const wrapper = event.target.closest('[data-act="change"]');
    if (wrapper) press(wrapper, readControl(wrapper));
  });
  document.addEventListener("keydown", moveInMenu);
}

async function press(element, value) {
  if (element.getAttribute("aria-busy") === "true") return;
  if (element.dataset.confirm && !(await confirmed(JSON.parse(element.dataset.confirm)))) return;
  element.setAttribute("aria-busy", "true");
  element.closest("details.overflow")?.removeAttribute("open");
  const { block, action } = element.dataset;
  const answer = await post("press", { block, action, value, ...place(element) });
  element.removeAttribute("aria-busy");
  if (!answer.error) notice("");
}

function place(element) {
  const view = element.closest("[data-view]");
  if (view) return { view: view.dataset.view, values: readForm(view) };
  return { ts: element.closest("[data-ts]").dataset.ts, channel: here.channel };
}

function moveInMenu(event) {
  const menu = event.target.closest?.("details.overflow");
  if (!menu || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
  event.preventDefault();
  menu.open = true;
  const items = [...menu.querySelectorAll('[role="menuitem"]')];
  const step = event.key === "ArrowDown" ? 1 : -1;
  items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
}
