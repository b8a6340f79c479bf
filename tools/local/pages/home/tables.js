// Browser of the tables: their names and counts, and their items page by page, with the kind of each item.

import { byId, element, get } from "../page.js";
import { json } from "./requests.js";

const names = byId("table-names");
const form = byId("find");
const items = byId("items");
const more = byId("more");
let tables = [];
let shown = { table: null, partition: null, sort: null, next: null };
/** Starts of the keys of what a table is named after. What is typed without a start is an id. */
const STARTS = { users: "USER#", categories: "CATEGORY#", reviews: "R#" };
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
    button.onclick = () => {
      form.elements.partition.value = form.elements.sort.value = "";
      show(name, null, null);
    };
    return button;
  }));
}

/** Shows the items of a table, of a partition, or one item. */
async function show(table, partition, sort) {
  shown = { table, partition, sort, next: null };
  for (const button of names.children) button.setAttribute("aria-pressed", String(button.dataset.table === table));
  const key = tables.find(({ name }) => name === table);
  byId("partition-label").textContent = `Partition key (${key.partition})`;
  byId("sort-label").textContent = `Sort key (${key.sort})`;
  byId("sort").hidden = key.sort === null;
  items.replaceChildren();
  await read();
}

async function read() {
  const own = ++turn;
  const { table, partition, sort, next } = shown;
  const key = [partition, sort].filter(part => part !== null).map(part => `, ${part}`).join("");
  const query = new URLSearchParams();
  if (partition !== null) query.set("partition", partition);
  if (sort !== null) query.set("sort", sort);
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
    if (details.open && inside.childElementCount === 0) inside.append(json(item, `Item: ${partition}`));
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
  show(shown.table, meant(typed("partition")), byId("sort").hidden ? null : typed("sort"));
};
form.onreset = () => show(shown.table, null, null);
more.onclick = read;

await showTables();
await show(tables[0].name, null, null);
