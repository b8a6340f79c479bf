// Tests of the start page and of the pages of requests and tables: what a newcomer needs is on one screen, and an invitation is followed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { Stack, until } from "./stack.js";
import { look, openBrowser, viewsOf, Window } from "./window.js";

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

const requests = page => page.locator("#requests > li");
const items = page => page.locator("#items > li");
/** Returns the request of a row that this page has as its newest. */
const newest = page => requests(page).first().locator("summary");
/** Returns a function that finds a step of the way of an invitation by the name of its link, once it is lit. */
const litStep = page => name =>
  page.locator("#way li.lit").filter({ has: page.getByRole("link", { name: new RegExp(`${name}$`) }) });

/** Replaces the clipboard: reading it takes a permission, and a headless browser shares one with all windows. */
const recordCopies = page => page.evaluate(() => {
  window.copies = [];
  navigator.clipboard.writeText = async text => { window.copies.push(text); };
});
const copies = page => page.evaluate(() => window.copies);

test("the page has state, sizes, keys, call and requests on one screen, and copies the key of each role as it is and as .env", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page, status } = await window.visit(stack.home);
  assert.equal(status, 200);
  await page.getByRole("heading", { name: "Local stack" }).waitFor();
  assert.equal(await page.locator("#base-url").textContent(), `${stack.origin}/api/v2`);
  await page.getByText("in memory: it is gone when the stack stops").waitFor();
  await page.getByRole("link", { name: /^reviews \d/ }).waitFor();
  await recordCopies(page);
  for (const [role, key] of Object.entries(stack.keys)) {
    await page.getByLabel("Role").selectOption(role);
    await page.getByRole("button", { name: "Copy key" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("key is copied", { exact: true }).waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Copy as .env file with the key" }).click();
    await page.getByText("file with the key is copied").waitFor({ state: "attached" });
    assert.deepEqual((await copies(page)).slice(-2), [key, `PRESENCE_URL=${stack.origin}/api/v2\nPRESENCE_API_KEY=${key}\n`]);
  }
  for (let number = 0; number < 5; number += 1) await stack.call("GET", "/user/me");
  await page.getByRole("button", { name: "Run" }).click();
  await until("five requests", async () => await requests(page).locator("summary").count() === 5);
  await page.setViewportSize({ width: 1280, height: 800 });
  const { y, height } = await page.locator(".board").boundingBox();
  assert.ok(y + height <= 800, `the board ends at ${y + height}`);
  await look(page, "home");
  await window.close();
});

test("one click makes a key that may only read", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.home);
  await page.getByRole("button", { name: "Read-only key" }).click();
  const key = await page.locator("#read-key code").textContent();
  assert.match(key, /^pk_[0-9A-Za-z]{36}$/);
  const call = (method, path) => fetch(`${stack.origin}/api/v2${path}`, { method, headers: { "x-api-key": key } });
  const me = await call("GET", "/user/me");
  assert.equal(me.status, 200);
  const refused = await call("DELETE", `/user/${(await me.json()).id}`);
  assert.deepEqual([refused.status, await refused.json()], [403, { errors: { authorization: "this key may only read" } }]);
  await window.close();
});

test("each task runs with the key of the chosen role, and its code is there in each language", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.home);
  const code = page.getByRole("tabpanel");
  const run = async () => {
    const answered = page.waitForResponse(response => response.url().includes("/api/v2/"));
    await page.getByRole("button", { name: "Run" }).click();
    assert.equal((await answered).status(), 200);
    await page.getByRole("button", { name: "Run", disabled: false }).waitFor();
    return JSON.parse(await page.getByRole("region", { name: "Body of the answer" }).textContent());
  };
  const tasks = await page.getByLabel("Task").locator("option").allTextContents();
  assert.equal(tasks.length, 5);
  for (const task of tasks) {
    await page.getByLabel("Task").selectOption(task);
    assert.equal(typeof await run(), "object", task);
  }
  for (const language of ["curl", "TypeScript", "Python", "Rust"]) {
    await page.getByRole("tab", { name: language }).click();
    assert.ok((await code.textContent()).includes(stack.key), language);
    await look(page, `home-${language}`, viewsOf("en", []));
  }
  await page.getByLabel("Task").selectOption("Who am I");
  await page.getByLabel("Role").selectOption("PROVIDER");
  assert.ok((await code.textContent()).includes(stack.keys.PROVIDER));
  assert.equal((await run()).role, "PROVIDER");
  await window.close();
});

test("an invitation lights its way to the mail and the events, and a refused one says why", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.home);
  const step = litStep(page);
  await page.getByRole("button", { name: "Invite somebody" }).click();
  for (const [name, fact] of [
    ["Request", /200 in [\d.]+ ms/], ["Round trips", /\d+; [\d.]+ read, \d+ write units/], ["Outbox", "the mail has left"],
    ["Audit record", "create"], ["Mail", /after [\d,]+ ms/], ["Events", "invitation.sent"],
  ]) await step(name).filter({ hasText: fact }).waitFor();
  const email = (await page.locator("#invited").textContent()).split(" ")[0];
  assert.equal((await stack.mails(email)).length, 1);
  await look(page, "home-invited");
  await step("Audit record").getByRole("link").click();
  await page.getByText("1 shown, that is all").waitFor();
  await page.goBack();
  await page.getByLabel("Role").selectOption("BUSINESS_MANAGER");
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await page.getByText("The API refuses, with status 403").waitFor();
  assert.equal(await page.locator("#way li.lit").count(), 0);

  // While SES takes no mail, the mail waits, and the drawing shows no mail.
  const mode = name => fetch(`${stack.mailbox}/ses`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ mode: name }) });
  await mode("throttle");
  await page.getByLabel("Role").selectOption("ORG_ADMIN");
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await step("Events").waitFor();
  await step("Outbox").waitFor();
  assert.equal(await step("Mail").count(), 0);
  await mode("fine");
  await window.close();
});

test("the way of an invitation is whole, also if its request appears last", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.home);
  const step = litStep(page);
  let isHidden = true;
  await page.route(/requests\.json$/, async route => {
    const response = await route.fetch();
    const answer = await response.json();
    await route.fulfill({ response, json: isHidden ? { ...answer, requests: [] } : answer });
  });
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await step("Events").filter({ hasText: "invitation.sent" }).waitFor();
  await step("Outbox").filter({ hasText: "the mail has left" }).waitFor();
  assert.equal(await step("Request").count(), 0);
  isHidden = false;
  await stack.call("GET", "/user/me");
  await step("Request").waitFor();
  await window.close();
});

test("requests appear as they come, with cost, event and answer, and without the key", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(`${stack.origin}/requests`);
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
  await look(page, "requests-open");

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

  // Each filter leaves the requests that it names. The address keeps it.
  const visible = () => requests(page).locator("visible=true").locator("summary").allTextContents();
  await stack.call("GET", "/user/me");
  const id = created.headers.get("x-request-id");
  for (const [label, value, wanted] of [
    ["Status", "4xx", /^\S+ 4/], ["Role", "ORG_ADMIN", /ORG_ADMIN/], ["Words", "400 post", /400POST/], ["Words", id, /400POST \/api\/v2\/user/],
  ]) {
    const field = page.getByLabel(label);
    await (label === "Words" ? field.fill(value) : field.selectOption(value));
    await until(`${label} ${value}`, async () => (await visible()).length > 0 && (await visible()).every(text => wanted.test(text)));
  }
  assert.equal((await visible()).length, 1, "an id is of one request");
  const { page: again } = await window.visit(page.url());
  await until("the address keeps the filter", async () => await requests(again).locator("visible=true").count() === 1);
  await page.getByRole("button", { name: "All requests" }).click();
  await until("all are there", async () => (await visible()).length > 2);
  await page.getByLabel("100 ms or more").check();
  await until("slow ones are left", async () => (await visible()).every(text => parseFloat(/([\d.]+) ms/.exec(text)[1]) >= 100));
  await window.close();
});

test("a request runs again with the key of its role, and is saved as an event of the repository", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(`${stack.origin}/requests`);
  const body = { email: "replay@guests.example", first_name: "Re", last_name: "Play" };
  const created = await stack.call("POST", "/user", body);
  assert.equal(created.status, 200);
  await page.getByLabel("Words").fill(created.headers.get("x-request-id"));
  await requests(page).locator("visible=true").locator("summary").click();
  const inside = requests(page).locator("details[open] .inside");
  const [download] = await Promise.all([page.waitForEvent("download"), inside.getByRole("button", { name: "Save as event" }).click()]);
  assert.equal(download.suggestedFilename(), "create_user.json");
  await inside.getByText("cargo invoke users create_user").waitFor();
  const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
  assert.deepEqual([saved.routeKey, saved.headers["x-api-key"], JSON.parse(saved.body), saved.isBase64Encoded], ["POST /api/v2/user", stack.key, body, false]);
  await inside.getByRole("button", { name: "Run again as ORG_ADMIN" }).click();
  await inside.getByText("400", { exact: true }).waitFor();
  await page.getByLabel("Words").fill("");
  await newest(page).filter({ hasText: "400POST /api/v2/user" }).waitFor();
  await look(page, "requests-again");

  // What had a secret cannot run again.
  await fetch(`${stack.origin}/api/v2/user/me?api_key=${stack.key}`);
  await page.getByLabel("Words").fill("get /api/v2/user/me?api_key");
  await until("one is left", async () => await requests(page).locator("visible=true").count() === 1);
  await requests(page).locator("visible=true").locator("summary").click();
  await page.getByText("a secret of this request is cut out").waitFor();

  // But its event is saved with the key of its role in each place of a key.
  const shown = requests(page).locator("visible=true");
  const saving = shown.getByRole("button", { name: "Save as event" });
  const save = async () => {
    const [file] = await Promise.all([page.waitForEvent("download"), saving.click()]);
    return JSON.parse(readFileSync(await file.path(), "utf8"));
  };
  const read = await save();
  assert.deepEqual([read.rawQueryString, read.queryStringParameters.api_key], [`api_key=${stack.key}`, stack.key]);
  const headers = { "x-apikey": stack.key, "content-type": "application/json", "cookie": "of=another-page" };
  const inBody = { ...body, email: "replay.too@guests.example", api_key: stack.key };
  const made = await fetch(`${stack.origin}/api/v2/user`, { method: "POST", headers, body: JSON.stringify(inBody) });
  assert.equal(made.status, 200);
  await page.getByLabel("Words").fill(made.headers.get("x-request-id"));
  await shown.locator("summary").click();
  const written = await save();
  assert.deepEqual([written.headers["x-apikey"], JSON.parse(written.body), written.cookies], [stack.key, inBody, undefined]);

  // Nobody can restore a password.
  const refused = await stack.call("POST", "/user", { ...body, email: "bad", password: "a password of a test" });
  await page.getByLabel("Words").fill(refused.headers.get("x-request-id"));
  await shown.locator("summary").click();
  assert.ok(await saving.isDisabled());
  assert.equal(await saving.getAttribute("title"), "Not to save: a secret of this request is cut out.");
  await window.close();
});

test("tables are browsed: a page after another, with the kind of each item, and items are found by their keys", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(`${stack.origin}/tables`);
  const table = name => page.locator("#table-names").getByRole("button", { name });
  const state = text => page.locator("#table-state").filter({ hasText: text }).waitFor();
  const kinds = async () => [...new Set(await items(page).locator("strong").allTextContents())];
  await state("users, user: 25 shown.");
  assert.deepEqual(await kinds(), ["user"]);
  await page.getByRole("button", { name: "More items" }).click();
  await state("that is all");
  const { body: all } = await stack.call("GET", "/user/me");
  const partitions = await items(page).locator("summary code").allTextContents();
  assert.equal(new Set(partitions).size, partitions.length, "no user twice");
  assert.ok(partitions.includes(`USER#${all.id} · USER`));
  await table("reviews").click();
  await state("reviews, review: 25 shown.");
  await page.getByLabel("Kind").selectOption("root of a tree");
  await state("reviews, root of a tree:");
  assert.deepEqual(await kinds(), ["root of a tree"]);
  const named = await stack.call("GET", "/reviews?page=1");
  const { id } = named.body.reviews[0];
  await page.getByLabel("Partition key").fill(id);
  await page.keyboard.press("Enter");
  await state(`reviews, R#${id}: 1 shown, that is all`);
  const row = items(page).first();
  assert.equal(await row.locator("strong").textContent(), "review");
  await row.locator("summary").click();
  const stored = JSON.parse(await row.locator("pre").textContent());
  assert.equal(stored.pk, `R#${id}`);
  assert.ok(stored.body.bytes > 16, "a binary attribute has its number of bytes");
  assert.match(stored.body.hex, /^[0-9a-f]{32}…$/);
  await look(page, "tables-review");
  const { page: again } = await window.visit(page.url());
  await again.locator("#table-state").filter({ hasText: `reviews, R#${id}: 1 shown` }).waitFor();

  await page.getByLabel("Partition key").fill("TREE#o:42");
  await page.getByLabel("Sort key").fill("ROOT");
  await page.keyboard.press("Enter");
  await state("reviews, TREE#o:42, ROOT: 1 shown");
  await items(page).filter({ hasText: "root of a tree" }).waitFor();
  await table("businesses").click();
  await state("businesses, business:");
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
