// Row of a request. It opens to the event and the answer, runs the request again, and saves it as an event of the repository.

import { element, errorLink, get } from "/pages/page.js";
import { codeBox, sendRequest, statusText } from "/pages/request.js";

/** Text in the place of a secret. */
const CUT = "[cut out]";
/** Headers that a request has when it runs again, beside its key. */
const HEADERS = ["accept", "content-type", "idempotency-key"];
/** Headers that hold a key and nothing else. */
const KEY_HEADERS = ["x-api-key", "x-apikey"];

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

/** True if a body is kept, or there is none. */
const isKept = body => typeof body !== "string" || !body.startsWith("[");

/** Returns the reason why a request cannot run again, if there is one. */
function obstacle({ event, target, request_body, facts }, keys) {
  if (!event) return "no function got this request";
  if (target.includes(CUT) || JSON.stringify(request_body ?? "").includes(CUT)) return "a secret of this request is cut out";
  if (!isKept(request_body)) return "the body of this request is not kept";
  if (facts?.role && !keys[facts.role]) return `this page has no key of ${facts.role}`;
  return null;
}

/** Returns the request of an exchange, with the key of its role. */
function requestOf({ method, target, event, facts }, keys) {
  const headers = Object.fromEntries(HEADERS.filter(name => name in event.headers).map(name => [name, event.headers[name]]));
  if (facts?.role) headers["x-api-key"] = keys[facts.role];
  return { method, url: target, headers, body: ["GET", "HEAD"].includes(method) ? undefined : event.body };
}

/**
 * Returns the event as the folder events/ has it: with the key of its role wherever one was cut out, and without cookies, which no
 * function reads.
 */
function savedEvent({ event, facts }, keys) {
  const saved = structuredClone(event);
  delete saved.cookies;
  // The history keeps each body as text.
  saved.isBase64Encoded = false;
  const key = keys[facts?.role];
  if (key) putKey(saved, key);
  return `${JSON.stringify(saved, null, 2)}\n`;
}

/** Puts a key into each place of an event from which one was cut out. */
function putKey(event, key) {
  const { headers, queryStringParameters: parameters, rawQueryString, body } = event;
  for (const name of KEY_HEADERS) if (headers[name]) headers[name] = key;
  if (headers.authorization) headers.authorization = `Bearer ${key}`;
  if (parameters?.api_key) parameters.api_key = key;
  if (rawQueryString) event.rawQueryString = rawQueryString.replace(`api_key=${CUT}`, `api_key=${key}`);
  if (body) event.body = body.replace(`"api_key":"${CUT}"`, `"api_key":"${key}"`);
}

/** Returns the reason why a request cannot be saved as an event, if there is one. */
function savingObstacle(exchange, keys) {
  if (!exchange.event) return "no function got this request";
  if (!isKept(exchange.request_body)) return "the body of this request is not kept";
  return savedEvent(exchange, keys).includes(CUT) ? "a secret of this request is cut out" : null;
}

/** Hands the event to the browser as a file, and says where it belongs. */
function save(exchange, keys, said) {
  const { event, facts, status, function: folder } = exchange;
  const operation = facts?.operation ?? event.routeKey.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  const name = status < 400 ? operation : `${operation}_${status}`;
  const href = URL.createObjectURL(new Blob([savedEvent(exchange, keys)], { type: "application/json" }));
  element("a", { href, download: `${name}.json` }).click();
  URL.revokeObjectURL(href);
  said.replaceChildren(`Move ${name}.json to events/${folder}/, and run it: `,
    element("code", { textContent: `cargo invoke ${folder} ${name}` }));
}

function buttons(exchange, keys) {
  const said = element("p"), answer = element("div", { className: "answer", hidden: true });
  said.setAttribute("role", "status");
  const reason = obstacle(exchange, keys);
  if (reason) said.textContent = `Not to run again: ${reason}.`;
  const again = element("button", { type: "button", disabled: reason !== null, textContent: `Run again as ${exchange.facts?.role ?? "nobody"}` });
  again.onclick = () => sendRequest(requestOf(exchange, keys), answer, again);
  const unsaved = savingObstacle(exchange, keys);
  const saving = element("button", { type: "button", disabled: unsaved !== null, textContent: "Save as event" });
  if (unsaved) saving.title = `Not to save: ${unsaved}.`;
  saving.onclick = () => save(exchange, keys, said);
  return element("div", {}, element("div", { className: "row" }, again, saving), said, answer);
}

async function showParts(number, keys, place) {
  let exchange;
  try {
    exchange = await get(`/home/requests/${number}`);
  } catch {
    place.textContent = "This request is no longer kept.";
    return;
  }
  const { event, request_body, headers, answer_body } = exchange;
  const parts = [["Body", request_body], ["Event that the function got", event], ["Headers of the answer", headers], ["Answer", answer_body]];
  place.replaceChildren(buttons(exchange, keys), ...parts.filter(([, value]) => value !== null).flatMap(([title, value]) =>
    [element("h3", { textContent: title }), codeBox(`${title}, request ${number}`, value)]));
  const code = headers?.["x-error-code"];
  if (code) place.prepend(element("p", {}, "Error: ", errorLink(code)));
}

/** Returns the row of a request. `keys` are those of the roles. */
export function requestRow({ number, at, method, target, status, milliseconds, facts }, keys) {
  const time = new Date(at).toLocaleTimeString("en-GB");
  const words = [`${milliseconds} ms`, ...costs(facts)].map(text => element("span", { textContent: text }));
  const head = element("summary", {}, `${time} `, statusText(status), element("code", { textContent: `${method} ${target}` }),
    element("span", { className: "facts" }, ...words));
  const inside = element("div", { className: "inside" });
  const details = element("details", {}, head, inside);
  details.ontoggle = () => { if (details.open && inside.childElementCount === 0) showParts(number, keys, inside); };
  return element("li", {}, details);
}
