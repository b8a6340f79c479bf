import assert from "node:assert/strict";
import { test } from "node:test";
import type { Review } from "../../src/index.js";
import { type PullOptions, pull } from "../../src/pull.js";
import { dice, Model, textOf } from "./model.js";

/** Last second of the year 9999. */
const END_OF_TIME = 253_402_300_799;

async function pulled(
  model: Model,
  cursor?: string,
  options: PullOptions = {},
): Promise<{ reviews: Review[]; cursor: string | undefined }> {
  const reviews: Review[] = [];
  let last = cursor;
  for await (const batch of pull(model.search, cursor, { per_page: 5, ...options })) {
    reviews.push(...batch.reviews);
    assert.ok(last === undefined || batch.cursor >= last, "a cursor goes back");
    last = batch.cursor;
  }
  return { reviews, cursor: last };
}

const versions = (reviews: Review[]) => reviews.map((review) => `${review.id} ${review.update_date}`);

test("each review comes once, whatever changes between the pages", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const roll = dice(seed);
    let now = 1000;
    // Few seconds for many reviews: borders fall into the middle of pages, and one second fills several. What changes has the
    // time of the change, and no answer falls into the second of a change.
    const model = new Model(({ updates }) => {
      now += 1;
      for (let i = roll(4); i > 0 && now < 1030; i--) updates.set(`r${roll(90)}`, now);
    });
    for (let i = 0; i < 60; i++) model.updates.set(`r${i}`, 900 + roll(4));
    const { reviews, cursor } = await pulled(model);
    const got = versions(reviews);
    assert.equal(new Set(got).size, got.length, `seed ${seed}: twice`);
    for (const [id, second] of model.updates) assert.ok(got.includes(`${id} ${textOf(second)}`), `seed ${seed}: ${id}`);
    assert.equal(cursor, textOf(Math.max(...model.updates.values())));
  }
});

test("a second with more reviews than a page is read to its end", async () => {
  const model = new Model();
  for (let i = 0; i < 23; i++) model.updates.set(`r${10 + i}`, 500);
  model.updates.set("later", 501);
  assert.equal((await pulled(model)).reviews.length, 24);
});

test("a pull begins at the cursor, and repeats the reviews of its second", async () => {
  const model = new Model();
  for (let i = 0; i < 12; i++) model.updates.set(`r${10 + i}`, 500 + i);
  const first = await pulled(model);
  assert.equal(first.cursor, textOf(511));
  model.updates.set("r10", 512);
  const second = await pulled(model, first.cursor);
  assert.deepEqual(versions(second.reviews), [`r21 ${textOf(511)}`, `r10 ${textOf(512)}`]);
});

test("a late review is seen within the overlap only, and the cursor never goes back", async () => {
  const model = new Model();
  model.updates.set("early", 500).set("late", 440);
  const cursor = textOf(500);
  assert.deepEqual(
    (await pulled(model, cursor)).reviews.map(({ id }) => id),
    ["early"],
  );
  const overlapping = await pulled(model, cursor, { overlap: 60 });
  assert.deepEqual([overlapping.reviews.map(({ id }) => id), overlapping.cursor], [["late", "early"], cursor]);
  model.updates.delete("early");
  assert.equal((await pulled(model, cursor, { overlap: 60 })).cursor, cursor);
});

test("a date in the future is no cursor, and hides no later change", async () => {
  const model = new Model();
  model.updates.set("before", 500).set("wrong", END_OF_TIME);
  const first = await pulled(model);
  assert.deepEqual([first.reviews.map(({ id }) => id), first.cursor], [["before", "wrong"], textOf(500)]);
  model.updates.set("later", 600);
  const second = await pulled(model, first.cursor);
  assert.deepEqual([second.reviews.map(({ id }) => id), second.cursor], [["before", "later", "wrong"], textOf(600)]);
});

test("a cursor in another form is refused, and the ends of time are no obstacle", async () => {
  await assert.rejects(pulled(new Model(), "yesterday"), /not an update_date/);
  await assert.rejects(pulled(new Model(), "2025-13-01T00:00:00+00:00"), /not an update_date/);
  const model = new Model();
  for (let i = 0; i < 7; i++) model.updates.set(`r${i}`, END_OF_TIME);
  const { reviews, cursor } = await pulled(model, "0001-01-01T00:00:00+00:00", { overlap: 1e9 });
  assert.deepEqual([reviews.length, cursor], [7, "0001-01-01T00:00:00+00:00"]);
});
