// One review of the list: its texts, its state, and its reply on the way to the partner and back.

import { element } from "../page.js";
import { call } from "../filters.js";

/** Milliseconds between two looks at a reply that is on its way. */
const LOOK = 1000;
/** Number of characters of a text in the list. */
const EXCERPT = 140;
const STATES = { treated: "treated", not_treated: "not treated", deleted: "deleted" };
/** States of a reply, in words. */
const REPLIES = {
  pending: "on its way to the partner", published: "published", rejected: "rejected by the partner",
  removing: "being removed by the partner", unmanaged: "written on the partner's site",
};

const isOnItsWay = reply => reply?.state === "pending" || reply?.state === "removing";
const day = instant => element("time", { dateTime: instant, textContent: instant.slice(0, 10) });
const text = (className, textContent) => element("p", { className, textContent });

/** Returns the item of a review. Opened, it shows all of it and what can be done. */
export function reviewItem(review, business) {
  const details = element("details", { className: "review" });
  const parts = { review, business, reply: null, details, head: element("summary"), body: element("div", { className: "body" }) };
  details.append(parts.head, parts.body);
  showHead(parts);
  details.addEventListener("toggle", () => { if (details.open) load(parts); });
  return element("li", {}, details);
}

function showHead({ review, business, head }) {
  const stars = element("span", { className: "stars", textContent: "★".repeat(review.rating) + "☆".repeat(5 - review.rating) });
  stars.setAttribute("role", "img");
  stars.setAttribute("aria-label", `${review.rating} of 5 stars`);
  const state = element("span", { className: `state ${review.state}`, textContent: STATES[review.state] });
  const words = review.content ?? review.title ?? "no text";
  const excerpt = words.length > EXCERPT ? `${words.slice(0, EXCERPT)}…` : words;
  const place = [business?.name ?? review.business_id, review.author_name].filter(Boolean).join(" · ");
  head.replaceChildren(
    element("span", { className: "line" }, stars, state, day(review.update_date ?? review.date)),
    element("span", { className: "quiet place", textContent: place }),
    element("span", { className: "excerpt", textContent: excerpt }),
  );
}

/** Reads review and reply, and shows them. Looks again while the reply is on its way and the review is open. */
async function load(parts) {
  const { id } = parts.review;
  try {
    [parts.review, parts.reply] = await Promise.all([call(`/${id}`), replyOf(id)]);
    showHead(parts);
    showBody(parts);
  } catch (error) {
    parts.body.replaceChildren(alertWith(error.message));
  }
  watch(parts);
}

/** Returns the reply; null if there is none. */
async function replyOf(id) {
  try {
    return await call(`/${id}/reply`);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

function watch(parts) {
  clearTimeout(parts.timer);
  if (!isOnItsWay(parts.reply) || !parts.details.open || !parts.details.isConnected) return;
  parts.timer = setTimeout(() => look(parts), LOOK);
}

/** Shows a reply that is not on its way any more. Until then the form stays as the reader has it. */
async function look(parts) {
  const reply = await replyOf(parts.review.id).catch(() => parts.reply);
  if (isOnItsWay(reply)) watch(parts);
  else await load(parts);
}

const alertWith = message => {
  const made = text("error", message);
  made.setAttribute("role", "alert");
  return made;
};

function showBody(parts) {
  const { review, body } = parts;
  const link = review.link && element("a", { href: review.link, rel: "noreferrer", textContent: "at the partner" });
  body.replaceChildren(
    ...[review.title && element("h3", { textContent: review.title }), review.content && text("text", review.content)].filter(Boolean),
    element("p", { className: "quiet" }, `${review.partner} · ${review.partner_id} · id ${review.id}`, ...(link ? [" · ", link] : [])),
    ...replyParts(parts),
    ...(review.state === "deleted" ? [text("quiet", "The partner has taken this review down: nothing can be done with it.")] : actions(parts)),
  );
}

/** Returns what tells of the reply. */
function replyParts({ reply }) {
  if (!reply) return [text("quiet", "No reply.")];
  const said = element("p", { className: `reply ${reply.state}` }, element("strong", { textContent: `Reply, ${REPLIES[reply.state]}` }));
  said.setAttribute("role", "status");
  const by = reply.requested_by && ` by user ${reply.requested_by}, ${reply.requested_at.slice(0, 16).replace("T", " ")}`;
  if (by) said.append(element("span", { className: "quiet", textContent: by }));
  const parts = [said];
  if (reply.content) parts.push(text("text", reply.content));
  if (reply.reason) parts.push(text("", `Reason: ${reply.reason}`));
  return parts;
}

/** Returns the buttons and the form of what can be done with a review. */
function actions(parts) {
  const { review, reply } = parts;
  const wrong = alertWith("");
  wrong.hidden = true;
  const act = async (...request) => {
    try {
      await call(...request);
    } catch (error) {
      wrong.textContent = error.message;
      wrong.hidden = false;
      return;
    }
    await load(parts);
    parts.head.focus();
  };
  const button = (label, run, className = "") => element("button", { type: "button", className, textContent: label, onclick: run });
  const other = review.state === "treated" ? "not_treated" : "treated";
  const field = element("textarea", { rows: 4, name: "content", value: reply?.content ?? "" });
  const form = element("form", {},
    element("label", {}, "Your reply ", field),
    element("p", { className: "row" },
      element("button", { type: "submit", className: "main", textContent: reply?.content ? "Replace the reply" : "Send the reply" }),
      ...(reply && reply.state !== "removing" ? [button("Take the reply back", () => act(`/${review.id}/reply`, "DELETE"))] : []),
      button(`Set to ${STATES[other]}`, () => act(`/${review.id}`, "PUT", { state: other }))));
  form.onsubmit = event => {
    event.preventDefault();
    act(`/${review.id}/reply`, "PUT", { content: field.value });
  };
  return [form, wrong];
}
