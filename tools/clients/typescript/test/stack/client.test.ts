// Calls against the local stack: `tools/ci/with-stack` sets the environment.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AuthenticationError,
  AuthorizationError,
  type InvalidRequestError,
  NotFoundError,
  PresenceClient,
  type TooManyRequestsError,
} from "../../src/index.js";

const presence = new PresenceClient({ apiKey: process.env["PRESENCE_ORG_ADMIN"] ?? "" });

test("a user lives from create to delete", async () => {
  const { users } = presence;
  const me = await users.me({ clientRequestId: "client-test" });
  assert.equal(me.role, "ORG_ADMIN");
  const user = { email: "own-typescript@client.example", first_name: "Own", last_name: "Script" };
  const id = await users.create({ ...user, status: "invited", send_invitation: false });
  await users.update(id, { last_name: "Skript" });
  assert.equal((await users.get(id)).last_name, "Skript");
  await users.invite(id);
  await assert.rejects(users.invite(id), (error: TooManyRequestsError) => Number(error.retryAfterMs) > 0);
  await assert.rejects(users.create(user), (error: InvalidRequestError) => {
    return error.fields["email"]?.message === `${user.email} already exists in db` && error.requestId !== undefined;
  });
  const stats = await users.stats();
  assert.equal(stats.count, (await users.search()).count);
  await users.delete(id);
  await assert.rejects(users.get(id), NotFoundError);
});

test("each search is walked to its end", async () => {
  const { users, categories, businesses, reviews } = presence;
  const found = async <T>(items: AsyncGenerator<T>) => {
    let count = 0;
    for await (const _ of items) count++;
    return count;
  };
  const lang = "FR";
  assert.equal(await found(users.iterate({ per_page: 2 })), (await users.search()).count);
  assert.equal(await found(categories.iterate({ lang })), (await categories.search({ lang })).count);
  assert.equal(await found(businesses.iterate({ per_page: 1 })), (await businesses.search()).count);
  assert.equal(await found(reviews.iterate()), (await reviews.search()).count);
  const category = (await categories.search({ lang })).categories[0];
  assert.deepEqual(category && (await categories.get(category.id, lang)), category);
});

test("a pull equals the list, and its cursor repeats one second", async () => {
  const all: string[] = [];
  for await (const { id } of presence.reviews.iterate()) all.push(id);
  const pulled: string[] = [];
  let cursor: string | undefined;
  for await (const batch of presence.reviews.pull(undefined, { per_page: 25 })) {
    pulled.push(...batch.reviews.map(({ id }) => id));
    cursor = batch.cursor;
  }
  assert.ok(all.length > 100 && pulled.length === all.length);
  assert.deepEqual(new Set(pulled), new Set(all));
  for await (const { reviews } of presence.reviews.pull(cursor)) {
    for (const review of reviews) assert.equal(review.update_date, cursor);
  }
  assert.equal((await presence.reviews.get(pulled[0] ?? "")).id, pulled[0]);
});

test("a key that only reads lives from create to revocation", async () => {
  const { users } = presence;
  const { id } = await users.me();
  const issued = await users.createKey(id, { label: "own-typescript", access: "read" });
  const reader = new PresenceClient({ apiKey: issued.key ?? "" }).users;
  assert.equal((await reader.me()).id, id);
  await assert.rejects(reader.update(id, { phone: null }), AuthorizationError);
  const rotated = await users.rotateKey(id, issued.id, { overlap_seconds: 0 });
  await assert.rejects(reader.me(), AuthenticationError);
  await users.revokeKey(id, rotated.id);
  const listed = (await users.listKeys(id)).filter(({ label }) => label === "own-typescript");
  assert.deepEqual(new Set(listed.map((key) => key.id)), new Set([issued.id, rotated.id]));
  assert.ok(listed.every((key) => key.access === "read"));
});

test("a reply goes its way from pending to removed", async () => {
  const { reviews } = presence;
  const [found] = (await reviews.search({ state: ["not_treated"], per_page: 1 })).reviews;
  const id = found?.id ?? "";
  // The stand-in for the partners never settles this text.
  const { state, version } = await reviews.putReply(id, "Merci [lose]");
  assert.equal(state, "pending");
  assert.equal((await reviews.get(id)).state, "treated");
  assert.equal((await reviews.setState(id, "not_treated")).state, "not_treated");
  const connector = new PresenceClient({ apiKey: process.env["PRESENCE_PROVIDER"] ?? "" }).reviews;
  const published = await connector.reportReplyOutcome(id, { version: version ?? 0, outcome: "published" });
  assert.equal(published?.state, "published");
  assert.equal((await reviews.getReply(id)).content, "Merci [lose]");
  await reviews.deleteReply(id);
  assert.equal(await connector.reportReplyOutcome(id, { version: (version ?? 0) + 1, outcome: "removed" }), undefined);
  await assert.rejects(reviews.getReply(id), NotFoundError);
});

test("errors have their classes", async () => {
  await assert.rejects(new PresenceClient({ apiKey: "pk_wrong" }).users.me(), AuthenticationError);
  const state = ["lost"] as unknown as ["treated"];
  await assert.rejects(
    presence.reviews.search({ state }),
    (error: InvalidRequestError) => error.fields["state"]?.choices?.length === 3,
  );
});
