import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { NetworkError, PresenceClient, PresenceError, ServiceError, type TooManyRequestsError } from "../../src/index.js";
import { pauseAfter } from "../../src/retry.js";
import { done, KEY, refused, withServer } from "./server.js";

const user = { email: "a@b.example", first_name: "A", last_name: "B" };
const me = { status: 200, body: { id: "1" } };

test("a read is repeated after 429, 503 and a broken connection", () =>
  withServer([refused(429, { "retry-after": "3" }), refused(503), "reset", me], async (client, seen, pauses) => {
    assert.equal((await client.users.me()).id, "1");
    assert.equal(seen.length, 4);
    assert.deepEqual(pauses, [3250, 500, 1000]);
  }));

test("a create is repeated under one key, and each call has a key of its own", () =>
  withServer(["reset", refused(503), refused(409, { "retry-after": "1" }), done, done], async (client, seen) => {
    assert.equal(await client.users.create(user), "7");
    await client.users.create(user);
    const keys = seen.map((request) => request.headers["idempotency-key"]);
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
    assert.deepEqual(new Set(keys.slice(0, 4)).size, 1);
    assert.notEqual(keys[4], keys[0]);
    assert.deepEqual(new Set(seen.map((request) => request.body)), new Set([JSON.stringify(user)]));
  }));

test("update, delete and invite send a key, and reads send none", () =>
  withServer([done, done, done, me], async (client, seen) => {
    await client.users.update("7", { phone: "1" });
    await client.users.delete("7", { idempotencyKey: "mine" });
    await client.users.invite("7");
    await client.users.me();
    const keys = seen.map((request) => request.headers["idempotency-key"]);
    assert.deepEqual(
      keys.map((key) => key !== undefined),
      [true, true, true, false],
    );
    assert.equal(keys[1], "mine");
  }));

test("without a key a create is repeated after 429 only", async () => {
  const options = { idempotencyKey: false as const };
  await withServer([refused(429), "reset"], async (client, seen) => {
    await assert.rejects(client.users.create(user, options), NetworkError);
    assert.equal(seen.length, 2);
    assert.equal(seen[0]?.headers["idempotency-key"], undefined);
  });
  await withServer([refused(503)], async (client) => {
    await assert.rejects(client.users.create(user, options), ServiceError);
  });
});

test("repetition ends at its bound, and with a Retry-After that is too long", async () => {
  await withServer(
    [refused(503), refused(503), refused(503)],
    async (client, seen) => {
      await assert.rejects(client.users.me(), ServiceError);
      assert.equal(seen.length, 3);
    },
    { maxRetries: 2 },
  );
  await withServer([refused(429, { "retry-after": "300" })], async (client, _, pauses) => {
    await assert.rejects(client.users.invite("7"), (error: TooManyRequestsError) => error.retryAfterMs === 300_000);
    assert.deepEqual(pauses, []);
  });
});

test("a server that is silent ends the attempt at the time limit", () =>
  withServer(
    ["silence", "silence"],
    async (client) => {
      await assert.rejects(client.users.me(), (error: NetworkError) => error.attempts === 2);
    },
    { timeoutMs: 200, maxRetries: 1 },
  ));

test("an abort by the caller is not repeated", () =>
  withServer(["silence"], async (client, seen) => {
    const controller = new AbortController();
    const call = client.users.me({ signal: controller.signal });
    controller.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
    assert.ok(seen.length <= 1);
  }));

test("requests carry the key, the user agent and the id of the caller, and the address carries no key", () =>
  withServer([me, { status: 200, body: { page: 1, max_page: 1, count: 0, reviews: [] } }], async (client, seen) => {
    await client.users.me({ clientRequestId: "job-1" });
    await client.reviews.search({ rating__in: [1, 2], content__isnull: false });
    assert.equal(seen[0]?.headers["x-api-key"], KEY);
    assert.match(String(seen[0]?.headers["user-agent"]), /^shop\/1\.2 presence-client-typescript\/\d/);
    assert.equal(seen[0]?.headers["x-client-request-id"], "job-1");
    assert.equal(seen[1]?.url, "/api/v2/reviews?rating__in=1,2&content__isnull=false");
  }));

test("a redirect is not followed", () =>
  withServer([{ status: 302, headers: { location: "http://127.0.0.1:1/" } }], async (client, seen) => {
    await assert.rejects(client.users.me(), { status: 302 });
    assert.equal(seen.length, 1);
  }));

test("no error and no print of a client holds the key", () =>
  withServer([refused(500), "reset"], async (client) => {
    const refusal = await client.users.me().catch((error: unknown) => error);
    const broken = await client.users.create(user, { idempotencyKey: false }).catch((error: unknown) => error);
    for (const value of [refusal, broken, client]) assert.ok(!inspect(value, { depth: 9, showHidden: true }).includes(KEY));
  }));

test("an answer of another form is an error of the client", async () => {
  for (const body of ["<html>", "", "null", "5", '"text"']) {
    await withServer([{ status: 200, body }], (client) => assert.rejects(client.users.me(), PresenceError));
  }
  await withServer([{ status: 204, body: "" }], (client) => assert.rejects(client.users.invite("7"), PresenceError));
  await withServer([{ status: 200, body: {} }], (client) => assert.rejects(client.users.create(user), PresenceError));
});

test("a key that no header can hold is refused by an error without it", () => {
  for (const apiKey of [`${KEY}\n`, `${KEY}\r\n`, `${KEY} `, ` ${KEY}`, `${KEY}\n${KEY}`, `${KEY}\x7f`, `${KEY}é`]) {
    assert.throws(
      () => new PresenceClient({ baseUrl: "http://localhost", apiKey }),
      (error: Error) => /^apiKey has a character/.test(error.message) && !inspect(error).includes(KEY),
    );
  }
});

test("a client without address or key says what is missing", () => {
  assert.throws(() => new PresenceClient({ baseUrl: "http://localhost", apiKey: "" }), /PRESENCE_API_KEY/);
  assert.throws(() => new PresenceClient({ baseUrl: "", apiKey: KEY }), /PRESENCE_URL/);
  assert.throws(() => new PresenceClient({ baseUrl: "nowhere", apiKey: KEY }), /not an address/);
});

test("pauses are random below a bound that doubles", () => {
  const options = { maxRetries: 9, baseDelayMs: 100, maxDelayMs: 1000, maxRetryAfterMs: 5000, sleep: async () => {} };
  const pause = (retries: number, random: number, retryAfterMs?: number) =>
    pauseAfter({ status: 503, retryAfterMs }, retries, true, { ...options, random: () => random });
  assert.deepEqual([pause(0, 0), pause(0, 0.9), pause(2, 0.5), pause(8, 0.5)], [0, 90, 200, 500]);
  assert.deepEqual([pause(0, 0.5, 5000), pause(0, 0.5, 5001), pause(9, 0)], [5050, undefined, undefined]);
});
