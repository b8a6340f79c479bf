// The mailbox: the list of mails, the chosen one beside it, the outbox, and the switch of SES.

import { byId, element, follow, get } from "/pages/page.js";
import { showMail } from "/pages/mailbox/mail.js";
import { timeIn } from "/pages/mailbox/time.js";

/** Milliseconds after which the times in words are written again. */
const PAUSE = 10_000;

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
  button.onclick = () => {
    chosen = mail.id;
    byId("mailbox").classList.add("reading");
    show();
    byId("back").focus();
  };
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
  byId("mailbox").classList.remove("reading");
  await refresh();
}

function fillOutbox(outbox) {
  const text = `Waiting in the outbox: ${outbox.length}`;
  if (byId("waiting").textContent !== text) byId("waiting").textContent = text;
  byId("outbox").replaceChildren(...outbox.map(outboxRow));
  byId("waiting-mails").hidden = outbox.length === 0;
}

function outboxRow({ id, user_id, email, state, due_at, attempts, reason, may_be_retried }) {
  const cell = (name, ...content) => {
    const made = element("td", {}, ...content);
    made.dataset.name = name;
    return made;
  };
  const retry = element("button", { type: "button", textContent: "Retry", ariaLabel: `Retry the mail to ${email ?? user_id}`, disabled: !may_be_retried });
  retry.onclick = () => retryMail(id);
  const to = element("td", {}, email ?? "nobody", element("small", { textContent: `user ${user_id}` }));
  return element("tr", {}, to, cell("State", state, ...reason ? [element("small", { textContent: reason })] : []),
    cell("Next try", state === "pending" ? due_at.slice(0, 19).replace("T", " ") : "none"), cell("Attempts", attempts), element("td", {}, retry));
}

/** Tries a mail from the beginning, as `ops outbox retry` does. */
async function retryMail(id) {
  const response = await fetch(`/mailbox/outbox/${encodeURIComponent(id)}/retry`, { method: "POST" });
  byId("outbox-error").textContent = response.ok ? "" : await response.text();
  byId("outbox-error").hidden = response.ok;
  await refresh();
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
byId("back").onclick = () => {
  byId("mailbox").classList.remove("reading");
  list.querySelector("[aria-current]")?.focus();
};
setInterval(() => { for (const { time } of rows.values()) time.refresh(); }, PAUSE);
follow("mailbox", refresh);
