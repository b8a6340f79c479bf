// Requests to the API, newest first, as they come. The address keeps the filter.

import { byId, follow, get } from "/pages/page.js";
import { requestRow } from "/pages/requests/row.js";

/** Largest number of requests that are shown: those that the stack keeps. */
const MOST = 200;
/** Milliseconds from which a request is slow. */
const SLOW = 100;

const { keys } = JSON.parse(byId("data").textContent);
const list = byId("requests"), form = byId("filter"), pause = byId("pause");
/** Requests with their rows, newest first. */
const rows = [];

/** True if the filter wants a request: by class of the status, role, words, and time. */
function isWanted({ method, target, status, milliseconds, facts, request_id }) {
  const { status: kind, role, words, slow } = Object.fromEntries(new FormData(form));
  const { operation, error, bad_fields = [] } = facts ?? {};
  const text = [status, method, target, operation, error, ...bad_fields, request_id].join(" ").toLowerCase();
  return String(status).startsWith(kind) && (!role || role === (facts?.role ?? "none")) && (!slow || milliseconds >= SLOW)
    && words.toLowerCase().split(/\s+/).every(word => text.includes(word));
}

/** Shows the wanted requests, and their number. */
function sift() {
  for (const { request, item } of rows) item.hidden = !isWanted(request);
  const [shown, all] = [rows.filter(({ item }) => !item.hidden).length, rows[0]?.request.number];
  if (all) byId("request-count").textContent = `Requests: ${all.toLocaleString("en")}, shown: ${shown}`;
}

async function refresh() {
  if (pause.getAttribute("aria-pressed") === "true") return;
  const newest = () => rows[0]?.request.number ?? 0;
  const { requests } = await get(`/home/requests.json?after=${newest()}`);
  for (const request of requests.filter(({ number }) => number > newest())) {
    const item = requestRow(request, keys);
    list.prepend(item);
    rows.unshift({ request, item });
  }
  for (const { item } of rows.splice(MOST)) item.remove();
  sift();
}

/** Writes the filter to the address, and applies it. */
function share() {
  const chosen = [...new FormData(form)].filter(([, value]) => value);
  history.replaceState(null, "", `?${new URLSearchParams(chosen)}`);
  sift();
}

for (const [name, value] of new URLSearchParams(location.search)) {
  const field = form.elements[name];
  if (field?.type === "checkbox") field.checked = true;
  else if (field) field.value = value;
}
form.oninput = share;
form.onsubmit = event => { event.preventDefault(); share(); };
// The fields are empty after the event.
form.onreset = () => setTimeout(share);
pause.onclick = () => {
  pause.setAttribute("aria-pressed", String(pause.getAttribute("aria-pressed") !== "true"));
  refresh();
};
follow("requests", refresh);
