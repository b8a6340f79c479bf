// The page that describes the API: the list of operations, the caller, and the chosen operation.

import { byId, element, follow, get } from "/pages/page.js";
import { showOperation } from "/pages/docs/operation.js";
import { fieldNames, resolve } from "/pages/docs/schema.js";

/** Names in the list of callers that are not roles. */
const NOBODY = "no key", OWN = "another key";
/** Role that most operations are described for. */
const FIRST_ROLE = "ORG_ADMIN";
const GUIDE = "guide";
/** Width at which list and operation lie side by side. */
const WIDE = matchMedia("(min-width: 60rem)");

const keys = JSON.parse(byId("keys").textContent);
const role = byId("role"), ownKey = byId("key"), list = byId("operations"), panel = byId("operation");
let description, examples, shown;

/** Caller of the next request: the name of the role, and the key. */
const caller = {
  get role() { return role.value; },
  get key() { return role.value === OWN ? ownKey.value.trim() : keys[role.value] ?? ""; },
  /** Chooses a caller, if it is in the list. */
  choose(name) {
    if ([...role.options].some(option => option.value === name)) role.value = name;
    byId("own").hidden = role.value !== OWN;
  },
};

/** Returns the operations in the order of the description. */
function operations() {
  return Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({
    ...operation, path, method: method.toUpperCase(), examples: examples.filter(example => example.operation === operation.operationId),
  })));
}

function link(id, method, path, summary) {
  const parts = [element("span", { className: `method ${method}`, textContent: method }), element("span", { textContent: summary })];
  return element("li", {}, element("a", { href: `#${id}` }, ...parts, ...path ? [element("small", { textContent: path })] : []));
}

function fillList() {
  const words = byId("filter").value.toLowerCase().split(/\s+/);
  const found = operations().filter(operation => words.every(word => searchedText(operation).includes(word)));
  const groups = description.tags.map(({ name }) => [name, found.filter(({ tags }) => tags.includes(name))]);
  const guide = element("ul", {}, link(GUIDE, "", "", "Keys, requests, answers, pages"));
  list.replaceChildren(guide, ...groups.filter(([, members]) => members.length).flatMap(([name, members]) => [
    element("h2", { textContent: name }),
    element("ul", {}, ...members.map(({ operationId, method, path, summary }) =>
      link(operationId, method, path.replace("/api/v2", ""), summary))),
  ]));
  mark();
}

/** Returns the text in which the search looks: route, summary, and the names of parameters and of the fields of the body. */
function searchedText({ method, path, summary, tags, parameters = [], requestBody }) {
  const fields = fieldNames(description, requestBody?.content["application/json"].schema);
  const names = parameters.map(parameter => resolve(description, parameter).name);
  return [method, path, summary, tags, ...names, ...fields].join(" ").toLowerCase();
}

/** Marks the shown operation in the list. */
function mark() {
  for (const item of list.querySelectorAll("a")) {
    if (item.hash === `#${shown}`) item.setAttribute("aria-current", "true");
    else item.removeAttribute("aria-current");
  }
}

/** Shows the operation that the address names, or the guide. */
function show() {
  const all = operations();
  const [id, permalink] = location.hash.slice(1).split(/\?(.*)/s);
  const operation = all.find(({ operationId }) => operationId === id);
  shown = operation?.operationId ?? GUIDE;
  if (operation) showOperation(panel, operation, description, caller, new URLSearchParams(permalink));
  else showGuide();
  mark();
}

function showGuide() {
  const prose = element("div", { className: "prose" });
  prose.innerHTML = description.info.description;
  panel.ariaLabel = "Keys, requests, answers, pages";
  panel.replaceChildren(element("h2", { textContent: "Keys, requests, answers, pages" }), prose);
}

async function start() {
  [description, examples] = await Promise.all([get("/docs/openapi.json"), get("/docs/examples.json")]);
  role.append(...[...Object.keys(keys), OWN, NOBODY].map(name => new Option(name)));
  role.value = keys[FIRST_ROLE] ? FIRST_ROLE : OWN;
  caller.choose(role.value);
  role.onchange = () => { caller.choose(role.value); panel.dispatchEvent(new Event("caller")); };
  ownKey.oninput = () => panel.dispatchEvent(new Event("caller"));
  byId("filter").oninput = fillList;
  window.onhashchange = () => {
    show();
    if (!WIDE.matches) document.querySelector(".list").open = false;
    // A list that closes, or a long operation before, would leave the page scrolled past the title.
    panel.focus({ preventScroll: true });
    panel.scrollIntoView();
  };
  show();
  fillList();
}

start();
follow("stack");
