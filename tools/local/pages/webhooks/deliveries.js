// Deliveries of a webhook: each event with its attempts, its body and its headers as sent, and a button that sends it again.

import { element, get } from "../page.js";

const STATES = { delivered: "delivered", waiting: "waits for another attempt", given_up: "given up" };
/** Deliveries of a page. */
const LIMIT = 30;

const clock = instant => element("time", { dateTime: instant, title: instant, textContent: new Date(instant).toLocaleTimeString("en-GB") });
const count = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;
const box = (label, textContent) => element("pre", { textContent, tabIndex: 0, ariaLabel: label });

/**
 * Returns the list of the deliveries, and the function that reads the newest again. `ask` calls the API, `replay` sends all after a cursor
 * again.
 */
export function deliveryList(id, ask, replay) {
  const list = element("ol", { className: "plain" });
  const none = element("p", { className: "quiet", textContent: "Nothing was sent yet. A test is not in this list." });
  const more = element("button", { type: "button", textContent: "Older deliveries", hidden: true });
  const rows = new Map();
  let next;
  const read = async after => {
    const page = await ask(`/webhooks/${id}/deliveries?limit=${LIMIT}${after ? `&after=${after}` : ""}`);
    for (const delivery of page.deliveries) {
      if (!rows.has(delivery.event_id)) rows.set(delivery.event_id, row(ask, replay));
      rows.get(delivery.event_id).show(delivery);
    }
    const items = [...rows.values()].sort((one, other) => other.number() - one.number()).map(({ item }) => item);
    items.forEach((item, index) => { if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null); });
    none.hidden = items.length > 0;
    // A look at the newest does not forget how far back the list goes.
    if (after || next === undefined) {
      next = page.next;
      more.hidden = !page.has_more;
    }
  };
  more.onclick = () => read(next);
  return { element: element("div", {}, none, list, more), refresh: () => read() };
}

/** Returns the item of a delivery, and the function that shows it as it is now. */
function row(ask, replay) {
  const head = element("summary"), inside = element("div", { className: "inside" });
  const details = element("details", {}, head, inside);
  let delivery, shown;
  const open = () => {
    if (!details.open || shown === delivery.attempts.length) return;
    shown = delivery.attempts.length;
    showInside(inside, delivery, ask, replay);
  };
  details.ontoggle = open;
  const show = now => {
    delivery = now;
    showHead(head, delivery);
    open();
  };
  return { item: element("li", {}, details), show, number: () => Number(delivery.after.split("-")[1]) };
}

function showHead(head, { type, state, attempts }) {
  const last = attempts.at(-1);
  const facts = [count(attempts.length, "attempt"), last.error ?? `status ${last.status}`].map(text => element("span", { textContent: text }));
  head.replaceChildren(element("strong", { textContent: type }), " ", element("span", { className: state, textContent: STATES[state] }), " ",
    element("span", { className: "facts" }, clock(last.at), ...facts));
}

async function showInside(place, delivery, ask, replay) {
  const { event_id, after } = delivery;
  const again = element("button", { type: "button", textContent: "Send again from here", onclick: () => replay(after) });
  const explained = element("span", { className: "quiet", textContent: "Sends this event and all after it, in their order." });
  const parts = [element("p", { className: "quiet" }, "Event ", element("code", { textContent: event_id })), attemptTable(delivery.attempts),
    element("p", { className: "row" }, again, explained)];
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...parts);
  if (hadFocus) again.focus();
  try {
    const [messages, body] = await Promise.all([get(`/webhook-receiver.json?id=${event_id}`), bodyOf(after, event_id, ask)]);
    place.replaceChildren(...parts, ...bodyParts(messages.at(-1)?.body ?? body), ...headerParts(messages));
    if (hadFocus) again.focus();
  } catch (error) {
    place.append(element("p", { className: "error", textContent: error.message }));
  }
}

/** Returns the body that the event has in each message; null if the feed no longer has it. */
async function bodyOf(after, id, ask) {
  const { events: [event] } = await ask(`/events?after=${after}&limit=1`, true);
  return event?.id === id ? JSON.stringify({ type: event.type, timestamp: event.at, data: event.data }) : null;
}

function bodyParts(body) {
  const title = element("h3", { textContent: "Body" });
  if (body === null) return [title, element("p", { className: "quiet", textContent: "The feed no longer has this event." })];
  return [title, box("Body of the message", JSON.stringify(JSON.parse(body), null, 2))];
}

/** Returns the headers of the messages that the receiver of this stack got. Other receivers do not tell. */
function headerParts(messages) {
  const title = element("h3", { textContent: "Headers as sent" });
  if (messages.length === 0) {
    return [title, element("p", { className: "quiet", textContent: "Only the receiver of this stack keeps them: it got no message with this event." })];
  }
  return [title, ...messages.flatMap(({ received_at, answer, headers }) => [
    element("p", { className: "quiet" }, "To ", element("code", { textContent: `/webhook-receiver/${answer}` }), " at ", clock(received_at)),
    box(`Headers at ${received_at}`, headers.map(([name, value]) => `${name}: ${value}`).join("\n")),
  ])];
}

export function attemptTable(attempts) {
  const names = ["Time", "Status", "ms", "Error"];
  const head = element("tr", {}, ...names.map(name => element("th", { scope: "col", textContent: name })));
  const rows = attempts.map(({ at, status, milliseconds, error }) =>
    element("tr", {}, ...[clock(at), status ?? "none", milliseconds, error ?? ""].map(content => element("td", {}, content))));
  return element("table", { className: "attempts" }, element("thead", {}, head), element("tbody", {}, ...rows));
}
