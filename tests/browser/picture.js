// Makes the picture of the start page for the README, in the folder that tools/ci/browser makes: node picture.js FILE
// The stack has the sample data and the keys of events/ only. Ports 3000 and 8000 must be free: they are in the picture.

import { writeFileSync } from "node:fs";

import { withPalette } from "./palette.js";
import { Stack } from "./stack.js";
import { openBrowser } from "./window.js";

const VIEW = { width: 1280, height: 800 };

const [file] = process.argv.slice(2);
const stack = await Stack.start(["--fixed-sample", "--dynamodb-port", "8000"], "3000");
const browser = await openBrowser();
try {
  const context = await browser.newContext({ viewport: VIEW, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(stack.home);
  await page.getByLabel("Task").selectOption({ index: 3 });
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("region", { name: "Body of the answer" }).waitFor();
  await page.getByRole("button", { name: "Invite somebody" }).click();
  await page.locator("#way li.lit", { hasText: "invitation.sent" }).waitFor();
  for (const path of ["/user/me", "/user/search?query=martin", "/category/search?lang=FR&name=boul"]) await stack.call("GET", path);
  await page.locator("#requests > li").nth(4).waitFor();
  const picture = await page.screenshot();
  writeFileSync(file, await withPalette(await context.newPage(), picture));
} finally {
  await browser.close();
  await stack.stop();
}
