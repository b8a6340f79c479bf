/** Part of every page: how many results there are now, and the number of the last page. */
export interface PageInfo {
  page: number;
  max_page: number;
  count: number;
}

/** Number of results on a page: 1 to 100. */
export const MAX_PER_PAGE = 100;

/**
 * Returns the number of the page to read next, or undefined at the end.
 *
 * The end is where the latest answer says that it is. Results that came in before the current page push others to later pages:
 * these are read twice. Results that left let others move to earlier pages: `count` shows how many left, and so many results
 * are read again.
 */
export function nextPage(answer: PageInfo, previousCount: number, perPage: number): number | undefined {
  const left = previousCount - answer.count;
  const next = left > 0 ? Math.max(1, answer.page - Math.ceil(left / perPage)) : answer.page + 1;
  return next <= answer.max_page ? next : undefined;
}

/** Yields the pages of a search, from the first to the last. */
export async function* walk<P extends PageInfo>(read: (page: number) => Promise<P>, perPage: number): AsyncGenerator<P, void> {
  let page: number | undefined = 1;
  let count = 0;
  while (page !== undefined) {
    const answer: P = await read(page);
    yield answer;
    page = nextPage(answer, count, perPage);
    count = answer.count;
  }
}

/** Yields each result of a search once. The ids that were seen are kept in memory until the end. */
export async function* results<P extends PageInfo, T extends { id: string }>(
  pages: AsyncGenerator<P, void>,
  items: (page: P) => T[],
): AsyncGenerator<T, void> {
  const seen = new Set<string>();
  for await (const page of pages) {
    for (const item of items(page)) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      yield item;
    }
  }
}
