// The local stack as a program: starts it, calls it over HTTP, and makes its data older.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const PROGRAM = process.env.PRESENCE_LOCAL ?? "../../target/debug/presence-local";
/** Longest wait in milliseconds: a busy machine must not fail a test. */
export const PATIENCE = 60_000;
/** Milliseconds between two checks of a condition. */
const POLL = 50;

/** Calls the function until its result is neither null, undefined nor false, and returns the result. */
export async function until(what, ask) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise(resolve => setTimeout(resolve, POLL));
  }
  throw new Error(`it never came true: ${what}`);
}

/** Returns a port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return String(port);
}

export class Stack {
  #child;
  #ready;
  #emails = 0;

  /** Starts the program, which prints its address. The log is shown only if it does not start. */
  static async start(options = [], port = "0") {
    const stack = new Stack();
    stack.#child = spawn(PROGRAM, ["--port", port, "--json", ...options], { stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(stack.#child, "close").then(() => { throw new Error(`${PROGRAM} ended before it was ready`); });
    const line = once(createInterface(stack.#child.stdout), "line");
    stack.#ready = JSON.parse((await Promise.race([line, ended]))[0]);
    ended.catch(() => { /* the test stops it at the end */ });
    return stack;
  }

  async stop() {
    const closed = this.#child.exitCode === null ? once(this.#child, "close") : null;
    this.#child.kill("SIGTERM");
    await closed;
  }

  /** Returns scheme, host and port of every page. */
  get origin() { return new URL(this.#ready.base_url).origin; }

  get home() { return this.#ready.home_url; }

  /** Returns the keys by role. */
  get keys() { return this.#ready.keys; }

  get mailbox() { return this.#ready.mailbox_url; }

  get stats() { return this.#ready.stats_url; }

  /** Returns the key of the ORG_ADMIN. */
  get key() { return this.#ready.keys.ORG_ADMIN; }

  get events() { return this.#ready.events_url; }

  get docs() { return this.#ready.docs_url; }

  /** Calls the API as ORG_ADMIN; returns status and JSON. */
  async call(method, path, body) {
    const headers = { "x-api-key": this.#ready.keys.ORG_ADMIN, "content-type": "application/json" };
    const response = await fetch(this.#ready.base_url + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** Creates an invited user; returns its id and address. */
  async invite(lang, name = {}) {
    const email = `${lang}-${++this.#emails}@guests.example`;
    const person = { email, first_name: "Zoë", last_name: "Durand", lang, status: "invited", ...name };
    const { status, body } = await this.call("POST", "/user", person);
    if (status !== 200) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
    return { id: body.id, email };
  }

  /** Returns the mails sent to an address so far, oldest first. */
  async mails(email) {
    const mails = await (await fetch(`${this.mailbox}.json`)).json();
    return mails.filter(mail => mail.to === email);
  }

  /** Returns a mail to an address by its number, from 1 on, as soon as it was sent. */
  async mail(email, number = 1) {
    return until(`mail ${number} to ${email}`, async () => (await this.mails(email))[number - 1]);
  }

  /** Returns only the link of that mail. */
  async link(email, number = 1) {
    return (await this.mail(email, number)).links[0];
  }

  /** Makes all stored data of a user older by so many seconds, after the mailer has finished with it. */
  async age(id, seconds) {
    await until("nobody writes in between", async () => {
      const { Items: items } = await this.#dynamodb("Query", {
        KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": { S: `USER#${id}` } }, ConsistentRead: true,
      });
      const user = items.find(item => "version" in item);
      const { Item: window } = await this.#dynamodb("GetItem", {
        Key: { pk: { S: `MAILBOX#${user.email_key.S}` }, sk: { S: "MAILBOX" } }, ConsistentRead: true,
      });
      // Windows of address and user first: they must be over when the stream wakes the mailer for a mail.
      const mails = items.filter(item => item !== user);
      for (const item of [window, user, ...mails].filter(Boolean)) {
        if (!await this.#replace(item, older(item, seconds * 1000))) return false;
      }
      return true;
    });
  }

  async #replace(before, after) {
    const guard = ["version", "due_at", "quiet_until"].find(name => name in before);
    const answer = await this.#dynamodb("PutItem", {
      Item: after, ConditionExpression: `${guard} = :before`, ExpressionAttributeValues: { ":before": before[guard] },
    });
    return answer.__type === undefined;
  }

  /** Makes a call of DynamoDB's protocol. The embedded DynamoDB checks no signature. */
  async #dynamodb(operation, request) {
    const headers = {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      "x-amz-date": "20260101T000000Z",
      authorization: "AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
    };
    const body = JSON.stringify({ TableName: "presence-users", ...request });
    return (await fetch(this.#ready.dynamodb_url, { method: "POST", headers, body })).json();
  }
}

/** Returns the item with each of its instants so many milliseconds earlier. */
function older(item, milliseconds) {
  const earlier = value => ({ N: String(Number(value.N) - milliseconds) });
  const aged = structuredClone(item);
  for (const name of ["invited_at", "quiet_until", "due_at", "created_at", "give_up_at"]) {
    if (aged[name]) aged[name] = earlier(aged[name]);
  }
  for (const link of aged.links?.L ?? []) link.M.expires_at = earlier(link.M.expires_at);
  return aged;
}
