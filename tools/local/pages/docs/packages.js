// Code samples of a request with our client packages: one call of a method. `tools/ci/own-clients` compiles those of each operation.

/**
 * Methods by their requests: in TypeScript, of which that in Python has the same words, and in Rust. Then what follows the values of the path:
 * fields of their own, or `...` for filters, or the type of the body.
 */
const METHODS = `
GET /user/me | users.me | me |
GET /user/search | users.search | search_users | ...
GET /user/stats | users.stats | user_stats |
GET /user/{} | users.get | user |
POST /user | users.create | create_user | UserCreation
POST /user/{} | users.update | update_user | UserChange
DELETE /user/{} | users.delete | delete_user |
POST /user/{}/invite | users.invite | invite_user |
GET /user/{}/keys | users.listKeys | list_keys |
POST /user/{}/keys | users.createKey | create_key | KeyCreation
POST /user/{}/keys/{}/rotate | users.rotateKey | rotate_key | KeyRotation
DELETE /user/{}/keys/{} | users.revokeKey | revoke_key |
GET /category/search | categories.search | search_categories | ...
GET /category/{} | categories.get | category | lang
GET /business/search | businesses.search | search_businesses | ...
GET /reviews | reviews.search | search_reviews | ...
GET /reviews/stats | reviews.stats | review_stats | ...
GET /reviews/{} | reviews.get | review |
PUT /reviews/{} | reviews.setState | set_review_state | state
GET /reviews/{}/reply | reviews.getReply | reply |
PUT /reviews/{}/reply | reviews.putReply | put_reply | content
DELETE /reviews/{}/reply | reviews.deleteReply | delete_reply |
POST /reviews/{}/reply/outcome | reviews.reportReplyOutcome | report_reply_outcome | OutcomeReport
GET /events | events | events | after ...
GET /webhooks | webhooks.list | list_webhooks | org_id
POST /webhooks | webhooks.create | create_webhook | WebhookCreation
GET /webhooks/{} | webhooks.get | webhook |
POST /webhooks/{} | webhooks.update | update_webhook | WebhookChange
DELETE /webhooks/{} | webhooks.delete | delete_webhook |
POST /webhooks/{}/rotate | webhooks.rotate | rotate_webhook |
POST /webhooks/{}/test | webhooks.test | test_webhook |
POST /webhooks/{}/enable | webhooks.enable | enable_webhook |
POST /webhooks/{}/replay | webhooks.replay | replay_webhook | after
GET /webhooks/{}/deliveries | webhooks.listDeliveries | list_deliveries | ...
`.trim().split("\n").map(line => {
  const [request, camel, rust, takes] = line.split("|").map(part => part.trim());
  const pattern = new RegExp(`^${request.replaceAll("{}", "([^/?]+)")}$`);
  return { pattern, camel, snake: camel.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), rust, takes };
});

/** Methods that return nothing to print. */
const SILENT = new Set(["users.update", "users.delete", "users.invite", "users.revokeKey", "reviews.deleteReply", "webhooks.delete"]);
/** Parameters that the iterators and methods of the packages do not take. */
const LEFT_OUT = { events: ["limit"] };
const NUMBERS = new Set(["page", "per_page", "limit", "rating", "rating__in"]);
const LISTS = new Set(["state", "rating__in", "partner__in", "business__in", "type__in"]);
/** Largest number of characters of fields in one line. */
const LONGEST = 80;
/** Page that tells where the packages are. */
const GUIDE = "/guide/clients#our-clients";
/** Lists of values of a fixed set. */
const CHOICES = new Set(["state", "partner__in", "type__in"]);
/** Headers of every request. A request with others is no call of a method. */
const USUAL = new Set(["x-api-key", "content-type"]);

/**
 * Returns the call of a request: the method, the values of the path, the fields that are arguments of their own, and those that go together.
 * Undefined if no method makes this request.
 */
export function callOf({ method, url, headers, body }) {
  const { origin, pathname, searchParams } = new URL(url);
  const path = pathname.replace("/api/v2", "");
  const found = METHODS.find(({ pattern }) => pattern.test(`${method} ${path}`));
  const key = headers["x-api-key"];
  if (!found || !key || Object.keys(headers).some(name => !USUAL.has(name))) return undefined;
  const fields = body ? parsed(body) : Object.fromEntries([...searchParams].map(([name, text]) => [name, typed(found, name, text)]));
  if (fields === undefined || Array.isArray(fields) || typeof fields !== "object" || fields === null) return undefined;
  const [own, more] = found.takes.startsWith("...") ? [undefined, true] : found.takes.split(" ");
  const type = own && /^[A-Z]/.test(own) ? own : undefined;
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => type || name !== own));
  if (!type && !more && Object.keys(rest).length > 0 || LEFT_OUT[found.camel]?.some(name => name in rest)) return undefined;
  const values = found.pattern.exec(`${method} ${path}`).slice(1).map(decodeURIComponent);
  return { ...found, origin, key, values, type, own: type ? undefined : own, value: fields[own], rest };
}

/** Returns the value of a JSON text; undefined if it is none. */
export function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

/** Returns the value of a parameter. The organisation of a search is a number, that of a feed is a word. */
function typed({ takes }, name, text) {
  const value = text => NUMBERS.has(name) || (name === "org_id" && takes === "...") ? Number(text) : text;
  if (LISTS.has(name)) return text.split(",").map(value);
  return text === "true" || text === "false" ? text === "true" : value(text);
}

export function typescript({ origin, key, camel, values, type, own, value, rest }) {
  const isFeed = camel === "events";
  const fields = isFeed ? { ...rest, follow: false } : rest;
  const last = type || Object.keys(fields).length > 0 ? [objectOf(fields)] : [];
  const middle = own && (value !== undefined || last.length > 0) ? [JSON.stringify(value) ?? "undefined"] : [];
  const call = `presence.${camel}(${[...values.map(text => JSON.stringify(text)), ...middle, ...last].join(", ")})`;
  const done = SILENT.has(camel) ? `await ${call};` : `console.log(await ${call});`;
  return [`import { PresenceClient } from "presence-client"; // ${origin}${GUIDE}`,
    `const presence = new PresenceClient({ baseUrl: ${JSON.stringify(origin)}, apiKey: ${JSON.stringify(key)} });`,
    isFeed ? `for await (const batch of ${call}) console.log(batch.events);` : done].join("\n");
}

/** Returns a JSON value as one of TypeScript. */
function objectOf(value) {
  if (Array.isArray(value)) return `[${value.map(objectOf).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, value]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${objectOf(value)}`);
  return fields.length > 0 ? wrapped("{ ", fields, " }", "  ") : "{}";
}

/** Returns parts in one line, or each in its own if they are too long. */
function wrapped(open, parts, close, margin) {
  const line = parts.join(", ");
  return line.length <= LONGEST ? open + line + close : `${open.trim()}\n${margin}${parts.join(`,\n${margin}`)},\n${close.trim()}`;
}

export function python({ origin, key, camel, snake, values, type, own, value, rest }) {
  const isFeed = camel === "events";
  // A rotation has its settings as arguments.
  const isModel = type && type !== "KeyRotation";
  const named = Object.entries(isFeed ? { ...rest, follow: false } : rest)
    .map(([name, value]) => `${name.replace("__", "_")}=${literal(value, "")}`);
  const last = isModel ? [`${type}.from_dict(${literal(rest, "")})`] : named;
  const args = [...values.map(text => JSON.stringify(text)), ...value === undefined || !own ? [] : [literal(value, "")], ...last];
  const call = `presence.${snake}${isModel ? `(${args.join(", ")})` : wrapped("(", args, ")", "    ")}`;
  const done = SILENT.has(camel) ? [call] : [`print(${call})`];
  return [`from presence_client import PresenceClient${isModel ? `, ${type}` : ""}  # ${origin}${GUIDE}`, "",
    `presence = PresenceClient(${JSON.stringify(origin)}, ${JSON.stringify(key)})`,
    ...isFeed ? [`for batch in ${call}:`, "    print(batch.events)"] : done].join("\n");
}

export function rust({ origin, key, rust, camel, values, type, own, value, rest, takes }) {
  const isFeed = camel === "events";
  const before = [], steps = [];
  for (const [name, value] of takes.endsWith("...") ? Object.entries(rest) : []) {
    const setter = name.replace("__", "_");
    steps.push(`.${setter}(${CHOICES.has(name) ? setter : rustLiteral(value)})`);
    if (CHOICES.has(name)) {
      const item = `${pascal(isFeed ? "list_events" : rust === "review_stats" ? "get_review_stats" : rust)}${pascal(name)}Item`;
      before.push(`    let ${setter}: Vec<types::${item}> = vec![${value.map(text => `${JSON.stringify(text)}.parse()?`).join(", ")}];`);
    }
  }
  if (type) before.push(`    let fields = serde_json::from_value(serde_json::json!(${JSON.stringify(rest, null, 4).replaceAll("\n", "\n    ")}))?;`);
  const args = values.map(text => JSON.stringify(text));
  const separator = steps.join("").length > LONGEST ? "\n        " : "";
  if (own) args.push(ownArgument(rust, value));
  if (isFeed) args.push("presence_client::EventOptions { follow: false, ..Default::default() }");
  if (type) args.push("fields");
  if (takes.endsWith("...")) args.push(`|search| search${steps.map(step => separator + step).join("")}`);
  const call = `presence.${rust}(${args.join(", ")})`;
  const uses = ["Options", "PresenceClient", ...before.some(line => line.includes("types::")) ? ["types"] : []];
  const print = isFeed
    ? [`    let batches = ${call};`, "    futures::pin_mut!(batches);", "    while let Some(batch) = futures::TryStreamExt::try_next(&mut batches).await? {",
      '        println!("{:?}", batch.events);', "    }"]
    : [SILENT.has(camel) ? `    ${call}.await?;` : `    println!("{:?}", ${call}.await?);`];
  const crates = ["tokio", ...type ? ["serde_json"] : [], ...isFeed ? ["futures"] : []];
  return [`// ${origin}${GUIDE}; cargo add ${crates.join(" ")}`, `use presence_client::{${uses.join(", ")}};`, "", "#[tokio::main]", "async fn main() -> Result<(), Box<dyn std::error::Error>> {",
    `    let presence = PresenceClient::new(Options::new(${JSON.stringify(origin)}, ${JSON.stringify(key)}))?;`,
    ...before, ...print, "    Ok(())", "}"].join("\n");
}

/** Returns the argument of a field of its own: an optional text, a choice, or a text. */
function ownArgument(method, value) {
  if (method === "list_webhooks") return value === undefined ? "None" : `Some(${JSON.stringify(value)})`;
  if (method === "events") return value === undefined ? "None" : `Some(${JSON.stringify(value)}.to_owned())`;
  return method === "set_review_state" ? `${JSON.stringify(value)}.parse()?` : JSON.stringify(value);
}

function rustLiteral(value) {
  const item = value => typeof value === "string" ? `${JSON.stringify(value)}.to_owned()` : value;
  return Array.isArray(value) ? `vec![${value.map(item).join(", ")}]` : JSON.stringify(value);
}

function pascal(name) {
  return name.replaceAll(/(?:^|_+)([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** Returns a JSON value as a literal of Python. */
export function literal(value, margin) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${margin}    `;
  if (Array.isArray(value) && value.every(item => typeof item !== "object")) return `[${value.map(item => literal(item, "")).join(", ")}]`;
  const items = Array.isArray(value)
    ? value.map(item => `${inner}${literal(item, inner)},`)
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${literal(item, inner)},`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return items.length ? `${open}\n${items.join("\n")}\n${margin}${close}` : open + close;
}
