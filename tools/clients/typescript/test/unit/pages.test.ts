import assert from "node:assert/strict";
import { test } from "node:test";
import { nextPage, results, walk } from "../../src/pages.js";
import { dice, Model } from "./model.js";

const next = (page: number, max_page: number, count: number, previous: number) =>
  nextPage({ page, max_page, count }, previous, 10);

test("the next page follows, until the page that the latest answer calls the last", () => {
  assert.equal(next(1, 3, 30, 0), 2);
  assert.equal(next(2, 3, 30, 30), 3);
  assert.equal(next(3, 3, 30, 30), undefined);
  assert.equal(next(3, 4, 31, 30), 4);
  assert.equal(next(1, 1, 0, 0), undefined);
});

test("as many results are read again as have left", () => {
  assert.equal(next(5, 9, 89, 90), 4);
  assert.equal(next(5, 8, 79, 90), 3);
  assert.equal(next(2, 1, 5, 90), 1);
  assert.equal(next(3, 1, 0, 21), 1);
});

test("a search yields each result that was there all the time, once, while others come and leave", async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const roll = dice(seed);
    const entering = seed % 2 === 0;
    const model = new Model(({ updates }) => {
      // Either some enter or some leave between two answers. A count does not show both at once.
      for (let i = roll(8); i > 0 && entering && updates.size < 150; i--) updates.set(`new${updates.size}`, roll(99));
      for (let i = roll(8); i > 0 && !entering; i--) updates.delete(`leaves${roll(40)}`);
    });
    for (let i = 0; i < 40; i++) model.updates.set(`stays${i}`, roll(99)).set(`leaves${i}`, roll(99));
    const found: string[] = [];
    const pages = walk((page) => model.search({ page, per_page: 10 }), 10);
    for await (const { id } of results(pages, (page) => page.reviews)) found.push(id);
    assert.equal(new Set(found).size, found.length);
    for (let i = 0; i < 40; i++) assert.ok(found.includes(`stays${i}`), `seed ${seed}: stays${i}`);
  }
});
