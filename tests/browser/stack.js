// The local stack, as a program of its own: started, called over HTTP, and told that time has passed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const PROGRAM = process.env.PRESENCE_LOCAL ?? "../../target/debug/presence-local";
/** Longest wait for anything: a busy machine must not fail a test. */
export const PATIENCE = 60_000;
/** How often it is asked whether something has come true. */
const POLL = 50;

/** Asks until the answer is neither null, undefined nor false, and gives it. */
export async function until(what, ask) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise(resolve => setTimeout(resolve, POLL));
  }
  throw new Error(`it never came true: ${what}`);
}

export class Stack {
  #child;
  #ready;
  #emails = 0;

  /** Starts the program; it says where it listens. Its log is shown only where a test fails to start it. */
  static async start() {
    const stack = new Stack();
    stack.#child = spawn(PROGRAM, ["--port", "0", "--json"], { stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(stack.#child, "close").then(() => { throw new Error(`${PROGRAM} ended before it was ready`); });
    const line = once(createInterface(stack.#child.stdout), "line");
    stack.#ready = JSON.parse((await Promise.race([line, ended]))[0]);
    ended.catch(() => { /* it is stopped at the end */ });
    return stack;
  }

  async stop() {
    const closed = this.#child.exitCode === null ? once(this.#child, "close") : null;
    this.#child.kill("SIGTERM");
    await closed;
  }

  /** Scheme, host and port of every page. */
  get origin() { return new URL(this.#ready.base_url).origin; }

  get mailbox() { return this.#ready.mailbox_url; }

  /** A call as ORG_ADMIN: status and JSON. */
  async call(method, path, body) {
    const headers = { "x-api-key": this.#ready.keys.ORG_ADMIN, "content-type": "application/json" };
    const response = await fetch(this.#ready.base_url + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  }

  /** Creates an invited person; its id and address. */
  async invite(lang, name = {}) {
    const email = `${lang}-${++this.#emails}@guests.example`;
    const person = { email, first_name: "Zoë", last_name: "Durand", lang, status: "invited", ...name };
    const { status, body } = await this.call("POST", "/user", person);
    if (status !== 200) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
    return { id: body.id, email };
  }

  /** The mails sent to an address so far, oldest first. */
  async mails(email) {
    const mails = await (await fetch(`${this.mailbox}.json`)).json();
    return mails.filter(mail => mail.to === email);
  }

  /** The mail of this number to an address, from 1 on, as soon as it was sent. */
  async mail(email, number = 1) {
    return until(`mail ${number} to ${email}`, async () => (await this.mails(email))[number - 1]);
  }

  /** The same, but for its link only. */
  async link(email, number = 1) {
    return (await this.mail(email, number)).links[0];
  }

  /** Makes all that is stored of a person older, as if so many seconds had passed; once the mailer is done with it. */
  async age(id, seconds) {
    await until("nobody writes in between", async () => {
      const { Items: items } = await this.#dynamodb("Query", {
        KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": { S: `USER#${id}` } }, ConsistentRead: true,
      });
      const user = items.find(item => "version" in item);
      const { Item: window } = await this.#dynamodb("GetItem", {
        Key: { pk: { S: `MAILBOX#${user.email_key.S}` }, sk: { S: "MAILBOX" } }, ConsistentRead: true,
      });
      // The windows of address and user first: the mailer must find them over when the stream tells of a mail.
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

  /** A call of DynamoDB's protocol; the embedded one looks at no signature. */
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

/** An item with each of its instants so many milliseconds earlier. */
function older(item, milliseconds) {
  const earlier = value => ({ N: String(Number(value.N) - milliseconds) });
  const aged = structuredClone(item);
  for (const name of ["invited_at", "quiet_until", "due_at", "created_at", "give_up_at"]) {
    if (aged[name]) aged[name] = earlier(aged[name]);
  }
  for (const link of aged.links?.L ?? []) link.M.expires_at = earlier(link.M.expires_at);
  return aged;
}
