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
  const time = page.getByRole("navigation", { name: "Mails" }).getByRole("time");
  assert.equal(await time.getAttribute("title"), sent_at);
  assert.match(await time.textContent(), /^(just now|\d+ minutes? ago)$/);
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

  await mail.getByRole("tab", { name: "Source" }).click();
  assert.ok((await mail.getByRole("tabpanel").textContent()).includes("<!doctype html>"));
  await mail.getByRole("tab", { name: "Headers" }).click();
  const header = name => mail.getByRole("row").filter({ hasText: name }).getByRole("cell").textContent();
  assert.equal(await header("From"), "Presence <no-reply@presence.example>");
  assert.equal(await header("To"), email);
  assert.equal(await header("Subject"), TEXTS.fr.subject);
  assert.equal(Date.parse(await header("Date")), Math.floor(Date.parse(sent_at) / 1000) * 1000);
  await look(page, "mailbox-headers");
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
  await page.getByText("SES here").first().click();
  for (const weather of ["throttles", "refuses the address"]) {
    await page.getByLabel(weather, { exact: true }).check();
    const { id, email } = await stack.invite("en");
    const row = page.getByRole("row").filter({ hasText: id });
    await row.filter({ hasText: "1" }).waitFor();
    await page.getByRole("cell", { name: "1", exact: true }).waitFor();
    assert.deepEqual(await stack.mails(email), [], weather);
    await page.getByRole("heading", { name: "Waiting in the outbox: 1" }).waitFor();
    await row.filter({ hasText: email }).filter({ hasText: /TooManyRequestsException|MessageRejected/ }).waitFor();
    await look(page, `mailbox-${weather.split(" ")[0]}`);
    await page.getByLabel("sends", { exact: true }).check();
    // A retry needs no patience: it is what an operator does.
    if (weather === "throttles") await page.getByRole("button", { name: `Retry the mail to ${email}` }).click();
    else await stack.age(id, A_REST);
    await article(page, email).waitFor();
    await page.getByRole("heading", { name: "Waiting in the outbox: 0" }).waitFor();
    assert.equal((await stack.mails(email)).length, 1, weather);
  }
  await window.close();
});

test("where SES loses its reply the mail is sent again, after the five minutes, and the newer link counts", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.mailbox);
  await page.getByText("SES here").first().click();
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

test("a mail is shown as wide as a phone or a desk, and is of no origin", async () => {
  const window = await Window.open(browser, stack.origin);
  const { email } = await stack.invite("de");
  await stack.mail(email);
  const { page } = await window.visit(stack.mailbox);
  const mail = article(page, email);
  await mail.frameLocator("iframe").getByRole("heading", { name: TEXTS.de.subject }).waitFor();
  const width = async () => (await mail.locator("iframe").boundingBox()).width;
  await page.setViewportSize({ width: 1280, height: 800 });
  await mail.getByRole("button", { name: "phone" }).click();
  assert.equal(await width(), 360);
  await look(page, "mailbox-phone");
  await page.setViewportSize({ width: 1280, height: 800 });
  await mail.getByRole("button", { name: "desk" }).click();
  assert.ok(await width() >= 640);
  // A phone shows the list, then one mail in the phone's form, and the way back.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.reload();
  const row = page.getByRole("navigation", { name: "Mails" }).getByRole("button").filter({ hasText: email });
  await row.waitFor();
  assert.equal(await mail.isVisible(), false);
  await row.click();
  await mail.getByRole("button", { name: "phone", pressed: true }).waitFor();
  assert.equal(await row.isVisible(), false);
  await look(page, "mailbox-reading", [{ width: 390, colorScheme: "light" }]);
  const response = await fetch(`${stack.origin}${await mail.locator("iframe").getAttribute("src")}`);
  const policy = response.headers.get("content-security-policy");
  assert.ok(policy.startsWith("default-src 'none';") && policy.endsWith("sandbox"), policy);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole("button", { name: "All mails" }).press("Enter");
  assert.ok(await row.evaluate(button => button === document.activeElement), "the focus is back in the list");
  await window.close();
});

test("mails are found by address and subject, and deleted one by one or all at once", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.mailbox);
  const list = page.getByRole("navigation", { name: "Mails" }).getByRole("button");
  const [first, second] = [await stack.invite("es"), await stack.invite("it")];
  for (const { email } of [first, second]) await stack.mail(email);
  await list.filter({ hasText: second.email }).waitFor();
  const before = (await (await fetch(`${stack.mailbox}.json`)).json()).length;
  await page.getByRole("searchbox", { name: "Search" }).fill(first.email.toUpperCase());
  await page.getByRole("heading", { name: `Sent: 1 of ${before}` }).waitFor();
  await list.filter({ hasText: TEXTS.es.subject }).click();
  await article(page, first.email).waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("nothing has this");
  await page.getByText("No mail has these words.").waitFor();
  await look(page, "mailbox-nothing");
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  // What was chosen stays when another mail arrives.
  await stack.mail((await stack.invite("pt")).email);
  await page.getByRole("heading", { name: `Sent: ${before + 1}`, exact: true }).waitFor();
  await article(page, first.email).getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: `Sent: ${before}`, exact: true }).waitFor();
  assert.deepEqual(await stack.mails(first.email), []);
  assert.equal((await stack.mails(second.email)).length, 1);
  await page.getByRole("button", { name: "Delete all" }).click();
  await page.getByRole("heading", { name: "Sent: 0" }).waitFor();
  assert.deepEqual(await (await fetch(`${stack.mailbox}.json`)).json(), []);
  await look(page, "mailbox-empty");
  await window.close();
});
