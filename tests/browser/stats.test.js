// Tests of the local stack's statistics: filters choose what is counted, and the charts and tables show what the API answers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack, until } from "./stack.js";
import { look, openBrowser, Window } from "./window.js";

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

/** Returns the API's answer to the caller who sees one organisation, 42. */
const stats = async query => {
  const { status, body } = await stack.call("GET", `/reviews/stats?${query}`);
  assert.equal(status, 200);
  return body;
};
const english = number => number.toLocaleString("en");

/** Returns the rows of a table, each with the texts of its cells. */
const rows = (page, id) => page.locator(`#${id} tr`).evaluateAll(all =>
  all.map(row => [...row.children].map(cell => cell.textContent)));

/** Waits until the sentence above the charts says how many reviews there are. */
const counted = (page, count) => page.getByRole("status").filter({ hasText: count === 0 ? "No review" : `${english(count)} reviews,` }).waitFor();

/** Checks charts and tables against the API's answers to the same filters. */
async function agrees(page, query) {
  const [byMonth, byBusiness] = await Promise.all(["month", "business"].map(group => stats(`${query}&group_by=${group}`)));
  await counted(page, byMonth.count);
  const stars = Object.entries(byMonth.ratings).reverse().map(([rating, count]) => `${rating} stars: ${count}`).join(", ");
  assert.equal(await page.locator("#stars svg").getAttribute("aria-label"), stars);
  const widths = await page.locator("#stars rect").evaluateAll(all => all.map(bar => Number(bar.getAttribute("width"))));
  const counts = Object.values(byMonth.ratings).reverse();
  const longest = widths[counts.indexOf(Math.max(...counts))];
  counts.forEach((count, row) => assert.ok(Math.abs(widths[row] - longest * count / Math.max(...counts)) <= 1, `bar ${row}`));
  const average = group => group.average_rating.toLocaleString("en");
  assert.deepEqual(await rows(page, "month-rows"), byMonth.groups.map(group => [group.key, english(group.count), average(group)]));
  const untreated = await stats(`${query.replace(/&?state=[^&]*/, "")}&group_by=business&state=not_treated`);
  const byCity = await stats(`${query}&group_by=city`), byPartner = await stats(`${query}&group_by=partner`);
  for (const [id, answer] of Object.entries({ business: byBusiness, city: byCity, partner: byPartner, untreated })) {
    const shown = (await rows(page, `${id}-rows`)).map(([, count, rating]) => [count, rating]);
    assert.deepEqual(shown, answer.groups.map(group => [english(group.count), average(group)]), id);
  }
  assert.deepEqual((await rows(page, "city-rows")).map(([name]) => name), byCity.groups.map(group => group.name));
  const points = await page.locator("#months polyline.count").getAttribute("points");
  const [first, last] = [byMonth.groups[0].key, byMonth.groups.at(-1).key].map(key => Number(key.slice(0, 4)) * 12 + Number(key.slice(5)));
  assert.equal(points.split(" ").length, last - first + 1, "each month has a point, one without a review too");
  return byMonth;
}

test("the charts and tables show the statistics of the chosen organisation, dates and filters", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page, status } = await window.visit(stack.stats);
  assert.equal(status, 200);
  await counted(page, 3450);
  await look(page, "stats-all");
  await page.getByRole("combobox", { name: "Organisation" }).selectOption({ label: "Maison Verte" });
  const all = await agrees(page, "");
  const [first] = await rows(page, "business-rows");
  assert.equal(first[0], "Maison Verte ChâteaucreuxSaint-Étienne", "the name, and the city below it");
  await look(page, "stats-organisation");

  await page.getByLabel("From", { exact: true }).fill("2025-03-10");
  await page.getByLabel("To", { exact: true }).fill("2025-12-24");
  const dated = await agrees(page, "update_date__gte=2025-03-10&update_date__lte=2025-12-24");
  await page.getByLabel("1", { exact: true }).check();
  await page.getByLabel("5", { exact: true }).check();
  await page.getByLabel("not treated").check();
  await page.getByLabel("partner 1", { exact: true }).check();
  await page.getByLabel("Text").selectOption("with text");
  const filters = "update_date__gte=2025-03-10&update_date__lte=2025-12-24&rating__in=1,5&state=not_treated&partner__in=partner_1&content__isnull=False";
  const filtered = await agrees(page, filters);
  assert.ok(0 < filtered.count && filtered.count < dated.count && dated.count < all.count);
  await look(page, "stats-filtered");

  await page.evaluate(() => { navigator.clipboard.writeText = async text => { window.copied = text; }; });
  for (const [title, state, group] of [["Reviews by stars", "not_treated", ""], ["Reviews by city", "not_treated", "&group_by=city"]]) {
    await page.getByRole("button", { name: `Copy query ${title}` }).click();
    const [, url] = (await page.evaluate(() => window.copied)).match(/^curl -H "x-api-key: \$KEY" '(.*)'$/);
    const { searchParams, pathname } = new URL(url);
    const response = await fetch(url, { headers: { "x-api-key": stack.key } });
    assert.deepEqual([pathname, response.status, searchParams.get("state")], ["/api/v2/reviews/stats", 200, state]);
    assert.deepEqual(await response.json(), await stats(`${filters}${group}`), "the copied query has the filters");
  }
  await page.getByLabel("not treated").uncheck();
  await page.getByLabel("treated", { exact: true }).check();
  await agrees(page, filters.replace("not_treated", "treated"));
  await page.getByRole("button", { name: "Clear" }).click();
  await counted(page, 3450);
  await window.close();
});

test("a city and a business narrow what is counted, and nothing that matches is said to be nothing", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.stats);
  await page.getByRole("combobox", { name: "City" }).selectOption("Besançon");
  await agrees(page, "business_city=besancon");
  await page.getByRole("combobox", { name: "Business" }).selectOption({ label: "Maison Verte Grande Rue" });
  await agrees(page, "business__in=5409c35a97bbc544d8e26738&business_city=besancon");
  await page.getByLabel("To", { exact: true }).fill("1999-12-31");
  await counted(page, 0);
  assert.deepEqual(await rows(page, "business-rows"), []);
  await look(page, "stats-nothing");
  await window.close();
});

test("another key sees what it may see, and a wrong one is refused in words", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.stats);
  const key = page.getByLabel("API key");
  await key.fill(stack.key);
  await key.press("Tab");
  await agrees(page, "");
  await key.fill("pk_nobody");
  await key.press("Tab");
  const alert = page.getByRole("alert");
  await alert.filter({ hasText: "a valid API key is required" }).waitFor();
  await look(page, "stats-refused");
  await key.fill(stack.key);
  await key.press("Tab");
  await until("the error goes away", async () => !await alert.isVisible());
  await window.close();
});
