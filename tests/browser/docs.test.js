// Tests of the page that describes the API: each operation's default call succeeds, and each code sample runs as it stands.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";

import { Stack, until } from "./stack.js";
import { look, openBrowser, viewsOf, Window } from "./window.js";

/** Programs that run a code sample, by the name of its tab. */
const RUNNERS = {
  curl: ["bash", ["-s"]],
  fetch: ["node", ["--input-type=module", "-"]],
  urllib: ["python3", ["-"]],
};

let stack, browser;
before(async () => { [stack, browser] = await Promise.all([Stack.start(["--fixed-sample"]), openBrowser()]); });
after(async () => { await browser?.close(); await stack?.stop(); });

const operations = page => page.getByRole("navigation", { name: "Operations" }).getByRole("link");
const sample = page => page.getByRole("tabpanel");

/** Opens the page; returns it when its operations are there. */
async function open(window, id = "") {
  const { page, status } = await window.visit(`${stack.docs}${id}`);
  assert.equal(status, 200);
  await operations(page).first().waitFor();
  return page;
}

/** Sends the request of the form; returns the status and the body of its answer. */
async function send(page) {
  const [response] = await Promise.all([
    page.waitForResponse(response => response.url().includes("/api/v2/")),
    page.getByRole("button", { name: "Send" }).click(),
  ]);
  const shown = page.getByRole("region", { name: "Body of the answer" });
  await shown.waitFor();
  await page.getByRole("button", { name: "Send", disabled: false }).waitFor();
  assert.ok((await page.getByRole("status").first().textContent()).startsWith(`${response.status()} `));
  return { status: response.status(), request: response.request(), body: JSON.parse(await shown.textContent()) };
}

/** Runs a code sample; returns what it prints. */
async function run(name, code) {
  const [program, options] = RUNNERS[name];
  const child = spawn(program, options, { stdio: ["pipe", "pipe", "pipe"] });
  let printed = "", wrong = "";
  child.stdout.on("data", part => { printed += part; });
  child.stderr.on("data", part => { wrong += part; });
  child.stdin.end(code);
  const [exit] = await once(child, "close");
  assert.equal(exit, 0, `${name}: ${wrong}\n${code}`);
  return printed;
}

test("the default call of each operation succeeds as the preselected role, with the required parameters only", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window);
  assert.equal(await page.getByLabel("Call as").inputValue(), "ORG_ADMIN");
  const { paths } = await (await fetch(`${stack.origin}/api/v2/openapi.json`)).json();
  const described = Object.values(paths).flatMap(Object.values);
  const links = await operations(page).evaluateAll(all => all.map(link => link.hash.slice(1)));
  assert.deepEqual(new Set(links), new Set([...described.map(({ operationId }) => operationId), "guide"]));
  // The examples read and take back the reply to this review.
  assert.equal((await stack.call("PUT", "/reviews/190n40rnpsx7/reply", { content: "Merci" })).status, 200);
  // The others need the webhook.
  described.sort((one, other) => (one.operationId === "delete_webhook") - (other.operationId === "delete_webhook"));
  for (const { operationId, summary, parameters = [] } of described) {
    // Connectors alone report outcomes, with a key of a PROVIDER.
    if (operationId === "report_reply_outcome") continue;
    await page.locator(`a[href="#${operationId}"]`).click();
    await page.getByRole("heading", { name: summary, exact: true }).waitFor();
    const { status, request, body } = await send(page);
    assert.equal(status, 200, `${operationId}: ${JSON.stringify(body)}`);
    const sent = [...new URL(request.url()).searchParams.keys()];
    const required = parameters.filter(parameter => parameter.in === "query" && parameter.required).map(({ name }) => name);
    assert.deepEqual(sent, required, operationId);
  }
  await window.close();
});

test("each tested example is in the list, and gives the status that it names", async () => {
  const window = await Window.open(browser, stack.origin);
  const examples = await (await fetch(`${stack.docs}/examples.json`)).json();
  const page = await open(window, "#search_reviews");
  const tried = examples.filter(({ operation }) => operation.startsWith("search_") || operation === "get_me");
  for (const { operation, name, role, status } of tried) {
    await page.locator(`a[href="#${operation}"]`).click();
    await page.getByLabel("Example").selectOption(name);
    assert.equal(await page.getByLabel("Call as").inputValue(), role);
    assert.equal((await send(page)).status, status, `${operation} ${name}`);
  }
  await window.close();
});

test("a new user's address is fresh each time, so that the example of a creation succeeds again", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window, "#create_user");
  const ids = [];
  for (let time = 0; time < 2; time += 1) {
    await page.getByLabel("Call as").selectOption("PROVIDER");
    await page.getByLabel("Call as").selectOption("ORG_ADMIN");
    const { status, body } = await send(page);
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(body.id);
  }
  assert.notEqual(ids[0], ids[1]);
  // The same address again is refused, and the answer is shown as it is.
  assert.equal((await send(page)).status, 400);
  await look(page, "docs-refused");
  await window.close();
});

test("each code sample runs as it stands and prints the answer", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window, "#search_users");
  await page.getByLabel("Example").selectOption("all");
  const { body } = await send(page);
  for (const name of Object.keys(RUNNERS)) {
    await page.getByRole("tab", { name }).click();
    const printed = await run(name, await sample(page).textContent());
    assert.ok(printed.includes(body.users[0].id) && printed.includes("max_page"), `${name}: ${printed}`);
  }
  await page.locator('a[href="#update_user"]').click();
  for (const name of Object.keys(RUNNERS)) {
    await page.getByRole("tab", { name }).click();
    await page.getByLabel("Body (JSON)").fill(JSON.stringify({ first_name: `It's "${name}" \\ ü`, phone: null, business_ids: [] }));
    const printed = await run(name, await sample(page).textContent());
    assert.ok(printed.includes("success"), `${name}: ${printed}`);
    const { body } = await stack.call("GET", "/user/1005");
    assert.deepEqual([body.first_name, body.business_ids], [`It's "${name}" \\ ü`, []]);
    // A refusal is printed, too.
    await page.getByLabel("Body (JSON)").fill(JSON.stringify({ lang: "xx" }));
    assert.ok((await run(name, await sample(page).textContent())).includes("is not one of the choices"), name);
  }
  await window.close();
});

test("a choice that nobody made is not sent, and the keyboard reaches every tab", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window, "#search_reviews");
  await page.getByText(/^Optional parameters/).click();
  assert.equal(await page.getByLabel("content__isnull").inputValue(), "");
  const isIn = async (tab, code) => {
    await page.getByRole("tab", { name: tab }).click();
    assert.ok((await sample(page).textContent()).includes(code), `${tab} has no ${code}`);
  };
  await isIn("TypeScript", "presence.reviews.search()");
  await isIn("curl", "/reviews'");
  await page.getByLabel("content__isnull").selectOption("false");
  await page.getByLabel("rating__in").fill("1,2");
  await isIn("TypeScript", "presence.reviews.search({ rating__in: [1, 2], content__isnull: false })");
  await isIn("Python", "presence.reviews.search(rating_in=[1, 2], content_isnull=False)");
  await isIn("Rust", "presence.search_reviews(|search| search.rating_in(vec![1, 2]).content_isnull(false))");
  await isIn("curl", "?rating__in=1,2&content__isnull=false");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "fetch");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "curl");
  await look(page, "docs-filled");
  await window.close();
});

test("another key and none are callers, too, and the search finds an operation", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window);
  await page.getByRole("heading", { name: "Keys, requests, answers, pages" }).waitFor();
  await page.goto(`${stack.docs}#search_users`);
  await page.getByLabel("Call as").selectOption("no key");
  assert.equal((await send(page)).status, 401);
  await page.getByLabel("Call as").selectOption("another key");
  await page.getByLabel("API key").fill(stack.key);
  assert.equal((await send(page)).status, 200);
  await page.getByRole("searchbox", { name: "Search" }).fill("post invite");
  await until("one operation is left", async () => await operations(page).count() === 2);
  await page.getByRole("searchbox", { name: "Search" }).fill("rating");
  await until("operations with such a parameter are left", async () => await operations(page).filter({ hasText: "/reviews" }).count() === 2);
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  await look(page, "docs-key");
  await window.close();
});

test("the address names the request and the role, and an error leads to the page that explains it", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window, "#search_reviews");
  await page.getByText(/^Optional parameters/).click();
  await page.getByLabel("rating__in").fill("7");
  await page.getByLabel("Call as").selectOption("BUSINESS_MANAGER");
  const { page: again } = await window.visit(page.url());
  await again.getByLabel("rating__in").waitFor();
  assert.equal(await again.getByLabel("rating__in").inputValue(), "7");
  assert.equal(await again.getByLabel("Call as").inputValue(), "BUSINESS_MANAGER");
  assert.ok(!page.url().includes("pk_"), "no key is in an address");
  assert.equal((await send(again)).status, 400);
  await again.getByRole("status").getByRole("link", { name: "invalid" }).click();
  await again.getByRole("heading", { name: "invalid" }).waitFor();
  await again.getByRole("cell", { name: "a rating that does not exist" }).waitFor();
  await look(again, "guide-errors");
  await window.close();
});

test("the address keeps a parameter that does not exist, and a caller without a key", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window, "#get_me");
  await page.getByLabel("Example").selectOption("unknown_parameter");
  const { page: again } = await window.visit(page.url());
  await again.getByText("Sent, too: display_business_id=False").waitFor();
  assert.equal((await send(again)).status, 400);
  await again.getByLabel("Call as").selectOption("no key");
  const { page: nobody } = await window.visit(again.url());
  await nobody.getByText("Sent, too: display_business_id=False").waitFor();
  assert.equal(await nobody.getByLabel("Call as").inputValue(), "no key");
  assert.equal((await send(nobody)).status, 401);
  await window.close();
});

test("an operation opens at its title, wherever the page was scrolled to", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window, "#search_reviews");
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(() => { document.querySelector(".list").open = true; });
    await page.evaluate(() => scrollTo(0, 1e6));
    await page.locator('a[href="#get_user"]').evaluate(link => link.click());
    const title = page.getByRole("heading", { name: "Get one user" });
    await title.waitFor();
    const { y } = await title.boundingBox();
    assert.ok(y >= 0 && y < 400, `${width}: the title is at ${y}`);
    await page.goto(`${stack.docs}#search_reviews`);
  }
  await window.close();
});

test("the page can be read on a phone and at a desk, by day and by night, and each operation on the narrowest phone", async () => {
  const window = await Window.open(browser, stack.origin);
  const page = await open(window);
  await look(page, "docs");
  const ids = await operations(page).evaluateAll(all => all.map(link => link.hash));
  for (const id of ids) {
    await page.goto(`${stack.docs}${id}`);
    await page.locator(`nav a[href="${id}"][aria-current]`).waitFor({ state: "attached" });
    for (const answer of await page.locator(".statuses details").all()) await answer.evaluate(all => { all.open = true; });
    await look(page, `docs-${id.slice(1)}`, viewsOf("en", []));
  }
  await window.close();
});
