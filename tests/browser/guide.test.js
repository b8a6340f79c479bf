// Tests of the guide: every page can be read on the narrowest phone, and Ctrl-K finds operations, errors, commands and tasks.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack } from "./stack.js";
import { look, openBrowser, viewsOf, Window } from "./window.js";

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

const paths = async page => new Set(await page.getByRole("navigation", { name: "Guide" }).getByRole("link").evaluateAll(all => all.map(({ pathname }) => pathname)));

test("each page of the guide has its title and can be read on the narrowest phone, in the dark", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(`${stack.origin}/guide`);
  const all = [...await paths(page)].filter(path => !path.endsWith(".md"));
  assert.ok(all.length >= 25, `${all.length} pages`);
  for (const path of ["/guide", "/guide/readme", ...all]) {
    assert.equal((await page.goto(stack.origin + path)).status(), 200, path);
    assert.ok(await page.locator("h1").textContent(), path);
    assert.equal(await page.locator("h1").count(), 1, path);
    await look(page, path.slice(1).replaceAll("/", "-"), viewsOf("en", path === "/guide/ledger" ? ["en"] : []));
  }
  const markdown = await fetch(`${stack.origin}/guide/api.md`);
  assert.ok(markdown.headers.get("content-type").startsWith("text/markdown") && (await markdown.text()).startsWith("# The API\n"));
  const list = await (await fetch(`${stack.origin}/llms.txt`)).text();
  for (const [, path] of list.matchAll(/\]\(([^)]+)\)/g)) assert.equal((await fetch(stack.origin + path)).status, 200, path);
  await window.close();
});

test("Ctrl-K finds an operation by a parameter, a mistake by its answer, and a task, and the keyboard is enough", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(`${stack.origin}/mailbox`);
  const field = page.getByRole("searchbox", { name: "Search everything" });
  const results = page.getByRole("dialog").getByRole("listitem");
  for (const [words, kind, href] of [
    ["rating__in", "operation", "/docs#search_reviews"],
    ["ops restore plan", "command", "/guide/ops#restore"],
    ["another region", "guide", "/guide/restore#another-region"],
    ["typescript methods", "guide", "/guide/tools/clients/typescript#methods"],
    ["outbox retry", "command", "/guide/ops#check-and-repair"],
  ]) {
    await page.keyboard.press("Control+k");
    await field.fill(words);
    const found = results.first().filter({ has: page.locator(`a[href="${href}"]`) }).filter({ hasText: kind });
    await found.waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "hidden" });
  }
  // From the text of an error it is one click to the row that explains it.
  await page.keyboard.press("Control+k");
  await field.fill("this key may only read");
  await results.first().getByRole("link").click();
  await page.waitForURL(/\/guide\/errors#mistake-/);
  const row = page.locator("tr:has(:target)");
  assert.match(await row.textContent(), /this key may only read/);
  assert.ok(await row.evaluate(found => found.getBoundingClientRect().top < window.innerHeight), "it is in sight");
  await page.getByRole("button", { name: "Search Ctrl K" }).click();
  await field.fill("another region");
  await results.first().waitFor();
  await look(page, "search");
  await field.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/guide\//);
  await window.close();
});

test("the guide can be read without JavaScript", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${stack.origin}/guide/api`);
  await page.getByRole("navigation", { name: "Guide" }).getByRole("link", { name: "Restoring" }).click();
  await page.getByRole("heading", { level: 1, name: "Restoring" }).waitFor();
  await context.close();
});
