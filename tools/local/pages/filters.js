// Filters of reviews, which the pages of the statistics and of the reviews share, and calls of the API with the key among them.

import { byId, callApi, get } from "./page.js";

const form = byId("filters");
let orgs = [];
let newest = 0;

/** Returns the businesses of an organisation by its id; of all without one. */
export const businessesOf = org => orgs.filter(one => !org || String(one.id) === org).flatMap(one => one.businesses);

/** Returns the businesses that organisation and business choose; null for all. */
export function chosenBusinesses() {
  const { org, business } = form.elements;
  if (business.value) return [business.value];
  return org.value ? businessesOf(org.value).map(one => one.id) : null;
}

/** Adds the businesses to the parameters. A list without items would be no filter: no business has the id that stands for none. */
export function restrict(query, businesses) {
  if (businesses) query.set("business__in", businesses.length > 0 ? businesses.join(",") : "-");
  return query;
}

/** Returns the parameters of all filters but the businesses. */
export function parameters() {
  const data = new FormData(form);
  const query = new URLSearchParams();
  for (const name of ["rating__in", "state", "partner__in"]) {
    if (data.getAll(name).length > 0) query.set(name, data.getAll(name).join(","));
  }
  const single = { city: "business_city", from: "update_date__gte", to: "update_date__lte", content: "content__isnull" };
  for (const [name, parameter] of Object.entries(single)) {
    if (data.get(name)) query.set(parameter, data.get(name));
  }
  return query;
}

/** Calls the API below `/reviews` with the key of the form, as `callApi`. */
export const call = (path, method, body) => callApi(form.elements.key.value, `/reviews${path}`, method, body);

/** Offers the cities and businesses of the chosen organisation. */
function offer() {
  const { org, city, business } = form.elements;
  const there = businessesOf(org.value);
  const cities = [...new Set(there.map(one => one.city))].sort();
  fill(city, cities.map(name => [name, name]));
  const inCity = there.filter(one => !city.value || one.city === city.value);
  fill(business, inCity.map(one => [one.id, one.name]));
}

/** Fills a list, and keeps what is chosen if it is still there. */
function fill(select, options) {
  const chosen = select.value;
  select.replaceChildren(new Option("all", ""), ...options.map(([value, name]) => new Option(name, value)));
  select.value = options.some(([value]) => value === chosen) ? chosen : "";
}

/** Asks, and shows the answers. Of several calls that run, the newest counts. */
export async function refresh(ask, show) {
  const turn = ++newest;
  const main = document.querySelector("main");
  main.setAttribute("aria-busy", "true");
  let wrong = "";
  try {
    const answers = await ask();
    if (turn !== newest) return;
    show(answers);
  } catch (error) {
    if (turn !== newest) return;
    wrong = error.message;
  }
  byId("error").textContent = wrong;
  byId("error").hidden = !wrong;
  main.removeAttribute("aria-busy");
}

/** Fills the filters with the key of the most powerful role, and runs a function after each change. `begin` shows the page at first. */
export async function startFilters(changed, begin = changed) {
  const keys = JSON.parse(byId("keys").textContent);
  form.elements.key.defaultValue = keys.PROVIDER ?? "";
  orgs = await get("/reviews/orgs.json");
  fill(form.elements.org, orgs.map(org => [String(org.id), org.name]));
  offer();
  form.addEventListener("change", () => { offer(); changed(); });
  form.addEventListener("submit", event => { event.preventDefault(); changed(); });
  form.addEventListener("reset", () => setTimeout(() => { offer(); changed(); }));
  await begin();
}
