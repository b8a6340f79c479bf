// Key of a role: shown, copied as it is or as settings of the client packages, and a new one that may only read.

import { byId, callApi, copyButton, element } from "/pages/page.js";

const { keys, roles } = JSON.parse(byId("data").textContent);
const listeners = [];

const role = element("select", { id: "role" });
role.append(...roles.filter(([name]) => keys[name]).map(([name]) => new Option(name)));
if (keys.ORG_ADMIN) role.value = "ORG_ADMIN";
const typed = element("input", { type: "text", autocomplete: "off", spellcheck: false, size: 44 });

/** Caller of the next request. */
export const caller = {
  base: `${location.origin}/api/v2`,
  get key() { return keys[role.value] ?? typed.value.trim(); },
  onchange(listener) { listeners.push(listener); },
};

/** Returns the settings that the client packages read from the environment. */
const settings = key => `PRESENCE_URL=${caller.base}\nPRESENCE_API_KEY=${key}\n`;

/** Returns the buttons that copy a key: as it is, and as a file of settings. */
const copyButtons = (name, key) => [copyButton(name, key), copyButton(`file with the ${name}`, () => settings(key()), "Copy as .env")];

function show() {
  byId("shown-key").replaceChildren(element("code", { textContent: caller.key }), " ", element("small", { textContent: Object.fromEntries(roles)[role.value] ?? "" }));
  for (const listener of listeners) listener();
}

/** Makes a key of the caller that may only read, and shows it with its buttons. It is shown this once. */
async function makeReadKey() {
  readKey.disabled = true;
  try {
    const { id } = await callApi(caller.key, "/user/me");
    const { key } = await callApi(caller.key, `/user/${id}/keys`, "POST", { label: "start page", access: "read" });
    made.replaceChildren(element("code", { textContent: key }), " ", ...copyButtons("read-only key", () => key));
  } catch (error) {
    made.replaceChildren(element("span", { className: "error", textContent: `No key: ${error.message}` }));
  }
  readKey.disabled = false;
}

const readKey = element("button", { type: "button", textContent: "Read-only key" });
readKey.onclick = makeReadKey;
const made = element("p", { id: "read-key" });
made.setAttribute("aria-live", "polite");
byId("caller").append(role.options.length ? element("label", {}, "Role ", role) : element("label", {}, "API key ", typed));
byId("key-buttons").append(...copyButtons("key", () => caller.key), readKey);
byId("key-buttons").after(made);
role.onchange = typed.oninput = show;
show();
const firstKey = byId("first-key");
if (firstKey) firstKey.after(copyButton("commands of the first key", () => firstKey.textContent));
