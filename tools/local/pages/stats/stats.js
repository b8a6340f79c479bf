// Page of the statistics: reads the filters, asks the API, and shows what it answers.

import { byId, copyButton, element, follow } from "../page.js";
import { businessesOf, call, chosenBusinesses, parameters, refresh, restrict, startFilters } from "../filters.js";
import { drawMonths, drawStars, smallBars } from "./charts.js";

/** Largest number of businesses in a request. More are asked for in several, whose numbers are added. */
const BUSINESSES = 200;
/** Largest number of months without a review that are drawn one by one. */
const EMPTY_MONTHS = 1200;

/** Tables with a row for each group, some with another state than the filters have. */
const TABLES = [
  { id: "untreated", title: "Still to treat, by business", groupBy: "business", state: "not_treated" },
  { id: "business", title: "Reviews by business", groupBy: "business" },
  { id: "city", title: "Reviews by city", groupBy: "city" },
  { id: "partner", title: "Reviews by partner", groupBy: "partner" },
];

let shown = null;

/** Adds up numbers of the same names. */
const addNumbers = (one, other) => Object.fromEntries(Object.entries(one).map(([name, count]) => [name, count + other[name]]));

/** Returns the average of ratings as the API rounds it; null without a review. */
function average(ratings) {
  const counts = Object.entries(ratings);
  const count = counts.reduce((sum, [, number]) => sum + number, 0);
  const stars = counts.reduce((sum, [rating, number]) => sum + Number(rating) * number, 0);
  return count === 0 ? null : Math.floor((200 * stars + count) / (2 * count)) / 100;
}

/** Adds up answers about different businesses. */
function addAnswers(answers) {
  return answers.reduce((sum, answer) => {
    const groups = new Map(sum.groups.map(group => [group.key, group]));
    for (const group of answer.groups) {
      const known = groups.get(group.key);
      groups.set(group.key, known ? addGroups(known, group) : group);
    }
    return {
      ...addGroups(sum, answer),
      states: addNumbers(sum.states, answer.states),
      partners: addNumbers(sum.partners, answer.partners),
      with_content: sum.with_content + answer.with_content,
      groups: [...groups.values()].sort((one, other) => one.key < other.key ? -1 : 1),
    };
  });
}

function addGroups(one, other) {
  const ratings = addNumbers(one.ratings, other.ratings);
  return { ...one, count: one.count + other.count, ratings, average_rating: average(ratings) };
}

/** Returns the paths that ask for the statistics with groups, as many as the businesses need. */
function paths({ groupBy, state }) {
  const chosen = chosenBusinesses();
  const parts = chosen === null ? [null] : chunks(chosen);
  return parts.map(part => {
    const query = restrict(parameters(), part);
    if (state) query.set("state", state);
    if (groupBy) query.set("group_by", groupBy);
    return `/stats?${query}`;
  });
}

const ask = async table => addAnswers(await Promise.all(paths(table).map(path => call(path))));

/** Returns a button that copies the calls behind a chart or a table, as they are at the click. */
function queryButton(table, title) {
  const curl = path => `curl -H "x-api-key: $KEY" '${location.origin}/api/v2/reviews${path}'`;
  return copyButton(title, () => paths(table).map(curl).join("\n"), "Copy query");
}

function chunks(all) {
  const parts = [];
  for (let start = 0; start < all.length; start += BUSINESSES) parts.push(all.slice(start, start + BUSINESSES));
  return parts.length > 0 ? parts : [[]];
}

/** Returns all months from the first to the last group, those without a review too. */
function allMonths(groups) {
  const number = key => Number(key.slice(0, 4)) * 12 + Number(key.slice(5)) - 1;
  const name = month => `${String(Math.floor(month / 12)).padStart(4, "0")}-${String(month % 12 + 1).padStart(2, "0")}`;
  const months = [];
  for (const { key, count, average_rating } of groups) {
    const next = months.length > 0 ? number(months.at(-1).key) + 1 : number(key);
    if (number(key) - next <= EMPTY_MONTHS) {
      for (let month = next; month < number(key); month++) months.push({ key: name(month), count: 0, average: null });
    }
    months.push({ key, count, average: average_rating });
  }
  return months;
}

/** Returns a row of a table: a header with a remark below it, then cells. Numbers are aligned at the right. */
function row(header, remark, ...cells) {
  const made = document.createElement("tr");
  const head = Object.assign(document.createElement("th"), { scope: "row", textContent: header });
  if (remark) head.append(Object.assign(document.createElement("small"), { textContent: remark }));
  made.append(head, ...cells.map(content => {
    const cell = document.createElement("td");
    cell.className = typeof content === "number" ? "number" : "wide";
    cell.append(typeof content === "number" ? content.toLocaleString("en") : content);
    return cell;
  }));
  return made;
}

function draw() {
  if (!shown) return;
  drawStars(byId("stars"), shown.total.ratings);
  drawMonths(byId("months"), shown.months);
}

/** Returns the section of a table, still without rows. */
function tableSection({ id, title, groupBy, ...table }) {
  const cell = (textContent, className) => element("th", { scope: "col", className, textContent });
  const head = [cell(`${groupBy[0].toUpperCase()}${groupBy.slice(1)}`, ""), cell("Reviews", "number"), cell("Average", "number"), cell("Stars, 1 to 5", "wide")];
  const scroll = element("section", { className: "scroll", tabIndex: 0, ariaLabel: `Table of ${title}` },
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", { id: `${id}-rows` })));
  const made = element("section", {}, element("h2", { id: `${id}-title`, textContent: title }), queryButton({ groupBy, ...table }, title), scroll);
  made.setAttribute("aria-labelledby", `${id}-title`);
  return made;
}

function show([byMonth, ...answers]) {
  shown = { total: byMonth, months: allMonths(byMonth.groups) };
  draw();
  byId("month-rows").replaceChildren(...byMonth.groups.map(group => row(group.key, "", group.count, group.average_rating)));
  const known = new Map(businessesOf("").map(business => [business.id, business]));
  TABLES.forEach(({ id }, number) => byId(`${id}-rows`).replaceChildren(...answers[number].groups.map(group => {
    const { name = group.name ?? group.key.replace("_", " "), city = "" } = known.get(group.key) ?? {};
    return row(name, city, group.count, group.average_rating, smallBars(group.ratings));
  })));
  byId("summary").textContent = sentence(byMonth);
}

function sentence({ count, average_rating, states, partners, with_content }) {
  if (count === 0) return "No review matches.";
  const number = value => value.toLocaleString("en");
  const listed = (numbers, words) => words.map(([name, word]) => `${number(numbers[name])} ${word}`).join(", ");
  const of = listed(states, [["treated", "treated"], ["not_treated", "not treated"], ["deleted", "deleted"]]);
  const on = listed(partners, [["partner_8", "on partner 8"], ["partner_1", "on partner 1"], ["partner_9", "on partner 9"]]);
  return `${number(count)} reviews, ${average_rating.toFixed(2)} stars on average. ${of}. ${on}. ${number(with_content)} with text.`;
}

new ResizeObserver(draw).observe(byId("months"));
byId("tables").append(...TABLES.map(tableSection));
byId("stars-title").after(queryButton({}, "Reviews by stars"));
byId("months-title").after(queryButton({ groupBy: "month" }, "Reviews a month"));
const read = () => refresh(() => Promise.all([{ groupBy: "month" }, ...TABLES].map(ask)), show);
startFilters(read, () => follow("reviews", read));
