// Page of the statistics: reads the filters, asks the API, and shows what it answers.

import { byId, follow } from "../page.js";
import { businessesOf, call, chosenBusinesses, parameters, refresh, restrict, startFilters } from "../filters.js";
import { drawMonths, drawStars, smallBars } from "./charts.js";

/** Largest number of businesses in a request. More are asked for in several, whose numbers are added. */
const BUSINESSES = 200;
/** Largest number of months without a review that are drawn one by one. */
const EMPTY_MONTHS = 1200;

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

/** Asks for the statistics with groups, in as many requests as the businesses need. */
async function ask(groupBy) {
  const chosen = chosenBusinesses();
  const parts = chosen === null ? [null] : chunks(chosen);
  const answers = await Promise.all(parts.map(part => {
    const query = restrict(parameters(), part);
    query.set("group_by", groupBy);
    return call(`/stats?${query}`);
  }));
  return addAnswers(answers);
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

function show([byMonth, byBusiness]) {
  shown = { total: byMonth, months: allMonths(byMonth.groups) };
  draw();
  byId("month-rows").replaceChildren(...byMonth.groups.map(group => row(group.key, "", group.count, group.average_rating)));
  const known = new Map(businessesOf("").map(business => [business.id, business]));
  byId("business-rows").replaceChildren(...byBusiness.groups.map(group => {
    const { name = group.key, city = "" } = known.get(group.key) ?? {};
    return row(name, city, group.count, group.average_rating, smallBars(group.ratings));
  }));
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
const read = () => refresh(() => Promise.all([ask("month"), ask("business")]), show);
startFilters(read, () => follow("reviews", read));
