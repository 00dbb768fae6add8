// What changes arrives as pieces of HTML over server-sent events; after a pause the whole screen comes again.
import { showModal } from "./dialogs.js";
import { isAtBottom, toBottom } from "./shell.js";
import { here, post } from "./wire.js";

let source = null;

// A hidden tab lets go of its connection: browsers allow only six to one server.
export function startLive() {
  listen();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") {
      source?.close();
      source = null;
    } else {
      listen();
      markRead();
    }
  });
}

function listen() {
  if (source) return;
  const address = new URLSearchParams(location.search);
  address.set("revision", document.body.dataset.revision);
  source = new EventSource(`/live?${address}`);
  source.addEventListener("message", (event) => {
    const piece = JSON.parse(event.data);
    if (piece.kind !== "ready") document.body.dataset.revision = "outdated";
    document.body.dataset.live = "on";
    HANDLERS[piece.kind]?.(piece);
  });
  source.addEventListener("error", () => { document.body.dataset.live = "off"; });
}

const HANDLERS = {
  state(piece) {
    replaceLog("timeline", piece.timeline);
    replaceLog("thread", piece.thread);
    if (here.channel === "home") HANDLERS.home({ html: piece.home });
    if (shownView(piece.modal) !== shownView(document.getElementById("modal").innerHTML)) HANDLERS.view({ html: piece.modal });
  },
  message(piece) {
    const log = document.getElementById("timeline");
    if (!log) return;
    keepBottom(log, () => {
      const old = document.getElementById(`m-${piece.ts}`);
      if (old) return replaceMessage(old, piece.html);
      if (!log.querySelector(`[data-day="${day(piece.html)}"]`)) log.insertAdjacentHTML("beforeend", piece.day);
      log.insertAdjacentHTML("beforeend", piece.html);
    });
    markRead();
  },
  reply(piece) {
    const log = document.getElementById("thread");
    if (!log) return;
    keepBottom(log, () => {
      const old = document.getElementById(`t-${piece.ts}`);
      if (old) replaceMessage(old, piece.html);
      else log.insertAdjacentHTML("beforeend", piece.html);
      const count = log.querySelector(".reply-line span");
      if (count) count.textContent = piece.count;
    });
  },
  deleted(piece) {
    for (const prefix of ["m", "t"]) document.getElementById(`${prefix}-${piece.ts}`)?.remove();
  },
  unread(piece) {
    const entry = document.querySelector(`a[data-channel="${CSS.escape(piece.channel)}"]`);
    if (!entry) return;
    entry.classList.toggle("unread", piece.count > 0);
    const count = entry.querySelector(".unread-count");
    count.textContent = piece.count || "";
    count.hidden = !piece.count;
  },
  view(piece) { showModal(piece.html); },
  home(piece) {
    const home = document.getElementById("home");
    if (home) home.innerHTML = piece.html;
  },
};

const shownView = (html) => /data-view="([^"]+)" data-hash="([^"]+)"/.exec(html)?.[0] || "";
const day = (html) => /data-day="([^"]+)"/.exec(html)?.[1];

function replaceLog(id, html) {
  const log = document.getElementById(id);
  if (log && log.innerHTML !== html) keepBottom(log, () => { log.innerHTML = html; });
}

function replaceMessage(old, html) {
  const action = document.activeElement?.dataset?.action;
  const had = old.contains(document.activeElement);
  const open = [...old.querySelectorAll("details")].map((each) => each.open);
  old.outerHTML = html;
  const fresh = document.getElementById(old.id);
  fresh.querySelectorAll("details:not(.overflow)").forEach((each, index) => { if (index in open) each.open = open[index]; });
  if (had && action) fresh.querySelector(`[data-action="${CSS.escape(action)}"]`)?.focus();
}

function keepBottom(log, change) {
  const follow = isAtBottom(log);
  change();
  if (follow) toBottom(log);
}

function markRead() {
  if (document.visibilityState === "visible" && here.channel !== "home") post("read", { channel: here.channel });
}
