// One operation: the form that sends it, its code samples, its answer, and what the description says about it.

import { element, errorLink, highlighted } from "/pages/page.js";
import { codeSamples, sendRequest } from "/pages/request.js";
import { fieldsTable, resolve } from "/pages/docs/schema.js";

const JSON_TYPE = "application/json";
/** Letters of the mark that makes an address fresh. */
const MARK_LETTERS = 5;


/** Names in a permalink that are not of parameters: the caller and the body. */
const AS = "as", BODY = "body";
/** Bodies that no address may hold. */
const SECRET = /"(?:password|api_key)"/;

/** Shows an operation in the panel, with the request of a permalink. The caller may change while it is shown. */
export function showOperation(panel, operation, description, caller, permalink) {
  const parameters = (operation.parameters ?? []).map(parameter => resolve(description, parameter));
  // The API says what is missing; the browser does not.
  const form = element("form", { className: "card", noValidate: true });
  form.ariaLabel = "Request";
  const body = operation.requestBody && element("textarea", { rows: 12, spellcheck: false });
  const choices = element("select");
  const listed = [{ name: "", summary: body ? "A body that succeeds" : "Only what is required" }, ...operation.examples];
  choices.append(...listed.map(({ name, summary, role, status }) =>
    new Option(name ? `${summary} (${status}, ${role})` : summary, name)));
  const fields = new Map(parameters.map(parameter => [parameter.name, input(parameter)]));
  const send = element("button", { type: "submit", className: "main", textContent: "Send" });
  const note = element("p", { className: "hint" });
  const answer = element("div", { className: "answer", hidden: true });
  answer.setAttribute("role", "status");

  let unknown = [];
  const filled = new Map();
  const request = () => readRequest(operation, parameters, fields, body, caller.key, unknown);
  const samples = codeSamples(request);
  const setUnknown = pairs => {
    unknown = pairs;
    note.textContent = unknown.map(([name, value]) => `Sent, too: ${name}=${value}`).join(", ");
  };
  // Another caller has other defaults. What somebody typed, or a permalink has, stays.
  const fill = keepsTyped => {
    const set = (field, value) => {
      if (keepsTyped && field.value !== filled.get(field)) return;
      setValue(field, value);
      filled.set(field, field.value);
    };
    const example = operation.examples.find(({ name }) => name === choices.value);
    if (example) caller.choose(example.role);
    const values = example ? valuesOf(operation, example) : defaultValues(operation, parameters, caller.role);
    for (const [name, field] of fields) set(field, values.parameters.get(name) ?? "");
    if (!keepsTyped) setUnknown([...values.parameters].filter(([name]) => !fields.has(name)));
    if (body) set(body, values.body === undefined ? "" : JSON.stringify(values.body, null, 2));
    const optional = form.querySelector("details");
    if (optional && parameters.some(({ name, required }) => !required && values.parameters.has(name))) optional.open = true;
    samples.refresh();
  };
  // The address names the request and the caller, never a key.
  const share = () => {
    const values = [...fields].filter(([, field]) => field.value !== "").map(([name, field]) => [name, field.value]);
    const content = body && !SECRET.test(body.value) ? [[BODY, body.value]] : [];
    const pairs = [[AS, caller.role], ...values, ...unknown, ...content];
    history.replaceState(null, "", `#${operation.operationId}?${new URLSearchParams(pairs)}`);
  };
  choices.onchange = () => { fill(false); share(); };
  form.oninput = event => { if (event.target !== choices) { samples.refresh(); share(); } };
  form.onsubmit = event => { event.preventDefault(); sendRequest(request(), answer, send); };
  panel.addEventListener("caller", () => { if (choices.value === "") fill(true); else samples.refresh(); share(); }, { signal: only(panel) });

  form.append(element("h3", { textContent: "Try it" }), labelled("Example", choices), ...formFields(parameters, fields));
  if (body) form.append(labelled("Body (JSON)", body));
  form.append(note, send, answer);
  panel.ariaLabel = operation.summary;
  panel.replaceChildren(
    element("h2", { textContent: operation.summary }),
    element("p", { className: "route code" },
      element("span", { className: `method ${operation.method}`, textContent: operation.method }), ` ${operation.path}`),
    element("div", { className: "try" }, form, element("div", { className: "card" }, element("h3", { textContent: "Code" }), ...samples.elements)),
    prose(operation.description),
    ...bodyFields(operation, description), ...answers(operation, description),
  );
  fill(false);
  if (permalink.size === 0) return;
  caller.choose(permalink.get(AS));
  for (const [name, field] of fields) setValue(field, permalink.get(name) ?? "");
  setUnknown([...permalink].filter(([name]) => ![AS, BODY].includes(name) && !fields.has(name)));
  if (body && permalink.has(BODY)) body.value = permalink.get(BODY);
  const optional = form.querySelector("details");
  if (optional) optional.open = parameters.some(({ name, required }) => !required && permalink.has(name));
  samples.refresh();
}

/** Returns a signal that ends when the panel shows another operation. */
function only(panel) {
  panel.shown?.abort();
  panel.shown = new AbortController();
  return panel.shown.signal;
}

function prose(html) {
  const made = element("div", { className: "prose" });
  made.innerHTML = html;
  return made;
}

/** Returns a field with its name and, if given, its hint. */
function labelled(name, field, hint) {
  const label = element("label", {}, element("span", { textContent: name }), field);
  if (!hint) return label;
  hint.id = `hint-${name.split(" ")[0]}`;
  field.setAttribute("aria-describedby", hint.id);
  return element("div", {}, label, hint);
}

/** Returns the field of a parameter. A choice that is not made, or an empty text, is not sent. */
function input({ schema, example }) {
  const kinds = [schema, ...schema.anyOf ?? []];
  const values = schema.enum ?? (kinds.some(({ type }) => type === "boolean") ? ["true", "false"] : undefined);
  if (values) return element("select", {}, new Option("not sent", ""), ...values.map(value => new Option(value)));
  return element("input", { type: "text", autocomplete: "off", spellcheck: false, placeholder: [example ?? ""].flat().join(",") });
}

/** Sets the value of a field. An example may send what is not among the choices. */
function setValue(field, value) {
  if (field.options && ![...field.options].some(option => option.value === value)) field.append(new Option(value));
  field.value = value;
}

/** Returns the fields of the parameters: the required ones first, the others behind a summary. */
function formFields(parameters, fields) {
  const field = parameter => {
    const hint = element("div", { className: "hint" });
    hint.innerHTML = parameter.description ?? "";
    const items = parameter.schema.items?.enum;
    if (items) hint.append(element("p", { textContent: `One or more of ${items.join(", ")}.` }));
    if (parameter.required) fields.get(parameter.name).required = true;
    return labelled(parameter.in === "header" ? `${parameter.name} (header)` : parameter.name, fields.get(parameter.name), hint);
  };
  const optional = parameters.filter(({ required }) => !required);
  const rest = optional.length && element("details", {},
    element("summary", { textContent: `Optional parameters (${optional.length})` }), element("div", {}, ...optional.map(field)));
  return [...parameters.filter(({ required }) => required).map(field), ...rest ? [rest] : []];
}

/** Returns the values of an example's request, by the names of the parameters, and its body. */
function valuesOf(operation, example) {
  const url = new URL(example.request.split(" ")[1], "http://any");
  const values = new Map();
  const names = operation.path.replace("/api/v2", "").split("/");
  url.pathname.split("/").forEach((part, index) => {
    if (names[index]?.startsWith("{")) values.set(names[index].slice(1, -1), decodeURIComponent(part));
  });
  for (const [name, value] of url.searchParams) values.set(name, value);
  return { parameters: values, body: freshened(example) };
}

/** Returns the body of an example. An address belongs to one user only, so that of a new user is made fresh. */
function freshened({ operation, status, body }) {
  if (operation !== "create_user" || status !== 200) return body;
  const mark = Array.from(crypto.getRandomValues(new Uint8Array(MARK_LETTERS)), byte => "abcdefghijklmnopqrstuvwxyz"[byte % 26]);
  return { ...body, email: body.email.replace("@", `.${mark.join("")}@`) };
}

/** Returns the values of the required parameters only, from the first example of this role that succeeds, or of any role. */
function defaultValues(operation, parameters, role) {
  const good = operation.examples.filter(({ status }) => status < 300);
  const example = good.find(example => example.role === role) ?? good[0];
  if (!example) return { parameters: new Map(), body: undefined };
  const values = valuesOf(operation, example);
  const required = new Set(parameters.filter(parameter => parameter.required).map(({ name }) => name));
  return { ...values, parameters: new Map([...values.parameters].filter(([name]) => required.has(name))) };
}

/** Returns the request that the form describes. Some examples have parameters that do not exist: they are sent, too. */
function readRequest(operation, parameters, fields, body, key, unknown) {
  let path = operation.path;
  const query = [], headers = {};
  if (key) headers["x-api-key"] = key;
  for (const { name, in: place } of parameters) {
    const value = fields.get(name).value;
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "" && place === "query") query.push(`${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`);
    else if (value !== "" && place === "header") headers[name.toLowerCase()] = value;
  }
  for (const [name, value] of unknown) query.push(`${name}=${encodeURIComponent(value)}`);
  if (body) headers["content-type"] = JSON_TYPE;
  const url = location.origin + path + (query.length ? `?${query.join("&")}` : "");
  return { method: operation.method, url, headers, body: body?.value };
}

function bodyFields(operation, description) {
  const schema = operation.requestBody?.content[JSON_TYPE].schema;
  return schema ? [element("h3", { textContent: "Fields of the body" }), fieldsTable(description, schema)] : [];
}

/** Returns the answers of an operation: each status with its text, its fields and its examples. */
function answers(operation, description) {
  const statuses = Object.entries(operation.responses).map(([status, reference]) => {
    const response = resolve(description, reference);
    const { schema, examples } = response.content?.[JSON_TYPE] ?? {};
    const inside = element("div", {}, ...schema ? [fieldsTable(description, schema)] : []);
    for (const { summary, value } of Object.values(examples ?? {})) {
      inside.append(element("p", { className: "hint", textContent: summary ?? "Example" }),
        highlighted(JSON.stringify(value, null, 2)));
    }
    const text = prose(response.description);
    const code = response.headers?.["x-error-code"]?.example;
    inside.prepend(text, ...code ? [element("p", {}, "Code: ", errorLink(code))] : []);
    const title = element("summary", {}, element("strong", { className: status < 400 ? "good" : "", textContent: status }),
      ` ${text.textContent.split(/(?<=\.)\s/)[0].trim()}`);
    return element("details", {}, title, inside);
  });
  return [element("h3", { textContent: "Answers" }), element("div", { className: "statuses" }, ...statuses)];
}
