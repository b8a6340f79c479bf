// Page of the reviews: searches with the filters, and lists what the API finds, page by page.

import { byId, follow } from "../page.js";
import { businessesOf, call, chosenBusinesses, parameters, refresh, restrict, startFilters } from "../filters.js";
import { reviewItem } from "./review.js";

let page = 1;

function ask() {
  const query = restrict(parameters(), chosenBusinesses());
  query.set("page", page);
  return call(`?${query}`);
}

function show({ count, max_page, reviews }) {
  const known = new Map(businessesOf("").map(business => [business.id, business]));
  byId("reviews").replaceChildren(...reviews.map(review => reviewItem(review, known.get(review.business_id))));
  const number = value => value.toLocaleString("en");
  const reviewsFound = count === 1 ? "1 review" : `${number(count)} reviews`;
  byId("summary").textContent = count === 0 ? "No review matches." : `${reviewsFound}. Page ${number(page)} of ${number(max_page)}.`;
  byId("previous").disabled = page <= 1;
  byId("next").disabled = page >= max_page;
}

async function open(number) {
  page = number;
  await refresh(ask, show);
}

/** Opens the page beside the present one, and puts the focus on its first review. */
async function turn(step) {
  await open(page + step);
  document.querySelector("#reviews summary")?.focus();
}

byId("previous").onclick = () => turn(-1);
byId("next").onclick = () => turn(1);
startFilters(() => open(1));
follow("stack");
