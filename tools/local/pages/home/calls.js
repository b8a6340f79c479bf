// Calls to try: the line for curl, and a button that sends the call and shows its answer.

import { byId, copyButton, element } from "../page.js";
import { json, statusText } from "./requests.js";

const { keys, calls } = JSON.parse(byId("data").textContent);
const base = `${location.origin}/api/v2`;
/** Number in the address of an invited user: each call invites another one. */
let invited = Date.now() % 100_000;

const role = element("select", { id: "role" });
role.append(...Object.keys(keys).map(name => new Option(name)));
role.value = "ORG_ADMIN" in keys ? "ORG_ADMIN" : role.value;
const typed = element("input", { id: "key", type: "text", autocomplete: "off", spellcheck: false, size: 44 });
const key = () => keys[role.value] ?? typed.value.trim();

const bodyOf = call => call.body?.replace("lea@", `lea-${invited}@`) ?? null;

/** Returns the line for curl. A single quote cannot be in a text between single quotes, and no call has one. */
function curl(call) {
  const line = `curl -H 'x-api-key: ${key()}' '${base}${call.path}'`;
  return call.body === null ? line : `${line} --json '${bodyOf(call)}'`;
}

/** Sends a call and shows status, time and JSON of the answer. */
async function send(call, shown) {
  const started = performance.now();
  const headers = { "x-api-key": key(), ...(call.body === null ? {} : { "content-type": "application/json" }) };
  try {
    const response = await fetch(base + call.path, { method: call.method, headers, body: bodyOf(call), cache: "no-store" });
    const text = await response.text();
    const milliseconds = (performance.now() - started).toFixed(0);
    const status = element("p", {}, statusText(response.status), ` in ${milliseconds} ms`);
    shown.replaceChildren(status, json(parsed(text), `Answer to: ${call.title}`));
  } catch {
    shown.replaceChildren(element("p", { className: "error", textContent: "The stack does not answer. Is it still running?" }));
  }
  if (call.body !== null) invited += 1;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return text; }
}

function card(call) {
  const line = element("pre");
  const shown = element("div");
  shown.setAttribute("aria-live", "polite");
  const button = element("button", { type: "button", className: "main", textContent: "Send" });
  button.setAttribute("aria-label", `Send: ${call.title}`);
  const write = () => { line.textContent = curl(call); };
  button.onclick = async () => {
    button.disabled = true;
    await send(call, shown);
    button.disabled = false;
    write();
  };
  for (const input of [role, typed]) input.addEventListener("input", write);
  write();
  const head = element("h3", {}, call.title, element("code", { textContent: `${call.method} ${call.path.split("?")[0]}` }));
  const buttons = element("div", { className: "row" }, button, copyButton(`curl: ${call.title}`, () => curl(call)));
  return element("li", { className: "card call" }, head, line, buttons, shown);
}

/** Makes a key of the caller that may only read, shows it and lets it be copied. It is shown this once. */
async function makeReadKey(shown) {
  const call = async (path, body) => {
    const headers = { "x-api-key": key(), "content-type": "application/json" };
    const options = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(base + path, { ...options, cache: "no-store" });
    const answer = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer.errors));
    return answer;
  };
  try {
    const { id } = await call("/user/me");
    const made = await call(`/user/${id}/keys`, { label: "start page", access: "read" });
    const copy = copyButton("read-only key", () => made.key);
    shown.replaceChildren(element("code", { textContent: made.key }), " ", copy);
  } catch (error) {
    shown.replaceChildren(element("span", { className: "error", textContent: `No key: ${error.message}` }));
  }
}

const readKey = element("button", { type: "button", textContent: "Make a read-only key" });
const shownKey = element("span");
shownKey.setAttribute("aria-live", "polite");
readKey.onclick = async () => {
  readKey.disabled = true;
  await makeReadKey(shownKey);
  readKey.disabled = false;
};
byId("read-key").append(readKey, " ", shownKey);

const hasKeys = Object.keys(keys).length > 0;
byId("call-as").append(hasKeys ? element("label", {}, "Call as ", role) : element("label", {}, "API key ", typed));
byId("calls").append(...calls.map(card));
for (const place of document.querySelectorAll("[data-copy]")) {
  place.replaceWith(copyButton(place.dataset.name, () => place.dataset.copy));
}
const firstKey = byId("first-key");
if (firstKey) firstKey.after(copyButton("commands of the first key", () => firstKey.textContent));
