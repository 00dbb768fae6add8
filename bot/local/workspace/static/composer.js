// The message field: Enter sends, and a list completes commands, their arguments, and names.
import { here, post } from "./wire.js";

const commands = JSON.parse(document.body.dataset.commands);
const people = JSON.parse(document.body.dataset.people);

export function startComposers() {
  for (const form of document.querySelectorAll(".composer")) new Composer(form);
}

// What could stand here, each with the whole text that it would make.
function candidates(text, inThread) {
  if (text.startsWith("/")) return inThread ? [] : text.includes(" ") ? argumentsOf(text) : named(text);
  const word = /(^|\s)@([\w.-]*)$/.exec(text);
  if (!word) return [];
  const start = text.length - word[2].length;
  return people.filter((name) => name.startsWith(word[2])).map((name) => ({ text: `${text.slice(0, start)}${name} `, label: `@${name}`, about: "" }));
}

function named(text) {
  return commands.filter((each) => each.command.startsWith(text))
    .map((each) => ({ text: `${each.command} `, label: `${each.command} ${each.hint}`, about: each.description }));
}

function argumentsOf(text) {
  const [command] = text.split(" ", 1);
  const known = commands.find((each) => each.command === command);
  const rest = text.slice(command.length + 1);
  return (known?.completions || []).filter((each) => each.startsWith(rest))
    .map((each) => ({ text: `${command} ${each}`, label: `${command} ${each}`, about: "" }));
}

class Composer {
  constructor(form) {
    this.form = form;
    this.field = form.querySelector("textarea");
    this.list = form.querySelector(".completions");
    this.shown = [];
    this.active = -1;
    this.field.addEventListener("input", () => { this.grow(); this.suggest(); });
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => this.hide());
    this.list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const item = event.target.closest("li");
      if (item) this.take(Number(item.dataset.index));
    });
    form.addEventListener("submit", (event) => { event.preventDefault(); this.send(); });
  }

  suggest() {
    const text = this.field.value;
    this.shown = text.includes("\n") ? [] : candidates(text, Boolean(this.form.dataset.thread)).slice(0, 12);
    const complete = this.shown.some((each) => each.text.trim() === text.trim()) || /^\/\S+ $/.test(text);
    this.active = complete ? -1 : 0;
    this.draw();
  }

  draw() {
    this.list.replaceChildren(...this.shown.map((each, index) => {
      const item = document.createElement("li");
      Object.assign(item, { id: `${this.list.id}-${index}`, role: "option" });
      item.dataset.index = index;
      item.setAttribute("aria-selected", String(index === this.active));
      const label = Object.assign(document.createElement("b"), { textContent: each.label });
      item.append(label, Object.assign(document.createElement("span"), { textContent: each.about }));
      return item;
    }));
    this.list.hidden = this.shown.length === 0;
    this.field.setAttribute("aria-expanded", String(!this.list.hidden));
    const selected = this.list.children[this.active];
    if (selected) {
      this.field.setAttribute("aria-activedescendant", selected.id);
      selected.scrollIntoView({ block: "nearest" });
    } else this.field.removeAttribute("aria-activedescendant");
  }

  hide() {
    this.shown = [];
    this.active = -1;
    this.draw();
  }

  key(event) {
    if (event.isComposing) return;
    const open = this.shown.length > 0;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      this.move(event.key === "ArrowDown" ? 1 : -1);
    } else if (open && event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      this.take(Math.max(this.active, 0));
    } else if (open && event.key === "Escape") {
      event.stopPropagation();
      this.hide();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (open && this.active >= 0) this.take(this.active);
      else this.send();
    }
  }

  move(step) {
    this.active = (this.active + step + this.shown.length) % this.shown.length;
    this.draw();
  }

  take(index) {
    this.field.value = this.shown[index].text;
    this.field.focus();
    this.grow();
    this.suggest();
  }

  grow() {
    this.field.rows = Math.min(this.field.value.split("\n").length, 6);
  }

  async send() {
    const text = this.field.value.trim();
    if (!text) return;
    this.field.value = "";
    this.hide();
    this.grow();
    const answer = await post("send", { channel: here.channel, thread: this.form.dataset.thread, text });
    if (["workspace_gone", "not_in_channel"].includes(answer.error) && !this.field.value) this.field.value = text;
  }
}
