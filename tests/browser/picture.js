// Makes the picture of the start page for the README, in the folder that tools/ci/browser makes: node picture.js FILE
// The stack has the sample data and the keys of events/ only. Ports 3000 and 8000 must be free: they are in the picture.

import { writeFileSync } from "node:fs";

import { withPalette } from "./palette.js";
import { Stack } from "./stack.js";
import { openBrowser } from "./window.js";

const WIDTH = 1200;

const [file] = process.argv.slice(2);
const stack = await Stack.start(["--fixed-sample", "--dynamodb-port", "8000"], "3000");
const browser = await openBrowser();
try {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: 900 }, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(stack.home);
  const calls = page.locator("#calls > li");
  for (const number of [0, 1, 2, 3]) {
    await calls.nth(number).getByRole("button", { name: /^Send/ }).click();
    await calls.nth(number).locator(".status").waitFor();
  }
  await page.locator("#requests > li").nth(3).waitFor();
  // The overview, one call and the requests fit into one picture.
  await page.evaluate(() => {
    document.querySelectorAll("#calls > li").forEach((call, number) => { if (number !== 3) call.remove(); });
    for (const answer of document.querySelectorAll(".answer")) answer.style.maxHeight = "7rem";
  });
  const end = await page.evaluate(() => document.getElementById("tables-title").getBoundingClientRect().top + window.scrollY);
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: WIDTH, height: Math.floor(end) }, fullPage: true });
  writeFileSync(file, await withPalette(await context.newPage(), picture));
} finally {
  await browser.close();
  await stack.stop();
}
