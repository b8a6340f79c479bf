import assert from "node:assert/strict";
import { test } from "node:test";
import { NotFoundError } from "../../src/index.js";
import { done, refused, type Step, withServer } from "./server.js";

const ok = (body: unknown): Step => ({ status: 200, body });
const key = { id: "7-2c5662f081d2", label: "report", access: "read" };
const issued = { ...key, key: "pk_new" };
const reply = { review_id: "190n40rnpsx7", content: "Merci", state: "pending", version: 3 };
const gone = { status: "success", id: reply.review_id };

test("keys have their addresses and bodies, and each change sends a key", () =>
  withServer([ok({ keys: [key] }), ok(issued), ok(issued), ok(issued), done], async ({ users }, seen) => {
    assert.deepEqual(await users.listKeys("7"), [key]);
    assert.deepEqual(await users.createKey("7", { label: "report", access: "read" }), issued);
    assert.deepEqual(await users.rotateKey("7", key.id), issued);
    assert.deepEqual(await users.rotateKey("7", key.id, { overlap_seconds: 0 }, { idempotencyKey: "mine" }), issued);
    await users.revokeKey("7", key.id);
    assert.deepEqual(
      seen.map(({ method, url, body, headers }) => [method, url, body, headers["idempotency-key"] !== undefined]),
      [
        ["GET", "/api/v2/user/7/keys", "", false],
        ["POST", "/api/v2/user/7/keys", '{"label":"report","access":"read"}', true],
        ["POST", `/api/v2/user/7/keys/${key.id}/rotate`, "{}", true],
        ["POST", `/api/v2/user/7/keys/${key.id}/rotate`, '{"overlap_seconds":0}', true],
        ["DELETE", `/api/v2/user/7/keys/${key.id}`, "", true],
      ],
    );
    assert.equal(seen[3]?.headers["idempotency-key"], "mine");
  }));

test("states and replies have their addresses and bodies, and each change sends a key", () =>
  withServer([ok({ id: "r" }), ok(reply), ok(reply), ok(gone), ok(reply), ok(gone)], async ({ reviews }, seen) => {
    const id = reply.review_id;
    assert.equal((await reviews.setState(id, "treated")).id, "r");
    assert.deepEqual(await reviews.getReply(id), reply);
    assert.deepEqual(await reviews.putReply(id, "Merci"), reply);
    await reviews.deleteReply(id);
    assert.deepEqual(await reviews.reportReplyOutcome(id, { version: 3, outcome: "rejected", reason: "no" }), reply);
    assert.equal(await reviews.reportReplyOutcome(id, { version: 4, outcome: "removed" }), undefined);
    assert.deepEqual(
      seen.map(({ method, url, body, headers }) => [method, url, body, headers["idempotency-key"] !== undefined]),
      [
        ["PUT", `/api/v2/reviews/${id}`, '{"state":"treated"}', true],
        ["GET", `/api/v2/reviews/${id}/reply`, "", false],
        ["PUT", `/api/v2/reviews/${id}/reply`, '{"content":"Merci"}', true],
        ["DELETE", `/api/v2/reviews/${id}/reply`, "", true],
        ["POST", `/api/v2/reviews/${id}/reply/outcome`, '{"version":3,"outcome":"rejected","reason":"no"}', true],
        ["POST", `/api/v2/reviews/${id}/reply/outcome`, '{"version":4,"outcome":"removed"}', true],
      ],
    );
  }));

test("a key whose answer was lost is null, and a reply is repeated under one key", () =>
  withServer(["reset", ok({ ...issued, key: null }), refused(503), ok(reply), refused(404)], async (client, seen) => {
    assert.equal((await client.users.createKey("7", { label: "report" })).key, null);
    assert.equal((await client.reviews.putReply(reply.review_id, "Merci")).version, 3);
    await assert.rejects(client.reviews.getReply(reply.review_id), NotFoundError);
    const [first, second, third, fourth] = seen.map(({ headers }) => headers["idempotency-key"]);
    assert.ok(first && first === second && third && third === fourth && first !== third);
  }));
