// Page of the events: asks for those that it lacks when the stack tells of some, and shows those that the filters choose.

import { byId, element, follow } from "../page.js";

const MOST_SHOWN = 200;
/** As many as the stack keeps. */
const MOST_KEPT = 1_000;
const rows = new Map();
const row = event => {
  if (!rows.has(event.id)) {
    const {id, user_id} = event.detail;
    const head = [element("strong", {textContent: event["detail-type"]}), `${id ?? user_id} · ${event.time}`];
    const detail = element("pre", {textContent: JSON.stringify(event, null, 2), tabIndex: 0});
    rows.set(event.id, element("li", {}, element("details", {}, element("summary", {}, ...head), detail)));
  }
  return rows.get(event.id);
};
/** Events so far, oldest first, and the number of the last one. */
let events = [], last = 0;
const render = () => {
  const types = [...new Set(events.map(event => event["detail-type"]))].sort();
  const offered = [...byId("type").options].map(option => option.value);
  for (const type of types.filter(type => !offered.includes(type))) byId("type").append(new Option(type, type));
  const [type, text] = [byId("type").value, byId("text").value.trim().toLowerCase()];
  const isWanted = event => (!type || event["detail-type"] === type) && JSON.stringify(event.detail).toLowerCase().includes(text);
  const wanted = events.filter(isWanted).reverse();
  const count = wanted.length === events.length ? `Events: ${events.length}` : `Events: ${wanted.length} of ${events.length}`;
  if (byId("count").textContent !== count) byId("count").textContent = count;
  byId("empty").hidden = events.length > 0;
  const shown = wanted.slice(0, MOST_SHOWN).map(row);
  const list = byId("events");
  // Rows that stay are left alone: the focus and what is open stay where they are.
  for (const old of [...list.children]) if (!shown.includes(old)) old.remove();
  shown.forEach((one, index) => { if (list.children[index] !== one) list.insertBefore(one, list.children[index] ?? null); });
  byId("rest").hidden = wanted.length <= MOST_SHOWN;
  byId("rest").textContent = `The newest ${MOST_SHOWN} are shown. All are in events.json.`;
};
document.querySelector("search").oninput = render;
follow("events", async () => {
  const response = await fetch(`/events.json?after=${last}`, { cache: "no-store" });
  if (!response.ok) throw new Error(`${response.status}`);
  const more = await response.json();
  last = Number(response.headers.get("x-last-event"));
  if (!more.length) return;
  events = [...events, ...more].slice(-MOST_KEPT);
  render();
});
