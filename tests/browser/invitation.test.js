// Tests of the invitation page: every state, in every language.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack } from "./stack.js";
import { TEXTS } from "./texts.js";
import { look, openBrowser, viewsOf, Window } from "./window.js";

/** Seconds between two invitations, and life of a link in seconds. */
const FIVE_MINUTES = 300;
const THREE_DAYS = 72 * 3600;
/** Password of five characters, which a browser counts as ten: the browser accepts it, and the page must not. */
const TOO_SHORT = "🐟🐟🐟🐟🐟";
const PASSWORD = "canary-pass-1";

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

/** Checks language, text and looks of the page. */
async function shows(page, lang, says, name) {
  assert.equal(await page.locator("html").getAttribute("lang"), lang, name);
  assert.equal(await page.locator("h1").textContent(), says, name);
  await look(page, `${name}-${lang}`, viewsOf(lang, ["en"]));
}

async function titled(page, text) {
  assert.equal(await page.title(), `${text} · Presence`);
}

/** Checks the page of a link that has no form. */
async function isClosed(window, url, [status, lang, says, name]) {
  const visited = await window.visit(url);
  assert.equal(visited.status, status, name);
  await titled(visited.page, says);
  await shows(visited.page, lang, says, name);
  assert.equal(await visited.page.locator("form").count(), 0, name);
}

async function send(page, password, confirmation) {
  await page.locator("#password").fill(password);
  await page.locator("#confirmation").fill(confirmation);
  const [response] = await Promise.all([
    page.waitForResponse(response => response.request().method() === "POST"), page.locator("button").click(),
  ]);
  await page.waitForLoadState();
  return response.status();
}

/** Checks that the form is shown again, with the errors at the top and at the field. */
async function isRefused(page, lang, fault, field, name) {
  const texts = TEXTS[lang];
  await titled(page, texts.wrong);
  await shows(page, lang, texts.title, name);
  assert.equal(await page.getByRole("alert", { name: texts.wrong }).count(), 1, name);
  assert.deepEqual(await page.getByRole("listitem").allTextContents(), [fault], name);
  assert.equal(await page.locator(`#${field}-fault`).textContent(), fault, name);
  assert.equal(await page.locator(`#${field}`).getAttribute("aria-invalid"), "true", name);
  assert.deepEqual(await page.locator("[type=password]").evaluateAll(inputs => inputs.map(input => input.value)), ["", ""]);
  await page.getByRole("listitem").getByRole("link").click();
  assert.equal(await page.evaluate(() => document.activeElement.id), field, name);
}

for (const [lang, texts] of Object.entries(TEXTS)) {
  test(`an invited person chooses a password in ${lang}, after mistakes, once`, async () => {
    const window = await Window.open(browser, stack.origin, lang);
    const { id, email } = await stack.invite(lang);
    const mail = await stack.mail(email);
    assert.equal(mail.subject, texts.subject);
    const { page, status } = await window.visit(mail.links[0]);
    assert.equal(status, 200);
    await titled(page, texts.title);
    await shows(page, lang, texts.title, "form");
    assert.equal(await page.locator("#email").inputValue(), email);

    assert.equal(await send(page, TOO_SHORT, TOO_SHORT), 400);
    await isRefused(page, lang, texts.tooShort, "password", "too-short");
    assert.equal(await send(page, PASSWORD, `${PASSWORD} `), 400);
    await isRefused(page, lang, texts.mismatch, "confirmation", "mismatch");
    assert.equal((await stack.call("GET", `/user/${id}`)).body.status, "invited");

    assert.equal(await send(page, PASSWORD, PASSWORD), 200);
    await titled(page, texts.done);
    await shows(page, lang, texts.done, "done");
    assert.equal(await page.getByRole("link").count(), 0, "no way to sign in is promised");
    assert.equal((await stack.call("GET", `/user/${id}`)).body.status, "active");
    await isClosed(window, mail.links[0], [410, lang, texts.used, "used"]);
    await window.close();
  });

  test(`a link that is too old, was replaced, or was sent to nobody says so in ${lang}`, async () => {
    const window = await Window.open(browser, stack.origin, lang);
    const { id, email } = await stack.invite(lang);
    const first = await stack.link(email);
    assert.equal((await stack.call("POST", `/user/${id}/invite`)).status, 429);
    await stack.age(id, FIVE_MINUTES);
    assert.equal((await stack.call("POST", `/user/${id}/invite`)).status, 200);
    const second = await stack.link(email, 2);
    await isClosed(window, first, [410, lang, texts.replaced, "replaced"]);
    assert.equal((await window.visit(second)).status, 200, "the newer one works");
    await stack.age(id, THREE_DAYS);
    await isClosed(window, second, [410, lang, texts.expired, "expired"]);
    await isClosed(window, second.slice(0, -1), [404, lang, texts.unknown, "unknown"]);
    await window.close();
  });
}

test("the page after an invitation leads to the page where users sign in", async () => {
  const url = "https://app.example.com/sign-in?from=invitation";
  const own = await Stack.start(["--sign-in-url", url]);
  try {
    const window = await Window.open(browser, own.origin);
    const { email } = await own.invite("en");
    const { page } = await window.visit(await own.link(email));
    assert.equal(await send(page, PASSWORD, PASSWORD), 200);
    assert.equal(await page.getByRole("link", { name: "Sign in" }).evaluate(link => link.href), url);
    await look(page, "done-sign-in", viewsOf("en", ["en"]));
    await window.close();
  } finally {
    await own.stop();
  }
});

test("the page is filled in and sent by keyboard alone", async () => {
  const window = await Window.open(browser, stack.origin);
  const { id, email } = await stack.invite("en");
  const { page } = await window.visit(await stack.link(email));
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.localName);
  const tab = async () => { await page.keyboard.press("Tab"); return focused(); };
  assert.equal(await tab(), "email");
  assert.equal(await tab(), "password");
  await page.keyboard.type("short");
  assert.equal(await tab(), "confirmation");
  await page.keyboard.type("short");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#password").evaluate(input => input.validity.tooShort), true);
  assert.equal(await focused(), "password", "the browser itself stops what is too short, and shows where");
  await page.keyboard.press("Control+A");
  await page.keyboard.type(PASSWORD);
  await tab();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(PASSWORD);
  assert.equal(await tab(), "button");
  const outline = await page.locator("button").evaluate(button => getComputedStyle(button).outlineStyle);
  assert.equal(outline, "solid", "it is seen where one is");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: TEXTS.en.done }).waitFor();
  assert.equal((await stack.call("GET", `/user/${id}`)).body.status, "active");
  await window.close();
});
