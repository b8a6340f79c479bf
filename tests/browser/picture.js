// Makes the picture of the README: node picture.js FILE. The stack has the sample data only.

import { Stack } from "./stack.js";
import { openBrowser } from "./window.js";

const [file] = process.argv.slice(2);
const stack = await Stack.start(["--fixed-sample"]);
const browser = await openBrowser();
try {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(stack.home);
  const calls = page.locator("#calls > li");
  for (const number of [4, 3, 1]) {
    await calls.nth(number).getByRole("button", { name: /^Send/ }).click();
    await calls.nth(number).locator(".status").waitFor();
  }
  await page.locator("#requests > li").nth(2).waitFor();
  await page.locator("#items > li").first().waitFor();
  // The overview, one call and the requests fit into one picture.
  await page.evaluate(() => {
    document.querySelectorAll("#calls > li").forEach((call, number) => { if (number !== 3) call.remove(); });
    document.querySelectorAll(".answer").forEach(answer => { answer.style.maxHeight = "9rem"; });
  });
  const end = await page.locator("#tables-title").boundingBox();
  await page.screenshot({ path: file, clip: { x: 0, y: 0, width: 1200, height: Math.floor(end.y) }, fullPage: true });
} finally {
  await browser.close();
  await stack.stop();
}
