// The feed of the local stack, and messages of its webhooks to a receiver of this process: `tools/ci/with-stack` sets the environment.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { type Event, GoneError, PresenceClient, verifyWebhook } from "../../src/index.js";

const presence = new PresenceClient({ apiKey: process.env["PRESENCE_ORG_ADMIN"] ?? "" });

/** Changes the state of a review back and forth, so many times. Returns its id. Other tests change the newest reviews. */
async function change(times: number): Promise<string> {
  const id = (await presence.reviews.search({ state: ["not_treated"], per_page: 100 })).reviews.at(-1)?.id ?? "";
  for (let number = 0; number < times; number++)
    await presence.reviews.setState(id, number % 2 === 0 ? "treated" : "not_treated");
  return id;
}

test("events come in order, and another reader goes on at the cursor", async () => {
  const following = presence.events("now", { type__in: ["review.*"], pause: 0.2 });
  const start = (await following.next()).value?.cursor ?? "";
  const id = await change(2);
  const events: Event[] = [];
  let middle = "";
  for await (const batch of following) {
    middle ||= batch.cursor;
    events.push(...batch.events.filter(({ data }) => data.id === id));
    if (events.length >= 2) break;
  }
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.id, data.fields]),
    [1, 2].map(() => ["review.updated", id, ["state"]]),
  );
  const [first, second] = events.map(({ data }) => data.version ?? 0);
  assert.equal(second, (first ?? 0) + 1);
  const read = async (after: string) => {
    const ids: string[] = [];
    const options = { type__in: ["review.*" as const], follow: false };
    for await (const { events } of presence.events(after, options))
      ids.push(...events.filter(({ data }) => data.id === id).map((event) => event.id));
    return ids;
  };
  const ids = events.map((event) => event.id);
  assert.deepEqual(await read(start), ids);
  assert.ok(ids.join().endsWith((await read(middle)).join()));
  const never = presence.events(start.replace(/-.*/, "-999999"));
  await assert.rejects(
    never.next(),
    (error) => error instanceof GoneError && (error.oldest ?? "").startsWith(start.split("-")[0] ?? "?"),
  );
});

test("messages of a webhook are verified by this package and by the public one, also while secrets overlap", async () => {
  const messages: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    messages.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { webhooks } = presence;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { id, secret } = await webhooks.create({ url, types: ["key.*"], label: "own-typescript" });
  assert.equal((await webhooks.test(id)).state, "delivered");
  const rotated = await webhooks.rotate(id);
  assert.equal((await webhooks.test(id)).type, "webhook.test");
  server.close();
  const secrets = [[secret], [secret, rotated.secret]];
  for (const [number, { headers, body }] of messages.entries()) {
    for (const one of secrets[number] ?? []) {
      const event = verifyWebhook(headers, body, one ?? "");
      assert.deepEqual([event.type, event.data.id, event.id], ["webhook.test", id, headers["webhook-id"]]);
      new Webhook(one ?? "").verify(body, headers as Record<string, string>);
    }
  }
  assert.equal(messages.length, 2);
  assert.equal((await webhooks.update(id, { label: "renamed" })).label, "renamed");
  assert.ok((await webhooks.list()).some((webhook) => webhook.id === id && webhook.state === "enabled"));
  assert.equal((await webhooks.enable(id)).cursor, (await webhooks.get(id)).cursor);
  assert.equal((await webhooks.replay(id, (await webhooks.get(id)).cursor)).id, id);
  assert.deepEqual((await webhooks.listDeliveries(id, { limit: 5 })).deliveries, []);
  await webhooks.delete(id);
  assert.ok((await webhooks.list()).every((webhook) => webhook.id !== id));
});

test("the receiver of the documentation takes each event once, and refuses another secret", async () => {
  const { webhooks } = presence;
  const script = join(dirname(process.env["OPENAPI"] ?? ""), "receiver.mjs");
  const start = async (secret: string) => {
    const child = spawn(process.execPath, [script, "0"], {
      env: { WEBHOOK_SECRET: secret },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? "null");
    return { child, next, url: `http://127.0.0.1:${(await next()).port}/` };
  };
  const stranger = await start("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
  const { id, secret } = await webhooks.create({ url: stranger.url, types: ["review.*"], label: "receiver" });
  const receiver = await start(secret ?? "");
  try {
    const [attempt] = (await webhooks.test(id)).attempts;
    assert.equal(attempt?.status, 401);
    const { cursor } = await webhooks.update(id, { url: receiver.url });
    const review = await change(2);
    const events = [await receiver.next(), await receiver.next()];
    assert.ok(events.every(({ data }) => data.id === review) && events[0].data.version < events[1].data.version);
    await webhooks.replay(id, cursor);
    await change(1);
    // The two that come again are dropped.
    assert.ok((await receiver.next()).data.version > events[1].data.version);
  } finally {
    stranger.child.kill();
    receiver.child.kill();
    await webhooks.delete(id);
  }
});
