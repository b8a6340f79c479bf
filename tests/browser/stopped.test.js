// Tests of a stack that stops: each open page says so and keeps what it shows, and is loaded again with the next stack and its keys.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { freePort, PATIENCE, Stack } from "./stack.js";
import { look, openBrowser } from "./window.js";

/** Milliseconds within which a page says that its stack is stopped. */
const SOON = 5_000;
/** Pages that wait for changes: one more than the connections that a browser makes to a host. */
const WAITING = ["/", "/requests", "/mailbox", "/events", "/webhooks", "/stats", "/reviews"];

/** Each page with what it shows of its stack, which the guide does not. Operations and reviews come with a key of the page. */
const PAGES = {
  "/": page => page.getByText("in memory: it is gone when the stack stops"),
  "/docs#search_reviews": page => page.getByRole("heading", { name: "Search reviews" }),
  "/requests": page => page.getByRole("searchbox", { name: "Words" }),
  "/tables": page => page.getByText("users, user: "),
  "/mailbox": page => page.getByRole("heading", { name: "Sent: 0" }),
  "/events": page => page.getByRole("heading", { name: "Events: 0" }),
  "/webhooks": page => page.getByRole("heading", { name: "Webhooks: 1" }),
  "/reviews": page => page.getByText(/^3,450 reviews/),
  "/stats": page => page.getByText("3,450").first(),
};

let browser;
before(async () => { browser = await openBrowser(); });
after(() => browser?.close());

const stopped = page => page.getByText("The stack is stopped.");

test("each page says that its stack is stopped, and is loaded again with the next one and its keys", async () => {
  const port = await freePort();
  let stack = await Stack.start([], port);
  // A page for each context: requests that nobody answers are errors of the console, and a browser makes few connections to a host.
  const open = await Promise.all(Object.entries(PAGES).map(async ([path, shown]) => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(stack.origin + path);
    await shown(page).waitFor();
    return { path, shown: () => shown(page), page };
  }));
  const began = Date.now();
  await stack.stop();
  assert.ok(Date.now() - began < SOON, "open pages do not hold up the stop");
  for (const { path, page, shown } of open) {
    await stopped(page).waitFor({ timeout: SOON }).catch(() => assert.fail(`${path} does not say that its stack is stopped`));
    assert.ok(await shown().isVisible(), `${path} keeps what it shows`);
  }
  await look(open.find(({ path }) => path === "/tables").page, "tables-stopped");

  stack = await Stack.start(["--random-keys"], port);
  for (const { path, page, shown } of open) {
    await stopped(page).waitFor({ state: "detached" });
    await shown().waitFor();
    assert.equal(await page.getByText("The API refuses").count(), 0, path);
  }
  const { page } = open.find(({ path }) => path.startsWith("/docs"));
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("status").filter({ hasText: "200 OK" }).waitFor();
  await Promise.all(open.map(one => one.page.context().close()));
  await stack.stop();
});

test("tabs in the background keep no connection, so that any number of pages can be open, and are right when they are seen again", async () => {
  const stack = await Stack.start();
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE);
  // Every tab of this browser says that it is visible.
  const show = (page, isVisible) => page.evaluate(state => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isVisible ? "visible" : "hidden");
  const tabs = {};
  for (const path of WAITING) {
    tabs[path] = await context.newPage();
    await tabs[path].goto(stack.origin + path);
    await PAGES[path](tabs[path]).waitFor();
    await show(tabs[path], false);
  }
  await stack.invite("en");
  await show(tabs["/events"], true);
  await tabs["/events"].getByRole("heading", { name: "Events: 2" }).waitFor();
  await stack.stop();
  await stopped(tabs["/events"]).waitFor();
  assert.equal(await stopped(tabs["/"]).count(), 0);
  await show(tabs["/"], true);
  await stopped(tabs["/"]).waitFor();
  await context.close();
});
