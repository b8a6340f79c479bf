// Page of the webhooks: lists them, makes, changes and tries them, and shows the deliveries of those that are open.

import { byId, callApi, copyButton, element, follow, get } from "../page.js";
import { attemptTable, deliveryList } from "./deliveries.js";

/** Receiver of this stack. The end of its URL says what it answers. */
const RECEIVER = `${location.origin}/webhook-receiver/`;
const ANSWERS = [["ok", "ok, 204"], ["500", "failure, 500"], ["slow", "too late"], ["410", "gone, 410"]];
/** Events that are counted at most. */
const COUNTED = 100;

const who = byId("who"), create = byId("create"), list = byId("webhooks");
/** Items of the list by the ids of their webhooks. They are kept, so that the focus and what is open stay. */
const items = new Map();
let newest = 0;

/** Calls the API with the key of the page; for the chosen organisation if `ofOrg` is true. */
function ask(path, ofOrg = false, method = "GET", body = undefined) {
  const org = who.elements.org.value;
  const query = ofOrg && org ? `${path.includes("?") ? "&" : "?"}org_id=${org}` : "";
  return callApi(who.elements.key.value, path + query, method, body);
}

/** Reads the webhooks and what is open of them. Of several runs at a time, the newest counts. */
async function refresh() {
  const turn = ++newest;
  let webhooks = [], wrong = "";
  try {
    ({ webhooks } = await ask("/webhooks", true));
    if (turn === newest) await Promise.all(webhooks.map(showItem));
  } catch (error) {
    if (!error.status) throw error;
    wrong = error.message;
  }
  if (turn !== newest) return;
  byId("error").textContent = wrong;
  byId("error").hidden = !wrong;
  const ids = webhooks.map(({ id }) => id);
  for (const [id, { item }] of items) {
    if (ids.includes(id)) continue;
    item.remove();
    items.delete(id);
  }
  for (const id of ids) if (!items.get(id).item.isConnected) list.append(items.get(id).item);
  const text = `Webhooks: ${ids.length}`;
  if (byId("count").textContent !== text) byId("count").textContent = text;
  byId("empty").hidden = ids.length > 0;
}

async function showItem(webhook) {
  if (!items.has(webhook.id)) items.set(webhook.id, itemOf(webhook));
  await items.get(webhook.id).show(webhook);
}

/** Returns the item of a webhook, and the function that shows it as it is now. */
function itemOf({ id }) {
  const head = element("summary"), facts = element("p", { className: "quiet" }), said = element("div");
  said.setAttribute("role", "status");
  const wrong = element("p", { className: "error", hidden: true });
  wrong.setAttribute("role", "alert");
  let last = Promise.resolve(), pending = 0, failures = 0;
  /** Runs an action after those before it, unless one of them fails meanwhile. Shows what it returns, or what is wrong. */
  const act = run => {
    const known = failures;
    pending++;
    last = last.then(async () => {
      if (failures === known) {
        wrong.hidden = true;
        try {
          said.replaceChildren(...await run() ?? []);
        } catch (error) {
          failures++;
          wrong.textContent = error.message;
          wrong.hidden = false;
        }
      }
      pending--;
      refresh();
    });
  };
  const change = (path, body) => ask(`/webhooks/${id}${path}`, false, "POST", body);
  const replay = after => act(async () => {
    const { state } = await change("/replay", { after });
    const then = state === "disabled" ? "once the webhook is enabled." : "now.";
    return [element("p", { textContent: `All after ${after} is sent again, ${then}` })];
  });
  const deliveries = deliveryList(id, ask, replay);
  const receiver = receiverSwitch(id, url => act(() => change("", { url }).then(() => [])));
  const buttons = actions(act, change, id);
  const from = replayForm(replay);
  const details = element("details", { className: "webhook" }, head, element("div", { className: "inside" },
    facts, buttons.element, said, wrong, receiver.element, from.element, element("h3", { textContent: "Deliveries" }), deliveries.element));
  const show = async webhook => {
    const turn = newest, waits = await waiting(webhook);
    // A newer run shows it as it is now.
    if (turn !== newest) return;
    head.replaceChildren(...headOf(webhook, waits));
    facts.replaceChildren(...factsOf(webhook));
    buttons.show(webhook);
    // What somebody has just chosen stays.
    if (pending === 0) receiver.show(webhook);
    from.show(webhook);
    if (details.open) await deliveries.refresh();
  };
  details.ontoggle = () => { if (details.open) deliveries.refresh(); };
  const open = secret => {
    details.open = true;
    said.replaceChildren(secret);
    head.focus();
  };
  return { item: element("li", {}, details), show, open };
}

function headOf({ url, label, state, failing_since }, waits) {
  const since = failing_since && `failing since ${failing_since.slice(0, 19).replace("T", " ")}`;
  const facts = [label, since, waits].filter(Boolean).map(text => element("span", { textContent: text }));
  return [element("span", { className: state, textContent: state }), " ", element("span", { className: "facts" }, ...facts), element("code", { textContent: url })];
}

function factsOf({ id, types, cursor, created_at }) {
  const code = text => element("code", { textContent: text });
  const wanted = types.length > 0 ? `told of ${types.join(", ")}` : "told of all events";
  return ["Webhook ", code(id), `, ${wanted}, at cursor `, code(cursor), `, created ${created_at.slice(0, 10)}`];
}

/** Returns what waits for a webhook, in words; nothing for one that takes everything. */
async function waiting({ id, state, cursor, types }) {
  if (state === "enabled") return "";
  const later = `/events?after=${cursor}&limit=${COUNTED}${types.length > 0 ? `&type__in=${types.join(",")}` : ""}`;
  // A feed that no longer has the cursor is told of by the state of the webhook.
  const pages = [ask(`/webhooks/${id}/deliveries?limit=${COUNTED}`), ask(later, true).catch(() => ({ events: [] }))];
  const [tried, untried] = await Promise.all(pages);
  const number = (found, { has_more }) => `${found}${has_more ? "+" : ""}`;
  const waits = tried.deliveries.filter(delivery => delivery.state === "waiting").length;
  return `${number(waits, tried)} tried and waiting, ${number(untried.events.length, untried)} not sent yet`;
}

/** Returns the buttons of a webhook. */
function actions(act, change, id) {
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });
  const test = button("Test", () => act(async () => {
    const { state, attempts } = await change("/test");
    return [element("p", { textContent: `webhook.test was ${state === "delivered" ? "delivered" : "not delivered"}, tried once:` }), attemptTable(attempts)];
  }));
  const rotate = button("Rotate the secret", () => act(async () =>
    [secretBox((await change("/rotate")).secret, "New secret. Messages have the signatures of both for 24 hours.")]));
  const enable = button("Enable", () => act(async () => {
    await change("/enable");
    return [element("p", { textContent: "It goes on where it stopped." })];
  }));
  const remove = button("Delete", () => {
    if (confirm("Delete this webhook? What waits for it is not sent.")) act(() => ask(`/webhooks/${id}`, false, "DELETE").then(() => []));
  });
  enable.className = "main";
  return { element: element("p", { className: "row" }, enable, test, rotate, remove), show: ({ state }) => { enable.hidden = state !== "disabled"; } };
}

function secretBox(secret, words) {
  return element("div", { className: "card" }, element("p", { textContent: `${words} It is shown this once.` }),
    element("p", { className: "row" }, element("code", { textContent: secret }), copyButton("the secret", () => secret)));
}

/** Returns the switch of the receiver of this stack: it changes the URL of the webhook. Hidden if the webhook has another receiver. */
function receiverSwitch(id, move) {
  const choices = ANSWERS.map(([value, words]) => {
    const input = element("input", { type: "radio", name: `answer-${id}`, value });
    return { input, label: element("label", {}, input, ` ${words}`) };
  });
  const made = element("fieldset", {}, element("legend", { textContent: "The receiver of this stack answers" }), ...choices.map(({ label }) => label));
  made.onchange = ({ target }) => move(RECEIVER + target.value);
  const show = ({ url }) => {
    made.hidden = !url.startsWith(RECEIVER);
    for (const { input } of choices) input.checked = url === RECEIVER + input.value;
  };
  return { element: made, show };
}

/** Returns the form that sends all after a cursor again. */
function replayForm(replay) {
  const cursor = element("input", { type: "text", name: "after", required: true, autocomplete: "off", spellcheck: false });
  const form = element("form", { className: "row" }, element("label", {}, "Replay all after the cursor ", cursor), element("button", { type: "submit", textContent: "Replay" }));
  form.onsubmit = event => {
    event.preventDefault();
    replay(cursor.value.trim());
  };
  // What somebody types stays.
  return { element: form, show: webhook => { cursor.defaultValue = webhook.cursor; } };
}

async function make() {
  const { url, types, label } = create.elements;
  const body = { url: url.value.trim() };
  if (types.value.trim()) body.types = types.value.split(",").map(type => type.trim());
  if (label.value.trim()) body.label = label.value.trim();
  if (who.elements.org.value) body.org_id = Number(who.elements.org.value);
  let made;
  try {
    made = await ask("/webhooks", false, "POST", body);
  } catch (error) {
    byId("error").textContent = error.message;
    byId("error").hidden = false;
    return;
  }
  // Known before it is read: a run that is under way may be the newer one.
  items.set(made.id, itemOf(made));
  await refresh();
  byId("making").open = false;
  items.get(made.id).open(secretBox(made.secret, "Secret of the signatures."));
}

const { ORG_ADMIN = "" } = JSON.parse(byId("keys").textContent);
who.elements.key.defaultValue = ORG_ADMIN;
create.elements.url.defaultValue = `${RECEIVER}ok`;
byId("making").open = true;
create.onsubmit = event => { event.preventDefault(); make(); };
who.onsubmit = event => { event.preventDefault(); refresh(); };
who.elements.org.onchange = refresh;
for (const { id, name } of await get("/reviews/orgs.json")) who.elements.org.append(new Option(name, id));
follow("webhooks", refresh);
