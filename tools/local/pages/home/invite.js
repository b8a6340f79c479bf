// The way of an invitation, lit as it happens: request, round trips, outbox, audit record, mail, events.

import { byId, element, errorLink, get } from "/pages/page.js";
import { INVITATION, forgetAddress, requestOf } from "/pages/home/call.js";

/** Steps of the way, in their order, and where each can be seen. */
const STEPS = [
  ["request", "Request", "/requests"], ["trips", "Round trips", "/requests"], ["outbox", "Outbox", "/mailbox"],
  ["audit", "Audit record", "/tables?table=audit"], ["mail", "Mail", "/mailbox"], ["event", "Events", "/events"],
];

const button = byId("invite"), said = byId("invited");
const boxes = Object.fromEntries(STEPS.map(([id, name, href]) => {
  const fact = element("small"), link = element("a", { href, textContent: name });
  return [id, { item: element("li", {}, link, fact), link, fact, href }];
}));
byId("way").append(...STEPS.map(([id]) => boxes[id].item));
/** Invited user that the drawing shows: id, address, start, and number of events before it. */
let shown;

/** Lights a step with a fact about it. `href` leads to what happened. */
function light(id, text, href = boxes[id].href) {
  const { item, link, fact } = boxes[id];
  item.className = "lit";
  link.href = href;
  fact.textContent = text;
}

function darken() {
  for (const { item, fact } of Object.values(boxes)) {
    item.className = "";
    fact.textContent = "";
  }
}

/** Returns the time after the start of the request, in words. */
const after = instant => `after ${Math.max(0, new Date(instant) - shown.start).toLocaleString("en")} ms`;

/** Lights what the stack knows of the invitation so far. */
export async function followInvitation() {
  if (!shown) return;
  const { id, email, request_id, events: before } = shown;
  const [{ requests }, outbox, mails, audit, events] = await Promise.all([
    get("/home/requests.json"), get("/mailbox/outbox.json"), get("/mailbox/list.json"),
    get(`/home/tables/audit?partition=${encodeURIComponent(shown.audit)}`), get(`/events.json?after=${before}`),
  ]);
  if (shown?.id !== id) return;
  const request = requests.find(request => request.request_id === request_id);
  if (request) {
    shown.start = new Date(request.at);
    const { waves, read_units, write_units } = request.facts;
    light("request", `${request.status} in ${request.milliseconds} ms`, `/requests?words=${request_id}`);
    light("trips", `${waves}; ${read_units} read, ${write_units} write units`, `/requests?words=${request_id}`);
  }
  if (audit.items.length > 0) light("audit", audit.items[0].item.action ?? "", `/tables?table=audit&partition=${encodeURIComponent(shown.audit)}`);
  const waiting = outbox.find(({ user_id }) => String(user_id) === id), mail = mails.find(({ to }) => to === email);
  if (waiting) light("outbox", waiting.reason ?? "the mail waits");
  if (mail) {
    light("outbox", "the mail has left");
    light("mail", after(mail.sent_at));
  }
  const own = events.filter(({ detail }) => [detail.id, detail.user_id].includes(id));
  const types = own.map(event => event["detail-type"]);
  if (types.length > 0) light("event", types.join(", "));
  const isWhole = Object.values(boxes).every(({ item }) => item.className === "lit");
  if (isWhole && types.includes("invitation.sent")) shown = undefined;
}

button.onclick = async () => {
  button.disabled = true;
  darken();
  shown = undefined;
  try {
    const before = await fetch("/events.json", { method: "HEAD", cache: "no-store" });
    const { method, url, headers, body } = requestOf(INVITATION);
    const { email } = JSON.parse(body);
    const response = await fetch(url, { method, headers, body });
    const answer = await response.json();
    forgetAddress();
    const [code, request_id] = ["x-error-code", "x-request-id"].map(name => response.headers.get(name));
    if (response.ok) {
      shown = { id: answer.id, email, request_id, audit: `USER#${answer.id}`, events: Number(before.headers.get("x-last-event")) };
      said.textContent = `${email} is invited, as user ${answer.id}.`;
    } else {
      said.replaceChildren(`The API refuses, with status ${response.status}: `, errorLink(code));
    }
    await followInvitation();
  } catch (error) {
    said.textContent = `No invitation: ${error.message}`;
  }
  button.disabled = false;
};
