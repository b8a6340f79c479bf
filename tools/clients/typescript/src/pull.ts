import { MAX_PER_PAGE, walk } from "./pages.js";
import type { Review, ReviewFilters, ReviewPage } from "./types.js";

/** Some reviews, oldest change first, and the cursor to keep once they are stored. */
export interface Batch {
  reviews: Review[];
  /** Greatest `update_date` that was seen and was not in the future when the pull began. */
  cursor: string;
}

/** Filters and bounds of a pull. */
export interface PullOptions extends Omit<ReviewFilters, "page" | "order_by" | "update_date__gte"> {
  /** Time before the cursor that is read again, in seconds. Default 0. */
  overlap?: number;
}

/** First second that the service accepts in a filter: the year 1. */
const FIRST_SECOND = -62_135_596_800;
/** Last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

const NOT_A_CURSOR = "the cursor is not an update_date as the service writes it";

type Search = (filters: ReviewFilters) => Promise<ReviewPage>;

/**
 * Yields every review whose `update_date` is at or after the cursor, once each, oldest change first.
 *
 * No page beyond the first is read while the time moves on: each request begins at the greatest `update_date` that was seen.
 * A review that changes meanwhile moves to the end, and moves no other one past the reader. Reviews of the border second come
 * twice, and are told apart by id and `update_date`.
 */
export async function* pull(search: Search, cursor: string | undefined, options: PullOptions): AsyncGenerator<Batch, void> {
  const { overlap = 0, per_page = MAX_PER_PAGE, ...filters } = options;
  const read = (bounds: ReviewFilters, page: number) =>
    search({ ...filters, ...bounds, order_by: "update_date", per_page, page });
  const begin = Date.now() / 1000;
  let greatest = cursor === undefined ? FIRST_SECOND : secondOf(cursor);
  let since = cursor === undefined ? undefined : Math.max(FIRST_SECOND, greatest - Math.ceil(overlap));
  let seen = new Set<string>();
  const batch = (reviews: Review[]): Batch => {
    const fresh = reviews.filter((review) => !seen.has(keyOf(review)));
    for (const review of reviews) {
      seen.add(keyOf(review));
      const second = secondOf(review.update_date);
      // One wrong date in the future as a cursor would hide what changes before it from every later pull.
      if (second <= begin) greatest = Math.max(greatest, second);
    }
    return { reviews: fresh, cursor: textOf(greatest) };
  };
  for (;;) {
    const page = await read(since === undefined ? {} : { update_date__gte: textOf(since) }, 1);
    const [first, last] = [page.reviews.at(0), page.reviews.at(-1)];
    if (first === undefined || last === undefined) return;
    yield* whole(batch(page.reviews));
    if (page.max_page <= 1) return;
    const border = secondOf(last.update_date);
    if (secondOf(first.update_date) < border) {
      since = border;
      const there = page.reviews.filter((review) => secondOf(review.update_date) === border);
      seen = new Set(there.map(keyOf));
      continue;
    }
    // One second fills the page. Only here pages are counted; what leaves this second, `count` shows.
    const second = { update_date__gte: textOf(border), update_date__lte: textOf(border) };
    for await (const part of walk((number) => read(second, number), per_page)) yield* whole(batch(part.reviews));
    if (border >= LAST_SECOND) return;
    since = border + 1;
    seen = new Set();
  }
}

/** Returns the second since 1970 of an `update_date` as the service writes it. Throws a TypeError for another form. */
function secondOf(date: string): number {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(date)) throw new TypeError(NOT_A_CURSOR);
  const second = Date.parse(date) / 1000;
  if (Number.isNaN(second)) throw new TypeError(NOT_A_CURSOR);
  return second;
}

function textOf(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19)}+00:00`;
}

function keyOf(review: Review): string {
  return `${review.id} ${review.update_date}`;
}

/** Yields the batch, unless all of it was yielded before. */
function* whole(batch: Batch): Generator<Batch, void> {
  if (batch.reviews.length > 0) yield batch;
}
