// Modals that the app opens, and the question before a dangerous button.
import { keepTyped, readForm } from "./values.js";
import { notice, post } from "./wire.js";

const holder = document.getElementById("modal");
let cameFrom = null;

// With html: replaces the modal on screen (none for an empty string); without: shows the one that came with the page.
export function showModal(html) {
  const whereFocusIs = document.activeElement;
  const before = holder.querySelector("dialog");
  if (html !== undefined) {
    holder.innerHTML = html;
    const after = holder.querySelector("dialog");
    if (before && after && before.dataset.view === after.dataset.view) keepTyped(before, after);
  }
  const dialog = holder.querySelector("dialog");
  if (!before) cameFrom = whereFocusIs;
  if (!dialog) {
    if (cameFrom?.isConnected) cameFrom.focus();
    return;
  }
  dialog.addEventListener("cancel", (event) => { event.preventDefault(); close(dialog); });
  for (const button of dialog.querySelectorAll("[data-close]")) button.addEventListener("click", () => close(dialog));
  dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); submit(dialog); });
  dialog.showModal();
  const field = dialog.querySelector("[autofocus], .modal-body input, .modal-body textarea, .modal-body select, [type=submit]");
  field?.focus();
}

function close(dialog) {
  post("close", { view: dialog.dataset.view });
}

async function submit(dialog) {
  const form = dialog.querySelector("form");
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  const answer = await post("submit", { view: dialog.dataset.view, values: readForm(dialog) });
  form.removeAttribute("aria-busy");
  const errors = answer.response?.response_action === "errors" ? answer.response.errors : {};
  showErrors(dialog, errors);
  if (!answer.error) notice("");
}

function showErrors(dialog, errors) {
  for (const place of dialog.querySelectorAll("[data-error]")) {
    const words = errors[place.dataset.error] || "";
    place.textContent = words;
    place.hidden = !words;
    const control = place.parentElement.querySelector("input, textarea, select");
    if (words) control?.setAttribute("aria-invalid", "true");
    else control?.removeAttribute("aria-invalid");
  }
  dialog.querySelector('[aria-invalid="true"]')?.focus();
}

// Resolves to true when the person agrees. Text only: nothing of the question is taken as HTML.
export function confirmed(question) {
  const dialog = document.createElement("dialog");
  const form = document.createElement("form");
  form.method = "dialog";
  const header = document.createElement("header");
  const title = Object.assign(document.createElement("h2"), { textContent: question.title.text, id: "confirm-title" });
  const text = Object.assign(document.createElement("p"), { textContent: unmarked(question.text.text), className: "confirm-text" });
  const footer = document.createElement("footer");
  const deny = button(question.deny.text, "button default", "no");
  const agree = button(question.confirm.text, question.style === "danger" ? "button danger solid" : "button primary", "yes");
  header.append(title);
  footer.append(deny, agree);
  form.append(header, text, footer);
  dialog.append(form);
  dialog.setAttribute("aria-labelledby", "confirm-title");
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue === "yes"); });
  });
}

const button = (text, className, value) => Object.assign(document.createElement("button"), { textContent: text, className, value });
const unmarked = (text) => text.replaceAll(/[*_`~]/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
