// The browser: windows that notice whatever goes wrong in them, and looks at what they show.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import axe from "axe-core";
import { chromium } from "playwright-core";

import { PATIENCE } from "./stack.js";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PICTURES = process.env.PRESENCE_PICTURES ?? "../../target/browser";
/** The narrowest phone that is still sold, and a common desk; as by day and as by night. */
const VIEWS = [320, 1280].flatMap(width => ["light", "dark"].map(colorScheme => ({ width, colorScheme })));
/** It calls nobody but the stack; the sandbox cannot be had by root. */
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];
/** A page that says that a link is gone has the status 4xx, which the console repeats. */
const STATUS = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Every view for one of these languages. The others share all but the texts with them: what may be wrong is a line too long. */
export const viewsOf = (lang, everyView) => VIEWS.filter(({ width, colorScheme }) =>
  everyView.includes(lang) || (width < 500 && colorScheme === "dark"));

export function openBrowser() {
  mkdirSync(PICTURES, { recursive: true });
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A window without history, which keeps what went wrong: errors, broken policies, requests of anything else than the stack. */
export class Window {
  #context;
  #wrong = [];

  static async open(browser, origin, locale = "en") {
    const window = new Window();
    window.#context = await browser.newContext({ locale });
    window.#context.setDefaultTimeout(PATIENCE);
    window.#context.on("console", message => {
      if (["error", "warning"].includes(message.type()) && !STATUS.test(message.text())) window.#wrong.push(message.text());
    });
    window.#context.on("weberror", error => window.#wrong.push(String(error.error())));
    window.#context.on("request", request => {
      if (new URL(request.url()).origin !== origin) window.#wrong.push(`request of ${request.url().split("?")[0]}`);
    });
    return window;
  }

  /** A tab that shows the address; with the status that it was answered with. */
  async visit(url) {
    const page = await this.#context.newPage();
    const response = await page.goto(url);
    return { page, status: response.status() };
  }

  /** An empty tab. */
  newPage() { return this.#context.newPage(); }

  /** The tab that an action opens. */
  async opened(action) {
    const [page] = await Promise.all([this.#context.waitForEvent("page"), action()]);
    await page.waitForLoadState();
    return page;
  }

  /** Nothing went wrong, and no cookie was set. */
  async close() {
    const cookies = await this.#context.cookies();
    await this.#context.close();
    assert.deepEqual([this.#wrong, cookies], [[], []]);
  }
}

/** Looks at a page in these views: nothing lies beside the window, axe finds nothing; and takes a picture of each. */
export async function look(page, name, views = VIEWS) {
  for (const { width, colorScheme } of views) {
    const what = `${name}-${width}-${colorScheme}`;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(content <= room, `${what} scrolls sideways: ${content} in ${room}`);
    assert.deepEqual(await violations(page), [], what);
    await page.screenshot({ path: join(PICTURES, `${what}.png`), fullPage: true, caret: "initial" });
  }
}

/** What axe finds, with the elements. Frames are looked at as pages of their own. */
export async function violations(page) {
  // Large, and needed once for each document.
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], iframes: false }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(" | ")}`);
}
