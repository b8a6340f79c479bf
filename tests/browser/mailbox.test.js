// Tests of the local stack's mailbox: mails appear without a reload, and its switches make SES fail.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack } from "./stack.js";
import { TEXTS } from "./texts.js";
import { look, openBrowser, Window } from "./window.js";

/** Seconds: a little more than the pause after a first refusal, and than a claim after a lost reply. */
const A_REST = 20;
const A_LEASE = 330;

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

const article = (page, email) => page.getByRole("article").filter({ hasText: email });

test("a mail arrives in the open mailbox by itself, and its link opens the form", async context => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.mailbox);
  const { email } = await stack.invite("fr");
  const answered = Date.now();
  const { sent_at } = await stack.mail(email);
  context.diagnostic(`from the answer to the mail in the mailbox: ${Date.parse(sent_at) - answered} ms`);
  const mail = article(page, email);
  await mail.waitFor();
  await page.getByRole("heading", { name: "Sent: 1" }).waitFor();
  assert.equal(await mail.getByRole("heading").textContent(), TEXTS.fr.subject);
  const html = mail.frameLocator("iframe");
  await html.getByRole("heading", { name: TEXTS.fr.subject }).waitFor();
  assert.equal(await mail.locator("iframe").getAttribute("sandbox"), "", "no mail can run a script");
  await look(page, "mailbox-html");

  await mail.getByRole("tab", { name: "HTML" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await mail.getByRole("tab", { selected: true }).textContent(), "Text");
  const text = await mail.getByRole("tabpanel").textContent();
  assert.ok(text.startsWith("Bonjour Zoë Durand,") && text.includes("/invitation?user="), "the plain text is shown");
  await look(page, "mailbox-text");
  await mail.getByRole("tab", { name: "HTML" }).click();
  await html.getByRole("heading", { name: TEXTS.fr.subject }).waitFor();

  const opened = await window.opened(() => mail.getByRole("link", { name: "Open invitation" }).click());
  assert.equal(await opened.locator("h1").textContent(), TEXTS.fr.title);
  assert.equal(await opened.evaluate(() => document.referrer), "");
  await window.close();
});

test("what SES throttles or refuses waits in the outbox, where it is seen, and is sent once SES sends again", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.mailbox);
  for (const weather of ["throttles", "refuses the address"]) {
    await page.getByLabel(weather, { exact: true }).check();
    const { id, email } = await stack.invite("en");
    const row = page.getByRole("row").filter({ hasText: id });
    await row.filter({ hasText: "1" }).waitFor();
    await page.getByRole("cell", { name: "1", exact: true }).waitFor();
    assert.deepEqual(await stack.mails(email), [], weather);
    await page.getByRole("heading", { name: "Waiting in the outbox: 1" }).waitFor();
    await look(page, `mailbox-${weather.split(" ")[0]}`);
    await page.getByLabel("sends", { exact: true }).check();
    await stack.age(id, A_REST);
    await article(page, email).waitFor();
    await page.getByRole("heading", { name: "Waiting in the outbox: 0" }).waitFor();
    assert.equal((await stack.mails(email)).length, 1, weather);
  }
  await window.close();
});

test("where SES loses its reply the mail is sent again, after the five minutes, and the newer link counts", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.mailbox);
  await page.getByLabel("sends, and loses the reply").check();
  const { id, email } = await stack.invite("en");
  const first = await stack.link(email);
  assert.equal((await window.visit(first)).status, 200, "nobody knows that it was sent, and yet it works");
  await page.getByRole("cell", { name: "1", exact: true }).waitFor();
  await page.getByLabel("sends", { exact: true }).check();
  await stack.age(id, A_LEASE);
  const second = await stack.link(email, 2);
  await page.getByRole("heading", { name: "Waiting in the outbox: 0" }).waitFor();
  assert.equal((await window.visit(second)).status, 200);
  assert.equal((await window.visit(first)).status, 410);
  await window.close();
});
