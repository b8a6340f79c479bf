// Search over everything: operations, errors, commands and the guide. A button of each page and Ctrl-K open it.

import { element, get } from "/pages/page.js";

const MOST_SHOWN = 20;
/** Characters of the text around the first word that was found. */
const SNIPPET = 140;
/** Kinds of results, the first ones on top among equals. */
const KINDS = ["page", "operation", "error", "command", "guide"];

let entries;
const input = element("input", { type: "search", autocomplete: "off", spellcheck: false, placeholder: "an operation, a field, an error, a task" });
const count = element("p", { className: "quiet" });
count.setAttribute("role", "status");
const results = element("ol", { className: "plain" });
const dialog = element("dialog", { className: "search", ariaLabel: "Search everything" }, element("label", {}, "Search everything ", input), count, results);

/** Points of words that are there as typed: more than words that are found one by one ever have. */
const PHRASE = 1000;

/** Returns how well an entry fits; 0 if a word is missing. A word of the title counts more than one of the text. */
function fit({ title, text }, words) {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  const phrase = words.join(" ");
  if (words.length > 1 && inTitle.includes(phrase)) return 2 * PHRASE;
  if (words.length > 1 && inText.includes(phrase)) return PHRASE;
  let sum = 0;
  for (const word of words) {
    const points = inTitle.includes(word) ? 10 : inText.includes(word) ? 1 : 0;
    if (!points) return 0;
    sum += points;
  }
  return sum;
}

function snippet(text, words) {
  const found = [words.join(" "), words[0]].map(part => text.toLowerCase().indexOf(part)).find(place => place >= 0) ?? 0;
  const start = Math.max(0, found - SNIPPET / 4);
  return `${start ? "… " : ""}${text.slice(start, start + SNIPPET).trim()}${start + SNIPPET < text.length ? " …" : ""}`;
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = words.length ? entries.map(entry => ({ entry, points: fit(entry, words) })).filter(({ points }) => points) : [];
  scored.sort((one, other) => other.points - one.points || KINDS.indexOf(one.entry.kind) - KINDS.indexOf(other.entry.kind));
  count.textContent = words.length ? `${scored.length} found` : "";
  results.replaceChildren(...scored.slice(0, MOST_SHOWN).map(({ entry: { kind, title, href, text } }) => element("li", {},
    element("a", { href, onclick: () => dialog.close() }, element("strong", { textContent: title }),
      element("small", { textContent: kind }), element("span", { className: "quiet", textContent: snippet(text, words) })))));
}

async function open() {
  if (dialog.open) return;
  dialog.showModal();
  input.select();
  entries ??= await get("/guide/search.json");
  show();
}

/** Moves the focus among field and results. */
function move(step) {
  const stops = [input, ...results.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement) + step;
  stops.at(Math.min(Math.max(at, 0), stops.length - 1)).focus();
}

dialog.onkeydown = event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) { event.preventDefault(); move(step); }
  // A field of searches would take the key to empty itself.
  if (event.key === "Escape") { event.preventDefault(); dialog.close(); }
  if (event.key === "Enter" && document.activeElement === input) results.querySelector("a")?.click();
};
// A click beside the dialog closes it.
dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
input.oninput = () => { if (entries) show(); };
document.addEventListener("keydown", event => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); open(); }
});
const button = element("button", { type: "button", className: "find", onclick: open }, "Search ", element("kbd", { textContent: "Ctrl K" }));
document.querySelector(".top>div").append(button);
document.body.append(dialog);
