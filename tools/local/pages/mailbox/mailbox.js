// The mailbox: the list of mails, the chosen one beside it, the outbox, and the switch of SES.

import { byId, element, get, repeat } from "/pages/page.js";
import { showMail } from "/pages/mailbox/mail.js";
import { timeIn } from "/pages/mailbox/time.js";

/** Milliseconds between two looks at the mailbox. */
const PAUSE = 1000;

const list = byId("mails"), article = byId("mail");
/** Rows of the list by the ids of their mails. They are kept, so that the focus stays. */
const rows = new Map();
/** Mails, newest first; id of the mail that was chosen, if any; id of the mail that is shown. */
let mails = [], chosen, shown;
/** Counts the turns of the switch: an answer that was under way when it was turned is not to turn it back. */
let turns = 0;

function row(mail) {
  const time = timeIn(mail.sent_at);
  const button = element("button", { type: "button" },
    element("strong", { textContent: mail.subject }), element("small", { textContent: `to ${mail.to}` }),
    element("small", {}, `from ${mail.from}, `, time.element));
  button.onclick = () => { chosen = mail.id; show(); };
  return { item: element("li", {}, button), button, time };
}

/** Shows the mails that match the search. */
function fillList() {
  const words = byId("filter").value.toLowerCase().split(/\s+/);
  const found = mails.filter(({ subject, to, from }) =>
    words.every(word => `${subject} ${to} ${from}`.toLowerCase().includes(word)));
  for (const mail of mails) if (!rows.has(mail.id)) rows.set(mail.id, row(mail));
  const ids = new Set(mails.map(({ id }) => id));
  for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id);
  const items = found.map(({ id }) => rows.get(id).item);
  if (items.length !== list.children.length || items.some((item, index) => item !== list.children[index])) list.replaceChildren(...items);
  for (const { time } of rows.values()) time.refresh();
  const count = found.length === mails.length ? mails.length : `${found.length} of ${mails.length}`;
  if (byId("sent").textContent !== `Sent: ${count}`) byId("sent").textContent = `Sent: ${count}`;
  byId("nothing").hidden = found.length > 0;
  byId("empty").hidden = mails.length > 0;
  byId("mailbox").hidden = mails.length === 0;
}

/** Shows the chosen mail, or the newest one. */
async function show() {
  const mail = mails.find(({ id }) => id === chosen) ?? mails[0];
  for (const [id, { button }] of rows) {
    if (id === mail?.id) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  if (mail?.id === shown) return;
  shown = mail?.id;
  if (!mail) return article.replaceChildren();
  const whole = await get(`/mailbox/mails/${mail.id}`);
  if (shown === mail.id) showMail(article, whole, () => remove(`/mailbox/mails/${mail.id}`));
}

async function remove(path) {
  await fetch(path, { method: "DELETE" });
  chosen = undefined;
  await refresh();
}

function fillOutbox(outbox) {
  byId("waiting").textContent = `Waiting in the outbox: ${outbox.length}`;
  const cells = ({ user_id, state, due_at, attempts }) => [user_id, state, due_at, attempts].map(text => element("td", { textContent: text }));
  byId("outbox").replaceChildren(...outbox.map(each => element("tr", {}, ...cells(each))));
  byId("waiting-mails").hidden = outbox.length === 0;
}

function showMode(mode) {
  const box = document.querySelector(`#weather input[value=${mode}]`);
  if (!box) return;
  box.checked = true;
  byId("mode").textContent = box.parentElement.textContent.trim();
}

async function refresh() {
  const turnsBefore = turns;
  const [found, outbox, ses] = await Promise.all([get("/mailbox/list.json"), get("/mailbox/outbox.json"), get("/mailbox/ses")]);
  mails = found;
  fillList();
  fillOutbox(outbox);
  if (turns === turnsBefore) showMode(ses.mode);
  await show();
}

byId("weather").onchange = async ({ target }) => {
  turns += 1;
  showMode(target.value);
  const headers = { "content-type": "application/json" };
  await fetch("/mailbox/ses", { method: "POST", headers, body: JSON.stringify({ mode: target.value }) });
  turns += 1;
};
byId("filter").oninput = fillList;
byId("delete-all").onclick = () => remove("/mailbox/mails");
repeat(PAUSE, refresh);
