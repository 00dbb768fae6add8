// Around the messages: who acts, the theme, the drawer on narrow screens, menus that close.
const wide = matchMedia("(min-width: 721px)");

export function startShell() {
  document.getElementById("person").addEventListener("change", (event) => location.assign(event.target.value));
  document.querySelector("[data-theme-toggle]").addEventListener("click", switchTheme);
  for (const button of document.querySelectorAll("[data-drawer]")) {
    button.addEventListener("click", () => drawer(button.dataset.drawer === "open"));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    drawer(false);
    closeMenus(null);
  });
  document.addEventListener("click", (event) => {
    closeMenus(event.target.closest("details.overflow"));
    stayWhoYouAre(event);
  });
  toBottom(document.getElementById("timeline"));
  toBottom(document.getElementById("thread"));
  const anchored = location.hash && document.getElementById(location.hash.slice(1));
  if (anchored) anchored.scrollIntoView();
  if (wide.matches && !document.querySelector("dialog")) document.getElementById("reply")?.focus();
}

export function toBottom(log) {
  const scroller = log?.parentElement;
  if (scroller) scroller.scrollTop = scroller.scrollHeight;
}

export function isAtBottom(log) {
  const scroller = log.parentElement;
  return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
}

// A permalink opens here, as the same person.
function stayWhoYouAre(event) {
  const link = event.target.closest("a");
  if (!link || link.origin !== location.origin || !link.pathname.startsWith("/archives/")) return;
  event.preventDefault();
  const mine = new URLSearchParams(location.search);
  const address = new URL(link.href);
  for (const name of ["as", "theme"]) if (mine.has(name)) address.searchParams.set(name, mine.get(name));
  location.assign(address);
}

function switchTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark" ||
    (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const address = new URL(location.href);
  address.searchParams.set("theme", dark ? "light" : "dark");
  location.replace(address);
}

function drawer(open) {
  const opener = document.querySelector(".drawer-open");
  const was = document.body.classList.contains("drawer-is-open");
  document.body.classList.toggle("drawer-is-open", open);
  opener?.setAttribute("aria-expanded", String(open));
  if (open) document.querySelector(".drawer-close").focus();
  else if (was) opener?.focus();
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.overflow[open]")) {
    if (menu !== except) menu.open = false;
  }
}
