// Request to the API: its code samples, and its answer once it is sent.

import { copyButton, element, errorLink, highlighted } from "/pages/page.js";
import { LANGUAGES } from "/pages/docs/samples.js";

/** Language of the code samples. It is kept from one request to the next. */
let language = LANGUAGES[0];

/** Returns a status with a colour for its class. */
export function statusText(status) {
  const kind = status >= 500 ? "failed" : status >= 400 ? "refused" : "ok";
  return element("span", { className: `status ${kind}`, textContent: status });
}

/** Returns JSON or text in a box that the keyboard can scroll. */
export function codeBox(name, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return element("section", { tabIndex: 0, ariaLabel: name, className: "scroll" }, highlighted(text));
}

/** Sends a request and shows its answer. Returns the answer with its body as text; nothing if there is no answer. */
export async function sendRequest({ method, url, headers, body }, answer, button) {
  button.disabled = true;
  const started = performance.now();
  let sent;
  try {
    const response = await fetch(url, { method, headers, body, cache: "no-store" });
    const text = await response.text();
    const took = Math.round(performance.now() - started);
    const line = element("p", {}, statusText(response.status), ` ${response.statusText} in ${took} ms, ${text.length.toLocaleString("en")} characters`);
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    const code = response.headers.get("x-error-code");
    if (code) line.append(": ", errorLink(code));
    answer.replaceChildren(line, codeBox("Body of the answer", pretty(text)),
      element("details", {}, element("summary", { textContent: "Headers of the answer" }), codeBox("Headers", head)));
    sent = { response, text };
  } catch (error) {
    answer.replaceChildren(element("p", { className: "error", textContent: `No answer: ${error.message}` }));
  }
  answer.hidden = false;
  button.disabled = false;
  return sent;
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

/** Returns the elements of the code samples, and the function that writes them again. */
export function codeSamples(request, languages = LANGUAGES) {
  const code = element("pre", { tabIndex: 0, id: "sample" });
  code.setAttribute("role", "tabpanel");
  const tabs = element("div", { className: "tabs" });
  tabs.setAttribute("role", "tablist");
  tabs.ariaLabel = "Language";
  const refresh = () => {
    for (const tab of tabs.children) {
      const isChosen = tab.textContent === language.name;
      tab.ariaSelected = isChosen;
      tab.tabIndex = isChosen ? 0 : -1;
    }
    code.ariaLabel = language.name;
    code.textContent = language.write(request());
  };
  for (const each of languages) {
    const tab = element("button", { type: "button", textContent: each.name });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", code.id);
    tab.onclick = () => { language = each; refresh(); };
    tabs.append(tab);
  }
  tabs.onkeydown = ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    language = languages.at((languages.indexOf(language) + step) % languages.length);
    refresh();
    tabs.querySelector("[aria-selected=true]").focus();
  };
  const bar = element("div", { className: "tabs" }, tabs, copyButton("the code", () => code.textContent));
  return { elements: [bar, code], refresh };
}
