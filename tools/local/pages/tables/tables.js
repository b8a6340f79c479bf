// Browser of the tables: their names and counts, and their items page by page, with the kind of each item. The address names what is shown.

import { byId, element, follow, get } from "/pages/page.js";
import { codeBox } from "/pages/request.js";

const names = byId("table-names");
const form = byId("find");
const items = byId("items");
const more = byId("more");
let tables = [];
let shown = { table: null, partition: null, sort: null, kind: null, next: null };
/** Kinds on which the tables open: what each is named after. The others open on any kind. */
const OPENS = { users: "user", "api-keys": "API key, by its digest", businesses: "business", categories: "category", reviews: "review" };
/** Starts of the keys of what a table is named after. What is typed without a start is an id. */
const STARTS = { users: "USER#", categories: "CATEGORY#", reviews: "R#", audit: "USER#" };
/** Ids of organisations, which are beside the businesses, and keys that are whole words. */
const NUMBER = /^\d{1,16}$/, WORD = /^[A-Z_]+$/;
/** Number of the newest question: answers to older ones are dropped. */
let turn = 0;

async function showTables() {
  tables = await get("/home/tables.json");
  names.replaceChildren(...tables.map(({ name, items: count }) => {
    const button = element("button", { type: "button", textContent: `${name} ${count === null ? "" : count.toLocaleString("en")}` });
    button.dataset.table = name;
    button.setAttribute("aria-pressed", String(name === shown.table));
    button.onclick = () => open(name);
    return button;
  }));
}

/** Shows what a table is named after. */
function open(table) {
  form.elements.partition.value = form.elements.sort.value = "";
  return show(table, null, null, OPENS[table] ?? null);
}

/** Shows the items of a table, all or of a kind; the items of a partition, or one item. */
async function show(table, partition, sort, kind) {
  shown = { table, partition, sort, kind, next: null };
  for (const button of names.children) button.setAttribute("aria-pressed", String(button.dataset.table === table));
  const key = tables.find(({ name }) => name === table);
  byId("partition-label").textContent = `Partition key (${key.partition})`;
  byId("sort-label").textContent = `Sort key (${key.sort})`;
  byId("sort").hidden = key.sort === null;
  form.elements.kind.replaceChildren(new Option("any", ""), ...key.kinds.map(name => new Option(name)));
  form.elements.kind.value = kind ?? "";
  const named = Object.entries({ table, partition, sort, kind }).filter(([, value]) => value !== null);
  history.replaceState(null, "", `?${new URLSearchParams(named)}`);
  items.replaceChildren();
  await read();
}

async function read() {
  const own = ++turn;
  const { table, partition, sort, kind, next } = shown;
  const key = [kind, partition, sort].filter(part => part !== null).map(part => `, ${part}`).join("");
  const query = new URLSearchParams();
  if (partition !== null) query.set("partition", partition);
  if (sort !== null) query.set("sort", sort);
  if (kind !== null) query.set("kind", kind);
  if (next) { query.set("after_partition", next.partition); query.set("after_sort", next.sort); }
  more.hidden = true;
  try {
    const page = await get(`/home/tables/${table}?${query}`);
    if (own !== turn) return;
    items.append(...page.items.map(row));
    shown.next = page.next;
    more.hidden = page.next === null;
    const count = items.childElementCount;
    byId("table-state").textContent = `${table}${key}: ${count} shown${page.next ? "" : ", that is all"}.`;
  } catch (error) {
    if (own === turn) byId("table-state").textContent = `The table could not be read: ${error.message}`;
  }
}

function row({ partition, sort, kind, item }) {
  const title = element("strong", { textContent: kind ?? "item of an unknown kind" });
  const key = element("code", { textContent: sort ? `${partition} · ${sort}` : partition });
  const inside = element("div", { className: "inside" });
  const details = element("details", {}, element("summary", {}, title, " ", key), inside);
  details.ontoggle = () => {
    if (details.open && inside.childElementCount === 0) inside.append(codeBox(`Item: ${partition}`, item));
  };
  return element("li", { className: "item" }, details);
}

/** Returns the partition key that is meant: `1003` among the users is `USER#1003`. */
function meant(text) {
  const start = shown.table === "businesses" ? (NUMBER.test(text) ? "ORG#" : "BUSINESS#") : STARTS[shown.table];
  return !text || !start || text.includes("#") || WORD.test(text) ? text : start + text;
}

form.onsubmit = event => {
  event.preventDefault();
  const typed = name => form.elements[name].value.trim() || null;
  show(shown.table, meant(typed("partition")), byId("sort").hidden ? null : typed("sort"), null);
};
form.elements.kind.onchange = () => {
  form.elements.partition.value = form.elements.sort.value = "";
  show(shown.table, null, null, form.elements.kind.value || null);
};
form.onreset = () => show(shown.table, null, null, null);
more.onclick = read;

follow("stack");
await showTables();
const address = new URLSearchParams(location.search);
const { name } = tables.find(({ name }) => name === address.get("table")) ?? tables[0];
if (["partition", "kind"].some(part => address.has(part))) {
  for (const part of ["partition", "sort"]) form.elements[part].value = address.get(part) ?? "";
  await show(name, ...["partition", "sort", "kind"].map(part => address.get(part)));
} else {
  await open(name);
}
