// Tests of the local stack's reviews: they are found with the filters, read, set to a state and answered, and a reply is followed to the partner.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack } from "./stack.js";
import { look, openBrowser, Window } from "./window.js";

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

const PHONE = { width: 390, height: 844 };
const items = page => page.locator("#reviews > li");
const summary = page => page.locator("#summary");

/** Waits until the page says how many reviews there are, and on which page it is. */
const says = (page, words) => summary(page).filter({ hasText: words }).waitFor();

/** Returns ids of the ORG_ADMIN's reviews as the API lists them. */
async function found(query) {
  const { status, body } = await stack.call("GET", `/reviews?${query}`);
  assert.equal(status, 200);
  return body;
}

/** Opens the page as ORG_ADMIN, with the reviews that nobody has dealt with. */
async function openReviews(window) {
  const { page, status } = await window.visit(`${stack.origin}/reviews`);
  assert.equal(status, 200);
  await says(page, "reviews. Page 1 of");
  await page.getByLabel("API key").fill(stack.key);
  await page.getByLabel("not treated").check();
  const { count, max_page } = await found("state=not_treated");
  await says(page, `${count.toLocaleString("en")} reviews. Page 1 of ${max_page}.`);
  return page;
}

test("reviews are found with the filters, page by page", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await openReviews(window);
  await look(page, "reviews");
  const second = await found("state=not_treated&page=2");
  await page.getByRole("button", { name: "Next page" }).click();
  await says(page, `Page 2 of ${second.max_page}.`);
  assert.equal(await items(page).count(), second.reviews.length);
  const open = items(page).first();
  assert.ok(await open.locator("summary").evaluate(head => head === document.activeElement), "the first review has the focus");
  await page.keyboard.press("Enter");
  await open.getByText(`id ${second.reviews[0].id}`).waitFor();
  await page.getByLabel("To", { exact: true }).fill("1999-12-31");
  await says(page, "No review matches.");
  await look(page, "reviews-nothing", [{ width: 320, colorScheme: "dark" }]);
  await window.close();
});

test("a review is set to a state and back, by keyboard too", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await openReviews(window);
  const item = items(page).nth(2);
  const [, , { id }] = (await found("state=not_treated")).reviews;
  await item.locator("summary").focus();
  await page.keyboard.press("Enter");
  await item.getByRole("button", { name: "Set to treated" }).press("Enter");
  await item.getByRole("button", { name: "Set to not treated" }).waitFor();
  assert.equal((await stack.call("GET", `/reviews/${id}`)).body.state, "treated");
  await item.getByRole("button", { name: "Set to not treated" }).click();
  await item.getByRole("button", { name: "Set to treated" }).waitFor();
  assert.equal((await stack.call("GET", `/reviews/${id}`)).body.state, "not_treated");
  await window.close();
});

test("a reply is seen on its way, published, rejected and taken back", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await openReviews(window);
  await page.setViewportSize(PHONE);
  const item = items(page).first();
  await item.locator("summary").click();
  const [{ id }] = (await found("state=not_treated")).reviews;
  await item.getByLabel("Your reply").fill("Merci de votre visite !");
  await item.getByRole("button", { name: "Send the reply" }).click();
  await item.getByText("Reply, on its way to the partner").waitFor();
  await item.getByText("Reply, published").waitFor();
  await look(page, "reviews-published");
  const { body: review } = await stack.call("GET", `/reviews/${id}`);
  assert.deepEqual([review.reply_comment, review.state], ["Merci de votre visite !", "treated"]);

  await item.getByLabel("Your reply").fill("Merci [reject]");
  await item.getByRole("button", { name: "Replace the reply" }).click();
  await item.getByText("Reply, rejected by the partner").waitFor();
  await item.getByText(/^Reason: ./).waitFor();
  await look(page, "reviews-rejected", [{ width: 320, colorScheme: "dark" }]);

  await item.getByLabel("Your reply").fill(" ");
  await item.getByRole("button", { name: "Replace the reply" }).click();
  await item.getByRole("alert").filter({ hasText: "The API refuses: content" }).waitFor();

  await item.getByRole("button", { name: "Take the reply back" }).click();
  await item.getByText("No reply.").waitFor();
  assert.equal((await stack.call("GET", `/reviews/${id}`)).body.reply_comment, null);
  await window.close();
});
