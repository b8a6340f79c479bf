// Tests of the local stack's webhooks: one is made, tried, made to fail, followed through its deliveries, disabled, and goes on where it stopped.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Stack, until } from "./stack.js";
import { look, openBrowser, Window } from "./window.js";

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

const PHONE = { width: 390, colorScheme: "dark" };
const hooks = page => page.locator("#webhooks > li");
const deliveries = hook => hook.locator("ol > li");
/** Waits for the state in the head of a webhook. */
const state = (hook, word) => hook.locator("summary").first().getByText(word, { exact: true }).waitFor();
const answers = (hook, choice) => hook.getByRole("radio", { name: choice }).click();

/** Creates a webhook by the page; returns its item and its secret. */
async function create(page, end, types, label) {
  const before = (await stack.call("GET", "/webhooks")).body.webhooks.length;
  const making = page.locator("#making");
  if (!await making.evaluate(details => details.open)) await making.locator("summary").click();
  await page.getByLabel("URL").fill(`${stack.origin}/webhook-receiver/${end}`);
  await page.getByLabel("Types").fill(types);
  await page.getByLabel("Label", { exact: true }).fill(label);
  await page.getByRole("button", { name: "Create" }).press("Enter");
  await page.getByRole("heading", { name: `Webhooks: ${before + 1}` }).waitFor();
  const hook = hooks(page).filter({ hasText: label });
  await hook.getByText("It is shown this once.").waitFor();
  return { hook, secret: await hook.locator(".card code").textContent() };
}

test("a webhook is made, tried, and followed from a failure to the delivery that was sent again", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page, status } = await window.visit(`${stack.origin}/webhooks`);
  assert.equal(status, 200);
  await state(hooks(page).filter({ hasText: "hooks.example.com" }), "disabled");
  await look(page, "webhooks");
  const { hook, secret } = await create(page, "500", "user.*", "first");
  assert.match(secret, /^whsec_[A-Za-z0-9+/=]{40,}$/);
  await look(page, "webhooks-secret", [PHONE]);
  await hook.getByRole("button", { name: "Test" }).click();
  await hook.getByText("webhook.test was not delivered").waitFor();
  await hook.getByRole("cell", { name: "500", exact: true }).waitFor();
  assert.equal(await hook.getByText(secret).count(), 0, "the secret is gone");

  const { id } = await stack.invite("en");
  await state(hook, "failing");
  await hook.getByText("1 tried and waiting, 0 not sent yet").waitFor();
  const delivery = deliveries(hook).filter({ hasText: "user.created" });
  await delivery.locator("summary").focus();
  await page.keyboard.press("Enter");
  const body = JSON.parse(await delivery.getByLabel("Body of the message").textContent());
  assert.deepEqual([body.type, body.data.id], ["user.created", id]);
  const headers = await delivery.getByLabel(/^Headers at/).first().textContent();
  for (const name of ["webhook-id: evt_", "webhook-timestamp: ", "webhook-signature: v1,", "content-type: application/json"]) {
    assert.ok(headers.includes(name), `${name} in ${headers}`);
  }
  await look(page, "webhooks-failing");
  await look(page, "webhooks-failing", [PHONE]);

  await answers(hook, "ok, 204");
  await hook.locator("summary code").first().getByText("/webhook-receiver/ok").waitFor();
  await delivery.getByRole("button", { name: "Send again from here" }).click();
  await hook.getByText(/All after 42-\d+ is sent again, now/).waitFor();
  await delivery.getByText("delivered", { exact: true }).waitFor();
  await state(hook, "enabled");
  const rows = delivery.getByRole("row");
  await until("the last attempt was taken", async () => /204/.test(await rows.last().textContent()));
  assert.match(await rows.nth(1).textContent(), /500.*status 500/);
  await look(page, "webhooks-delivered", [{ width: 1280, colorScheme: "light" }]);
  await window.close();
});

test("a receiver that is gone disables its webhook, which is enabled, rotated and deleted", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(`${stack.origin}/webhooks`);
  const { hook, secret } = await create(page, "410", "", "second");
  await stack.invite("fr");
  await state(hook, "disabled");
  await hook.getByText(/[1-9] tried and waiting/).waitFor();
  await look(page, "webhooks-disabled", [PHONE, { width: 320, colorScheme: "light" }]);
  // The answer to the new URL is late. What is clicked meanwhile is sent after it, and not at all if it is a failure.
  const enable = hook.getByRole("button", { name: "Enable" }), sent = [];
  page.on("request", request => { if (request.url().endsWith("/enable")) sent.push("enable"); });
  for (const status of [409, 200]) {
    await page.route(/\/webhooks\/[^/]+$/, async route => {
      const answer = status === 200 ? { response: await route.fetch() } : { status, json: { errors: { json: "try again" } } };
      await enable.click();
      // One that did not wait would be sent by now.
      await page.waitForTimeout(200);
      sent.push(status);
      await route.fulfill(answer);
    }, { times: 1 });
    await answers(hook, "ok, 204");
    if (status === 200) continue;
    await hook.getByRole("alert").filter({ hasText: "The API refuses: try again" }).waitFor();
    await hook.locator("input:checked[value='410']").waitFor();
  }
  await hook.getByText("It goes on where it stopped.").waitFor();
  await state(hook, "enabled");
  assert.deepEqual(sent, [409, 200, "enable"]);
  assert.equal(await enable.isVisible(), false);

  await hook.getByRole("button", { name: "Rotate the secret" }).click();
  await hook.getByText("Messages have the signatures of both for 24 hours.").waitFor();
  assert.notEqual(await hook.locator(".card code").textContent(), secret);
  await hook.getByLabel("Replay all after the cursor").fill("yesterday");
  await hook.getByRole("button", { name: "Replay", exact: true }).click();
  await hook.getByRole("alert").filter({ hasText: "The API refuses: after" }).waitFor();
  await hook.getByLabel("Replay all after the cursor").fill("42-0");
  await hook.getByRole("button", { name: "Replay", exact: true }).click();
  await hook.getByText("All after 42-0 is sent again, now.").waitFor();

  page.on("dialog", dialog => dialog.accept());
  await hook.getByRole("button", { name: "Delete" }).click();
  await hook.waitFor({ state: "detached" });
  await window.close();
});

test("the page says what is wrong with a key or an URL", async () => {
  const window = await Window.open(browser, stack.origin);
  const { page } = await window.visit(`${stack.origin}/webhooks`);
  await page.getByLabel("API key").fill(stack.keys.PROVIDER);
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("alert").filter({ hasText: "org_id is required" }).waitFor();
  await page.getByLabel("Organisation").selectOption("42");
  await page.getByRole("alert").waitFor({ state: "hidden" });
  await page.getByLabel("URL").fill("http://169.254.169.254/latest");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").filter({ hasText: "The API refuses: url" }).waitFor();
  await window.close();
});
