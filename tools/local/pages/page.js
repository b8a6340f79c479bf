// Functions that the scripts of all pages share.

/** Milliseconds for which a button says that it copied. */
const SAID = 1500;

/** Milliseconds between two looks for a stack that is stopped. */
const STOPPED_PAUSE = 1000;

/** Returns an element with these properties and children. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export const byId = id => document.getElementById(id);

/** Fetches JSON of this stack. */
export async function get(path) {
  const response = await fetch(path, { cache: "no-store" });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

/**
 * Runs a function now, and again whenever the stack tells of a change of the subject. Changes during a run lead to one further run. A stack
 * that stops is said, and another one loads the page again: its keys and data may be others. A page that is not seen keeps no connection, of
 * which a browser makes few to a host.
 */
export function follow(subject, run = async () => {}) {
  let source, stack, isRunning = false, isWaiting = false, isOver = false;
  const turn = async () => {
    isWaiting = isRunning;
    if (isRunning) return;
    isRunning = true;
    // What failed is tried again: no further change may come. A stack that stops closes the source.
    await run().catch(() => { if (source.readyState !== EventSource.CLOSED) setTimeout(turn, STOPPED_PAUSE); });
    isRunning = false;
    if (isWaiting) await turn();
  };
  const listen = () => {
    source?.close();
    if (isOver || document.visibilityState === "hidden") return;
    source = new EventSource(`/changes/${subject}`);
    source.onmessage = ({ data }) => {
      stack ??= data;
      if (data === stack) turn();
      else location.reload();
    };
    source.onerror = async () => {
      if (!await isStopped() || isOver) return;
      isOver = true;
      source.close();
      await waitForStart();
    };
  };
  document.addEventListener("visibilitychange", listen);
  listen();
}

/** Calls the API with a key. Returns the answer; throws an error with the status and the API's words. */
export async function callApi(key, path, method = "GET", body = undefined) {
  const headers = { "x-api-key": key.trim(), "content-type": "application/json" };
  const request = fetch(`/api/v2${path}`, { method, headers, body: body && JSON.stringify(body) });
  const response = await request.catch(() => { throw new Error("The local stack does not answer."); });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(`The API refuses: ${messages(answer.errors)}.`), { status: response.status });
  return answer;
}

/** Returns the texts of an error. */
function messages(errors) {
  const [found] = Object.values(errors);
  if (typeof found === "string") return found;
  return Object.entries(found).map(([field, text]) => `${field} ${text.explanation ?? text}`).join("; ");
}

/** True if nothing answers at the address of this page. */
async function isStopped() {
  try { await fetch(location.pathname, { method: "HEAD", cache: "no-store" }); } catch { return true; }
  return false;
}

/** Says that the stack is stopped, waits for its start, and loads the page again. */
async function waitForStart() {
  const text = "The stack is stopped. This page shows what was there, and is loaded again when it starts: cargo run";
  const said = element("p", { className: "error", textContent: text });
  said.setAttribute("role", "status");
  document.querySelector("h1").after(said);
  while (await isStopped()) await new Promise(done => setTimeout(done, STOPPED_PAUSE));
  location.reload();
  await new Promise(() => { /* until the page is loaded */ });
}

/** Names, texts and other values of JSON. */
const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Returns preformatted JSON with its names and values in colours. Other text stays as it is. */
export function highlighted(text) {
  const parts = [];
  let end = 0;
  if (/^[[{]/.test(text)) {
    for (const token of text.matchAll(TOKEN)) {
      const [all, quoted, colon = ""] = token;
      const className = colon ? "json-name" : quoted ? "json-text" : "json-value";
      parts.push(text.slice(end, token.index), element("span", { className, textContent: quoted ?? all }), colon);
      end = token.index + all.length;
    }
  }
  return element("pre", {}, ...parts, text.slice(end));
}

/** Returns a link to the page that explains the code of an error. */
export function errorLink(code) {
  return element("a", { href: `/guide/errors#${code}`, textContent: code });
}

/** Returns a button that copies what the function returns. `name` tells screen readers what that is, and `label` is on the button. */
export function copyButton(name, text, label = "Copy") {
  const button = element("button", { type: "button" });
  const say = word => {
    button.textContent = word;
    button.setAttribute("aria-label", `${word} ${name}`);
  };
  say(label);
  const said = element("span", { className: "hidden-text" });
  said.setAttribute("role", "status");
  button.onclick = async () => {
    const copied = await copy(text());
    say(copied ? "Copied" : "Not copied");
    said.textContent = copied ? `${name} is copied` : "The browser refuses to copy";
    setTimeout(() => { say(label); said.textContent = ""; }, SAID);
  };
  return element("span", { className: "copy" }, button, said);
}

/** Copies text; returns false if the browser refuses. Without the permission of the clipboard, a selection is copied. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea", { value: text, readOnly: true, className: "hidden-text" });
    const focused = document.activeElement;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return copied;
  }
}
