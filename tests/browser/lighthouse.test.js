// Tests with Lighthouse: each page scores at least 95 in accessibility, best practices and SEO, on an emulated phone.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

import { pagesOf } from "./local_pages.js";
import { PATIENCE, Stack } from "./stack.js";
import { CHROMIUM, FLAGS } from "./window.js";

/** Lowest score. */
const LOWEST = 95;
/** Performance depends on the machine, and its recording may fail on a busy one. It is measured on request, and only reported. */
const REPORTED = process.env.PRESENCE_PERFORMANCE ? ["performance"] : [];
/** Number of times that a page is opened if Lighthouse itself fails. */
const ATTEMPTS = 3;

let stack, chromium;
before(async () => {
  [stack, chromium] = await Promise.all([
    Stack.start(), launch({ chromePath: CHROMIUM, chromeFlags: ["--headless=new", ...FLAGS], logLevel: "silent" }),
  ]);
});
after(async () => { chromium?.kill(); await stack?.stop(); });

/** Checks a page. A mail has no place in a search engine, so its SEO is not checked. */
async function scores(context, name, url, { skipped = [], checked = ["accessibility", "best-practices", "seo"] } = {}) {
  const options = {
    port: chromium.port, logLevel: "error", skipAudits: skipped.length ? skipped : null, onlyCategories: [...REPORTED, ...checked],
    disableFullPageScreenshot: true, ignoreStatusCode: true, maxWaitForFcp: PATIENCE, maxWaitForLoad: 2 * PATIENCE,
  };
  let lhr;
  for (let attempt = 0; attempt < ATTEMPTS && (!lhr || lhr.runtimeError); attempt += 1) ({ lhr } = await lighthouse(url, options));
  assert.equal(lhr.runtimeError, undefined, `${name}: ${lhr.runtimeError?.message}`);
  const score = id => Math.round(lhr.categories[id].score * 100);
  context.diagnostic(`${name}: ${Object.keys(lhr.categories).map(id => `${id} ${score(id)}`).join(", ")}`);
  for (const id of checked) {
    const failed = lhr.categories[id].auditRefs.filter(audit => audit.weight && (lhr.audits[audit.id].score ?? 1) < 1);
    assert.ok(score(id) >= LOWEST, `${name}: ${id} ${score(id)}: ${failed.map(audit => lhr.audits[audit.id].title).join(", ")}`);
  }
}

test("each page scores at least 95", async context => {
  for (const { name, path, skipped } of await pagesOf(stack)) await scores(context, name, stack.origin + path, { skipped });
});

test("the mail scores at least 95", async context => {
  const { email } = await stack.invite("fr");
  const { html } = await stack.mail(email);
  // The mailbox shows a mail without scripts, and Lighthouse works with scripts: the mail is served by itself.
  const server = createServer((_, response) => response.setHeader("content-type", "text/html; charset=utf-8").end(html));
  await new Promise(ready => server.listen(0, "127.0.0.1", ready));
  try {
    // A browser asks for an icon, which a mail does not have.
    const options = { skipped: ["errors-in-console"], checked: ["accessibility", "best-practices"] };
    await scores(context, "mail", `http://127.0.0.1:${server.address().port}/`, options);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
