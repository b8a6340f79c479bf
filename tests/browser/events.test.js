// Tests of the local stack's page of events: events appear without a reload, newest first, and can be filtered and opened.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack, until } from "./stack.js";
import { look, openBrowser, Window } from "./window.js";

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

const rows = page => page.getByRole("listitem");
/** Returns the types of the shown events, from top to bottom. */
const types = page => rows(page).locator("summary strong").allTextContents();

test("events arrive in the open page by themselves, newest first, and each opens as JSON", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.events);
  await page.getByText("Create a user, or import a review").waitFor();
  await look(page, "events-none");
  const { id } = await stack.invite("en");
  await page.getByRole("heading", { name: "Events: 2" }).waitFor();
  assert.deepEqual(await types(page), ["invitation.sent", "user.created"]);

  const created = rows(page).filter({ hasText: "user.created" });
  await created.locator("summary").focus();
  await page.keyboard.press("Enter");
  const shown = JSON.parse(await created.locator("pre").textContent());
  assert.deepEqual([shown.source, shown["detail-type"], shown.detail.id, shown.detail.version], ["presence", "user.created", id, 1]);
  assert.ok(!JSON.stringify(shown).includes("guests.example"), "no address");
  await look(page, "events-open");

  // What is open stays open when another event arrives.
  await stack.invite("fr");
  await page.getByRole("heading", { name: "Events: 4" }).waitFor();
  assert.equal(await created.filter({ hasText: id }).locator("pre").isVisible(), true);
  await window.close();
});

test("events are filtered by type and by text, and listed as JSON oldest first", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.events);
  const { id } = await stack.invite("it");
  const all = await until("both events came", async () => {
    const events = await (await fetch(`${stack.events}.json`)).json();
    return events.filter(event => [event.detail.id, event.detail.user_id].includes(id)).length === 2 && events;
  });
  assert.deepEqual(all.slice(-2).map(event => event["detail-type"]), ["user.created", "invitation.sent"]);
  await page.getByRole("heading", { name: `Events: ${all.length}` }).waitFor();
  await page.getByLabel("Type").selectOption("invitation.sent");
  const sent = all.filter(event => event["detail-type"] === "invitation.sent").length;
  await page.getByRole("heading", { name: `Events: ${sent} of ${all.length}` }).waitFor();
  assert.deepEqual(new Set(await types(page)), new Set(["invitation.sent"]));
  await page.getByLabel("Text in the detail").fill(id);
  await page.getByRole("heading", { name: `Events: 1 of ${all.length}` }).waitFor();
  await look(page, "events-filtered");
  await page.getByLabel("Text in the detail").fill("nothing has this");
  await page.getByRole("heading", { name: `Events: 0 of ${all.length}` }).waitFor();
  assert.equal(await rows(page).count(), 0);
  await window.close();
});
