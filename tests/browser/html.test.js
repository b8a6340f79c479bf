// Tests of the HTML: html-validate finds nothing in any page, as it is sent and as its script completes it, nor in the mail.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { HtmlValidate, StaticConfigLoader } from "html-validate";

import { pagesOf } from "./local_pages.js";
import { Stack } from "./stack.js";
import { TEXTS } from "./texts.js";
import { openBrowser, Window } from "./window.js";

/** Rules of every page. Check boxes of one name are one list. */
const SENT = { "doctype-style": ["error", { style: "lowercase" }], "form-dup-name": ["error", { shared: ["checkbox", "radio"] }] };
/** Rules of a page that a browser writes down: it writes `hidden=""`, and `DOCTYPE` its own way. */
const WRITTEN = { ...SENT, "doctype-style": "off", "attribute-empty-style": "off", "attribute-boolean-style": "off" };
/** Rules of a mail: mail programs know inline styles, tables for the layout and their old attributes, and not `main`. */
const MAIL = { ...SENT, "no-inline-style": "off", "no-deprecated-attr": "off", "prefer-native-element": "off", "prefer-tbody": "off" };

let stack, browser, pages;
before(async () => {
  [stack, browser] = await Promise.all([Stack.start(), openBrowser()]);
  pages = await pagesOf(stack);
});
after(async () => { await browser?.close(); await stack?.stop(); });

/** Checks a document: it has no finding. */
async function isValid(what, html, rules) {
  const checker = new HtmlValidate(new StaticConfigLoader({ extends: ["html-validate:recommended"], rules }));
  const { results } = await checker.validateString(html);
  const found = results.flatMap(({ messages }) => messages).map(({ ruleId, message, line }) => `${what}, line ${line}: ${ruleId}: ${message}`);
  assert.deepEqual(found, []);
}

test("each page is valid as it is sent", async () => {
  for (const { name, path } of pages) await isValid(name, await (await fetch(stack.origin + path)).text(), SENT);
});

test("each page is valid as its script completes it", async () => {
  const window = await Window.open(browser, stack.origin);
  for (const { name, path } of pages) {
    const { page } = await window.visit(stack.origin + path);
    await page.waitForLoadState("networkidle").catch(() => { /* some pages ask for news again and again */ });
    await isValid(name, await page.content(), WRITTEN);
    await page.close();
  }
  await window.close();
});

test("the page of each operation is valid", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(stack.docs);
  const operations = page.getByRole("navigation", { name: "Operations" }).getByRole("link");
  await operations.first().waitFor();
  for (const operation of await operations.all()) {
    await operation.click();
    await page.locator(`a[href="${await operation.getAttribute("href")}"][aria-current]`).waitFor();
    await isValid(await operation.textContent(), await page.content(), WRITTEN);
  }
  await window.close();
});

test("the mail is valid in each language", async () => {
  for (const lang of Object.keys(TEXTS)) {
    const { email } = await stack.invite(lang);
    await isValid(`mail in ${lang}`, (await stack.mail(email)).html, MAIL);
  }
});

test("what is not valid is found", async () => {
  await assert.rejects(isValid("page", "<!doctype html><html><body><p><div></div></p></body></html>", SENT), /element-required-attributes/);
});
