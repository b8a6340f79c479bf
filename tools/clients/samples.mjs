// Writes the samples that /docs shows for our packages, of each operation with all that its method takes: node samples.mjs FOLDER
// They are in typescript/*.ts, python/*.py and rust/samples.rs of the folder. `tools/ci/own-clients` compiles them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);
const read = path => readFileSync(new URL(path, ROOT), "utf8");
// As data, because no package.json says that the pages are modules.
const packages = await import(`data:text/javascript,${encodeURIComponent(read("tools/local/pages/docs/packages.js"))}`);
const description = JSON.parse(read("shared/docs/openapi.json"));

function resolve(value) {
  return value.$ref ? resolve(value.$ref.split("/").slice(1).reduce((part, name) => part[name], description)) : value;
}

/** Returns the request of an operation: the examples of its parameters and body. */
function requestOf(method, path, operation) {
  const parameters = (operation.parameters ?? []).map(resolve);
  const url = new URL("http://127.0.0.1:3000");
  url.pathname = parameters.filter(({ in: place }) => place === "path")
    .reduce((path, { name, example }) => path.replace(`{${name}}`, encodeURIComponent(example)), path);
  const [example] = Object.values(resolve(operation.requestBody ?? {}).content?.["application/json"].examples ?? {});
  const body = example && JSON.stringify(resolve(example).value);
  const request = query => ({ method: method.toUpperCase(), url: `${url}?${new URLSearchParams(query)}`, headers: { "x-api-key": "key" }, body });
  const query = parameters.filter(({ in: place }) => place === "query").map(({ name, example }) => [name, [example].flat().join(",")]);
  return request(query.filter(parameter => packages.callOf(request([parameter]))));
}

const [folder] = process.argv.slice(2);
for (const language of ["typescript", "python", "rust"]) mkdirSync(`${folder}/${language}`, { recursive: true });
const modules = [];
for (const [path, item] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(item).filter(([, { operationId }]) => operationId)) {
    const name = operation.operationId;
    const call = packages.callOf(requestOf(method, path, operation));
    if (!call) throw new Error(`${name} has no sample for our packages`);
    writeFileSync(`${folder}/typescript/${name}.ts`, packages.typescript(call));
    writeFileSync(`${folder}/python/${name}.py`, packages.python(call));
    modules.push(`mod ${name} {\n${packages.rust(call)}\n}\n`);
  }
}
writeFileSync(`${folder}/rust/samples.rs`, modules.join("\n"));
