// Code samples of a request: with our packages, and over HTTP. Each of the latter runs as it stands; that in Rust names the crates that it needs.

import * as packages from "/pages/docs/packages.js";

const { literal, parsed } = packages;

/** Languages of the samples, in the order of the tabs. A request that no method of our packages makes is written over HTTP. */
export const PACKAGES_AND_CURL = [
  { name: "TypeScript", write: request => withPackage(packages.typescript, request) ?? fetched(request) },
  { name: "Python", write: request => withPackage(packages.python, request) ?? urllib(request) },
  { name: "Rust", write: request => withPackage(packages.rust, request) ?? reqwest(request) },
  { name: "curl", write: curl },
];
export const LANGUAGES = [
  ...PACKAGES_AND_CURL,
  { name: "fetch", write: fetched },
  { name: "urllib", write: urllib },
  { name: "reqwest", write: reqwest },
];

function withPackage(write, request) {
  const call = packages.callOf(request);
  return call && write(call);
}

function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function curl({ method, url, headers, body }) {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  if (body) lines.push(`  -d ${quoted(body)}`);
  return lines.join(" \\\n");
}

function fetched({ method, url, headers, body }) {
  const options = [`  method: ${JSON.stringify(method)},`, `  headers: ${indented(JSON.stringify(headers, null, 2), "  ")},`];
  if (body) {
    const value = parsed(body);
    const written = value === undefined ? JSON.stringify(body) : `JSON.stringify(${indented(JSON.stringify(value, null, 2), "  ")})`;
    options.push(`  body: ${written},`);
  }
  return `const response = await fetch(${JSON.stringify(url)}, {\n${options.join("\n")}\n});\n`
    // Alone, console.log leaves out what is three levels deep, such as the choices of an error.
    + "console.log(response.status, JSON.stringify(await response.json(), null, 2));";
}

function urllib({ method, url, headers, body }) {
  const value = body ? parsed(body) : undefined;
  const lines = [
    "import json", "from urllib.error import HTTPError", "from urllib.request import Request, urlopen", "", "request = Request(",
    `    ${JSON.stringify(url)},`, `    method=${JSON.stringify(method)},`, `    headers=${literal(headers, "    ")},`,
  ];
  if (value !== undefined) lines.push(`    data=json.dumps(${literal(value, "    ")}).encode(),`);
  else if (body) lines.push(`    data=${JSON.stringify(body)}.encode(),`);
  const send = ["try:", "    response = urlopen(request)", "except HTTPError as error:", "    response = error"];
  return [...lines, ")", ...send, "print(response.status, json.load(response))"].join("\n");
}

function reqwest({ method, url, headers, body }) {
  const lines = [
    "// cargo add reqwest && cargo add tokio --features macros,rt-multi-thread", "#[tokio::main]",
    "async fn main() -> Result<(), reqwest::Error> {", "    let response = reqwest::Client::new()",
    `        .request(reqwest::Method::${method}, ${JSON.stringify(url)})`,
    ...Object.entries(headers).map(([name, value]) => `        .header(${JSON.stringify(name)}, ${JSON.stringify(value)})`),
  ];
  if (body) lines.push(`        .body(${raw(body)})`);
  return [...lines, "        .send()", "        .await?;", '    println!("{} {}", response.status(), response.text().await?);', "    Ok(())", "}"].join("\n");
}

/** Returns a raw string of Rust, between more `#` than the text has in a row. */
function raw(text) {
  const marks = "#".repeat(Math.max(0, ...(text.match(/#+/g) ?? []).map(({ length }) => length)) + 1);
  return `r${marks}"${text}"${marks}`;
}

function indented(text, margin) {
  return text.replaceAll("\n", `\n${margin}`);
}
