// Code samples of a request: curl, TypeScript, Python and Rust. Each runs as it stands; that in Rust names the crates that it needs.

/** Languages of the samples, in the order of the tabs. */
export const LANGUAGES = [
  { name: "curl", write: curl },
  { name: "TypeScript", write: typescript },
  { name: "Python", write: python },
  { name: "Rust", write: rust },
];

function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function curl({ method, url, headers, body }) {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  if (body) lines.push(`  -d ${quoted(body)}`);
  return lines.join(" \\\n");
}

function typescript({ method, url, headers, body }) {
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

function python({ method, url, headers, body }) {
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

function rust({ method, url, headers, body }) {
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

function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

function indented(text, margin) {
  return text.replaceAll("\n", `\n${margin}`);
}

/** Returns a JSON value as a literal of Python. */
function literal(value, margin) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${margin}    `;
  const items = Array.isArray(value)
    ? value.map(item => `${inner}${literal(item, inner)},`)
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${literal(item, inner)},`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return items.length ? `${open}\n${items.join("\n")}\n${margin}${close}` : open + close;
}
