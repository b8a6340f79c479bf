// The start page follows the stack: the numbers of items, the last requests, and the way of an invitation.

import { byId, element, follow, get } from "/pages/page.js";
import { followInvitation } from "/pages/home/invite.js";
import { requestRow } from "/pages/requests/row.js";

/** Number of requests that are shown. */
const MOST = 5;

const { keys } = JSON.parse(byId("data").textContent);
const list = byId("requests");
let newest = 0;

async function showSizes() {
  const tables = await get("/home/tables.json");
  byId("sizes").replaceChildren("Items: ", ...tables.flatMap(({ name, items }) =>
    [element("a", { href: `/tables?table=${name}`, textContent: `${name} ${items === null ? "" : items.toLocaleString("en")}` }), " "]));
}

async function showRequests() {
  const { requests } = await get(`/home/requests.json?after=${newest}`);
  if (requests.length === 0) return;
  if (newest === 0) list.replaceChildren();
  list.prepend(...requests.slice(-MOST).reverse().map(request => requestRow(request, keys)));
  while (list.childElementCount > MOST) list.lastElementChild.remove();
  newest = requests.at(-1).number;
}

follow("home", () => Promise.all([showSizes(), showRequests(), followInvitation()]));
