import assert from "node:assert/strict";
import { test } from "node:test";
import { type EventBatch, GoneError } from "../../src/index.js";
import { refused, type Step, withServer } from "./server.js";

const event = (number: number) => ({ id: `evt_${number}`, type: "review.updated", at: "2026-03-01T12:00:00.123Z", data: {} });

/** Page with these events, the cursor after it, and true if the feed has more. */
function page(numbers: number[], next: number, has_more: boolean): Step {
  return { status: 200, body: { events: numbers.map(event), next: `42-${next}`, has_more } };
}

test("events are read to the end, then followed, across pages without a match and failures", () =>
  withServer(
    [page([1, 2], 2, true), page([], 9, true), page([], 9, true), page([10], 10, false), page([], 10, false)].concat([
      refused(503),
      page([11], 11, false),
    ]),
    async (client, seen, pauses) => {
      const batches: EventBatch[] = [];
      for await (const batch of client.events("42-0", { type__in: ["review.*", "key.issued"], pause: 3 })) {
        batches.push(batch);
        if (batch.cursor === "42-11") break;
      }
      assert.deepEqual(
        batches.map(({ events, cursor }) => [cursor, ...events.map(({ id }) => id)]),
        [["42-2", "evt_1", "evt_2"], ["42-9"], ["42-10", "evt_10"], ["42-11", "evt_11"]],
      );
      const urls = seen.map(({ url }) => new URL(url ?? "", "http://localhost").searchParams);
      assert.deepEqual(
        urls.map((query) => query.get("after")),
        ["42-0", "42-2", "42-9", "42-9", "42-10", "42-10", "42-10"],
      );
      assert.ok(urls.every((query) => query.get("type__in") === "review.*,key.issued" && query.get("limit") === "100"));
      // Where a page is not complete yet, twice at the end, and the repetition after 503.
      assert.deepEqual(pauses, [3000, 3000, 3000, 250]);
    },
  ));

test("a reader that does not follow stops at the end, and one from now has a cursor at once", () =>
  withServer([page([], 7, false), page([8], 8, false), page([1], 1, false)], async (client, seen) => {
    for await (const { cursor } of client.events("now")) {
      assert.equal(cursor, "42-7");
      break;
    }
    const ids: string[] = [];
    for await (const { events } of client.events("42-7", { follow: false })) ids.push(...events.map(({ id }) => id));
    for await (const { events } of client.events(undefined, { follow: false, org_id: "none" }))
      ids.push(...events.map(({ id }) => id));
    assert.deepEqual(ids, ["evt_8", "evt_1"]);
    assert.equal(seen[2]?.url, "/api/v2/events?org_id=none&limit=100");
  }));

test("a cursor that is gone names the oldest", () =>
  withServer(
    [{ status: 410, body: { errors: { json: "this cursor is no longer kept: the oldest event is after the cursor 42-7" } } }],
    async (client) => {
      await assert.rejects(client.events("42-1").next(), (error) => error instanceof GoneError && error.oldest === "42-7");
    },
  ));
