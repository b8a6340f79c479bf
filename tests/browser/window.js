// The browser: windows that record every error, and checks of what they show.

import assert from "node:assert/strict";
import { join } from "node:path";

import axe from "axe-core";
import { chromium } from "playwright-core";

import { PATIENCE } from "./stack.js";

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Folder for pictures, if somebody wants to see them. */
const PICTURES = process.env.PRESENCE_PICTURES;
/** Sizes and colour schemes: the narrowest phone that is still sold and a common desktop, light and dark. */
const VIEWS = [320, 1280].flatMap(width => ["light", "dark"].map(colorScheme => ({ width, colorScheme })));
/** Options of Chromium. It connects to the stack only. Root cannot use the sandbox. */
export const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];
/** Messages to ignore: the page of an expired link has a status 4xx, which the console repeats. */
const STATUS = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Returns every view for one of these languages. Other languages differ in their texts only, so that only long lines can break. */
export const viewsOf = (lang, everyView) => VIEWS.filter(({ width, colorScheme }) =>
  everyView.includes(lang) || (width < 500 && colorScheme === "dark"));

export function openBrowser() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Window without history. It records errors, violations of the policy, and requests to anything but the stack. */
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

  /** Opens the address in a tab; returns the tab and the status of the answer. */
  async visit(url) {
    const page = await this.#context.newPage();
    const response = await page.goto(url);
    return { page, status: response.status() };
  }

  /** Opens an empty tab. */
  newPage() { return this.#context.newPage(); }

  /** Returns the tab that an action opens. */
  async opened(action) {
    const [page] = await Promise.all([this.#context.waitForEvent("page"), action()]);
    await page.waitForLoadState();
    return page;
  }

  /** Checks that no error was recorded and no cookie was set. */
  async close() {
    const cookies = await this.#context.cookies();
    await this.#context.close();
    assert.deepEqual([this.#wrong, cookies], [[], []]);
  }
}

/** Checks a page in these views: nothing overflows the window, and axe finds nothing. Takes a picture of each if there is a folder for them. */
export async function look(page, name, views = VIEWS) {
  for (const { width, colorScheme } of views) {
    const what = `${name}-${width}-${colorScheme}`;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(content <= room, `${what} scrolls sideways: ${content} in ${room}`);
    assert.deepEqual(await violations(page), [], what);
    if (PICTURES) await page.screenshot({ path: join(PICTURES, `${what}.png`), fullPage: true, caret: "initial" });
  }
}

/** Returns the findings of axe, with their elements. Frames are checked as pages of their own. */
export async function violations(page) {
  // The script is large, and each document needs it once.
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], iframes: false }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(" | ")}`);
}
