// Tests of the local stack's start page: keys are copied, calls are sent, requests appear as they come, and tables are browsed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack, until } from "./stack.js";
import { look, openBrowser, Window } from "./window.js";

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

const calls = page => page.locator("#calls > li");
const requests = page => page.locator("#requests > li");
const items = page => page.locator("#items > li");
/** Returns the request of a row that this page has as its newest. */
const newest = page => requests(page).first().locator("summary");

/** Replaces the clipboard: reading it takes a permission, and a headless browser shares one with all windows. */
const recordCopies = page => page.evaluate(() => {
  window.copies = [];
  navigator.clipboard.writeText = async text => { window.copies.push(text); };
});
const copies = page => page.evaluate(() => window.copies);

test("the page shows what runs where, and copies the key of each role", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page, status } = await window.visit(stack.home);
  assert.equal(status, 200);
  await page.getByRole("heading", { name: "Local stack" }).waitFor();
  assert.equal(await page.locator("#base-url").textContent(), `${stack.origin}/api/v2`);
  await page.getByText("in memory: it is gone when the stack stops").waitFor();
  await recordCopies(page);
  for (const role of Object.keys(stack.keys)) {
    const button = page.getByRole("button", { name: `Copy key of ${role}` });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByText(`key of ${role} is copied`).waitFor({ state: "attached" });
  }
  assert.deepEqual((await copies(page)).sort(), Object.values(stack.keys).sort());
  await items(page).first().waitFor();
  await look(page, "home");
  await window.close();
});

test("one click makes a key that may only read", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.home);
  await page.getByRole("button", { name: "Make a read-only key" }).click();
  const key = await page.locator("#read-key code").textContent();
  assert.match(key, /^pk_[0-9A-Za-z]{36}$/);
  const call = (method, path) => fetch(`${stack.origin}/api/v2${path}`, { method, headers: { "x-api-key": key } });
  const me = await call("GET", "/user/me");
  assert.equal(me.status, 200);
  const refused = await call("DELETE", `/user/${(await me.json()).id}`);
  assert.deepEqual([refused.status, await refused.json()], [403, { errors: { authorization: "this key may only read" } }]);
  await window.close();
});

test("each call to try is sent with the key of the chosen role, and its answer is shown", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.home);
  assert.equal(await calls(page).count(), 5);
  await recordCopies(page);
  await page.getByRole("button", { name: "Copy curl: Who am I" }).click();
  assert.deepEqual(await copies(page), [`curl -H 'x-api-key: ${stack.keys.ORG_ADMIN}' '${stack.origin}/api/v2/user/me'`]);
  for (const call of await calls(page).all()) {
    await call.getByRole("button", { name: /^Send/ }).click();
    await call.locator(".status").filter({ hasText: "200" }).waitFor();
    const answer = JSON.parse(await call.locator(".answer").textContent());
    assert.equal(typeof answer, "object");
  }
  await look(page, "home-calls");
  await page.getByLabel("Call as").selectOption("PROVIDER");
  const first = calls(page).first();
  await first.getByRole("button", { name: /^Send/ }).click();
  await first.locator(".answer").filter({ hasText: '"PROVIDER"' }).waitFor();
  await window.close();
});

test("requests appear as they come, with cost, event and answer, and without the key", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.home);
  const secret = "a password of a test";
  const { status } = await stack.call("GET", "/reviews?rating__in=1,2&page=1");
  assert.equal(status, 200);
  await newest(page).filter({ hasText: "GET /api/v2/reviews?rating__in=1,2&page=1" }).waitFor();
  const words = await newest(page).textContent();
  assert.match(words, /200.* ms.*\d+ round trips?.*\d read units?.*ORG_ADMIN/);
  await newest(page).click();
  const inside = requests(page).first().locator(".inside");
  await inside.getByText("Event that the function got").waitFor();
  const [event, , answer] = (await inside.locator("pre").allTextContents()).map(text => JSON.parse(text));
  assert.equal(event.routeKey, "GET /api/v2/reviews");
  assert.equal(event.headers["x-api-key"], "[cut out]");
  assert.ok(answer.reviews.length > 0);
  await look(page, "home-request");

  // What is open stays open when another request arrives.
  const created = await stack.call("POST", "/user", { email: "bad", password: secret });
  assert.equal(created.status, 400);
  await newest(page).filter({ hasText: "POST /api/v2/user" }).waitFor();
  assert.equal(await inside.count(), 1);
  assert.equal(await requests(page).nth(1).locator("details").getAttribute("open"), "");
  await newest(page).click();
  await requests(page).first().getByText("Event that the function got").waitFor();
  const text = await page.locator("#requests").textContent();
  for (const hidden of [secret, ...Object.values(stack.keys)]) assert.ok(!text.includes(hidden), hidden);
  assert.ok(!text.includes("/home/"), "the page's own requests are not listed");
  await requests(page).first().getByRole("link", { name: "invalid" }).waitFor();

  // The filter takes words of the request, and its id.
  const visible = () => requests(page).locator("visible=true").count();
  const all = await visible();
  for (const words of ["400 post", created.headers.get("x-request-id")]) {
    await page.getByLabel("Filter").fill(words);
    await until("others are hidden", async () => await visible() < all);
    await newest(page).filter({ hasText: "POST /api/v2/user" }).waitFor();
  }
  await page.getByLabel("Filter").fill("nothing has this");
  await until("all are hidden", async () => await visible() === 0);
  await window.close();
});

test("tables are browsed: a page after another, with the kind of each item, and items are found by their keys", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.home);
  const table = name => page.locator("#table-names").getByRole("button", { name });
  const state = text => page.locator("#table-state").filter({ hasText: text }).waitFor();
  await state("users: 25 shown.");
  await page.getByRole("button", { name: "More items" }).click();
  await state("users: 50 shown");
  await table("reviews").click();
  await state("reviews: 25 shown.");
  const named = await stack.call("GET", "/reviews?page=1");
  const { id } = named.body.reviews[0];
  await page.getByLabel("Partition key").fill(id);
  await page.keyboard.press("Enter");
  await state("1 shown, that is all");
  const row = items(page).first();
  assert.equal(await row.locator("strong").textContent(), "review");
  await row.locator("summary").click();
  const stored = JSON.parse(await row.locator("pre").textContent());
  assert.equal(stored.pk, `R#${id}`);
  assert.ok(stored.body.bytes > 16, "a binary attribute has its number of bytes");
  assert.match(stored.body.hex, /^[0-9a-f]{32}…$/);
  await look(page, "home-review");

  await page.getByLabel("Partition key").fill("TREE#o:42");
  await page.getByLabel("Sort key").fill("ROOT");
  await page.keyboard.press("Enter");
  await state("reviews, TREE#o:42, ROOT: 1 shown");
  await items(page).filter({ hasText: "root of a tree" }).waitFor();
  await table("businesses").click();
  await state("businesses:");
  assert.equal(await page.getByLabel("Partition key").inputValue(), "");
  await window.close();
});

test("each stored item has a kind", async () => {
  const tables = await (await fetch(`${stack.origin}/home/tables.json`)).json();
  assert.deepEqual(tables.map(({ name }) => name), ["users", "api-keys", "businesses", "categories", "reviews", "audit", "events"]);
  for (const { name } of tables) {
    let after = "";
    let count = 0;
    while (after !== null) {
      const page = await (await fetch(`${stack.origin}/home/tables/${name}?${after}`)).json();
      for (const item of page.items) assert.ok(item.kind, `${name}: ${item.partition} ${item.sort}`);
      count += page.items.length;
      after = page.next && new URLSearchParams({ after_partition: page.next.partition, after_sort: page.next.sort });
    }
    assert.ok(count > 0, name);
  }
});

test("the stack keeps its page from other sites, and answers JSON to clients that want JSON", async () => {
  await until("the page answers", async () => (await fetch(stack.home)).status === 200);
  const json = await fetch(stack.home, { headers: { accept: "application/json" } });
  assert.deepEqual([json.status, await json.json()], [404, { message: "Not Found" }]);
  const changed = await fetch(stack.home, { method: "POST", headers: { origin: stack.origin } });
  assert.equal(changed.status, 404);
});
