// Requests to the API, newest first, as they come. A request that is opened shows the event and the answer.

import { byId, element, errorLink, get, highlighted, repeat } from "../page.js";

/** Milliseconds between two questions for newer requests. */
const PAUSE = 1000;
/** Largest number of requests that are shown: those that the stack keeps. */
const MOST = 200;

const list = byId("requests");
const pause = byId("pause");
const filter = byId("request-filter"), slow = byId("slow");
/** Milliseconds from which a request is slow. */
const SLOW = 100;
let newest = 0;

/** Returns a status with a colour for its class. */
export function statusText(status) {
  const kind = status >= 500 ? "failed" : status >= 400 ? "refused" : "ok";
  return element("span", { className: `status ${kind}`, textContent: status });
}

/** Returns JSON in a box that the keyboard can scroll. */
export function json(value, label) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return element("section", { className: "answer", tabIndex: 0, ariaLabel: label }, highlighted(text));
}

const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** Returns the words for the cost of a request; none if no function logged it. */
function costs(facts) {
  if (!facts) return ["no function"];
  const { waves, read_units, write_units, role, error, bad_fields } = facts;
  const words = [count(waves, "round trip", "round trips"), count(read_units, "read unit", "read units")];
  if (write_units > 0) words.push(count(write_units, "write unit", "write units"));
  words.push(role ?? "no caller");
  if (error) words.push(bad_fields.length > 0 ? `${error} (${bad_fields.join(", ")})` : error);
  return words;
}

async function showParts(number, place) {
  try {
    const { event, request_body, headers, answer_body } = await get(`/home/requests/${number}`);
    const parts = [["Body", request_body], ["Event that the function got", event], ["Headers of the answer", headers], ["Answer", answer_body]];
    place.replaceChildren(...parts.filter(([, value]) => value !== null).flatMap(([title, value]) =>
      [element("h3", { textContent: title }), json(value, `${title}, request ${number}`)]));
    const code = headers?.["x-error-code"];
    if (code) place.prepend(element("p", {}, "Error: ", errorLink(code)));
    if (place.childElementCount === 0) place.textContent = "The gateway answered by itself: no function got this request.";
  } catch {
    place.textContent = "This request is no longer kept.";
  }
}

function row({ number, at, method, target, status, milliseconds, facts, request_id }) {
  const time = new Date(at).toLocaleTimeString("en-GB");
  const words = [`${milliseconds} ms`, ...costs(facts)].map(text => element("span", { textContent: text }));
  const head = element("summary", {}, `${time} `, statusText(status), element("code", { textContent: `${method} ${target}` }),
    element("span", { className: "facts" }, ...words));
  const inside = element("div", { className: "inside" });
  const details = element("details", {}, head, inside);
  details.ontoggle = () => { if (details.open && inside.childElementCount === 0) showParts(number, inside); };
  const item = element("li", {}, details);
  // Status, path, role, error and ids: what the filter looks in.
  item.dataset.text = `${head.textContent} ${request_id ?? ""}`.toLowerCase();
  item.dataset.milliseconds = milliseconds;
  sift(item);
  return item;
}

/** Hides a request that the filter does not want. */
function sift(item) {
  const words = filter.value.toLowerCase().split(/\s+/);
  const isSlow = Number(item.dataset.milliseconds) >= SLOW;
  item.hidden = !words.every(word => item.dataset.text.includes(word)) || (slow.checked && !isSlow);
}

async function refresh() {
  if (pause.getAttribute("aria-pressed") === "true") return;
  const { count: total, requests } = await get(`/home/requests.json?after=${newest}`);
  if (total < newest) {
    // The stack was started again.
    list.replaceChildren();
    newest = 0;
    return;
  }
  for (const request of requests) list.prepend(row(request));
  while (list.childElementCount > MOST) list.lastElementChild.remove();
  if (total > newest) byId("request-count").textContent = `Requests: ${total.toLocaleString("en")}`;
  newest = total;
}

pause.onclick = () => pause.setAttribute("aria-pressed", String(pause.getAttribute("aria-pressed") !== "true"));
filter.oninput = slow.onchange = () => [...list.children].forEach(sift);
repeat(PAUSE, refresh);
