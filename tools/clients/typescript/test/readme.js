// Writes each example of the README into a file below build/readme, as it stands.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const examples = [...readFileSync("README.md", "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? "");
if (examples.length !== 9) throw new Error(`the README has ${examples.length} examples`);
rmSync("build/readme", { recursive: true, force: true });
mkdirSync("build/readme", { recursive: true });
examples.forEach((code, number) => {
  writeFileSync(`build/readme/example-${number + 1}.ts`, code);
});
