// Tests of the mail, in HTML and as plain text.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack } from "./stack.js";
import { TEXTS } from "./texts.js";
import { look, openBrowser, viewsOf, Window } from "./window.js";

/** Longest name, without a place to break a line. */
const LONG = { first_name: "W".repeat(100), last_name: "m".repeat(100) };
/** Characters of a line that programs for plain text can show. */
const LINE = 78;

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

for (const [lang, { subject }] of Object.entries(TEXTS)) {
  test(`the mail in ${lang} can be read on a phone and at a desk, by day and by night`, async () => {
    const window = await Window.open(browser, stack.origin);
    const { email } = await stack.invite(lang);
    const mail = await stack.mail(email);
    const page = await window.newPage();
    await page.setContent(mail.html);
    assert.equal(await page.locator("html").getAttribute("lang"), lang);
    assert.equal(await page.locator("h1").textContent(), subject);
    assert.equal(await page.title(), subject);
    const targets = await page.getByRole("link").evaluateAll(links => links.map(link => link.href));
    assert.deepEqual(targets, [mail.links[0], mail.links[0]], "the button and the link below it");
    await look(page, `mail-${lang}`, viewsOf(lang, ["en", "de"]));
    const lines = mail.text.split("\n").filter(line => line !== mail.links[0]);
    assert.ok(lines.every(line => [...line].length <= LINE) && lines.join(" ").includes("Zoë Durand"));
    const origin = await page.locator("b").allTextContents();
    assert.equal(origin.length, 2, "the organisation and who invites");
    assert.ok(origin.every(name => lines.some(line => line.endsWith(`: ${name}`))), "both forms name them");
    // Outlook colours cells, and knows no padding of links.
    assert.equal(await page.locator("td[bgcolor] > a").evaluate(link => link.href), mail.links[0], "the button");
    await window.close();
  });
}

test("the longest names make neither mail nor page wider than the window", async () => {
  const window = await Window.open(browser, stack.origin);
  const { email } = await stack.invite("pt", LONG);
  const mail = await stack.mail(email);
  const page = await window.newPage();
  await page.setContent(mail.html);
  await look(page, "mail-long", viewsOf("pt", []));
  await look((await window.visit(mail.links[0])).page, "form-long", viewsOf("pt", []));
  await window.close();
});
