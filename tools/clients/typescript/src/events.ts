import type { Event, EventFilters, EventPage } from "./types.js";

/** Some events, oldest first, and the cursor to keep once they are dealt with. Without events, the cursor alone moved. */
export interface EventBatch {
  events: Event[];
  cursor: string;
}

/** Filters and bounds of a reader of the feed. */
export interface EventOptions extends EventFilters {
  /** Pause at the end of the feed, in seconds. Default 2. */
  pause?: number;
  /** False to stop at the end of the feed. Default true. */
  follow?: boolean;
}

/** Number of events in a request: the most that the service gives. */
const LIMIT = 100;

/** Yields the events after the cursor, each once and in the order of the feed, and those that come. */
export async function* follow(
  list: (query: EventFilters & { limit: number; after?: string }) => Promise<EventPage>,
  sleep: (ms: number) => Promise<void>,
  after: string | undefined,
  options: EventOptions,
): AsyncGenerator<EventBatch, void> {
  const { pause = 2, follow = true, ...filters } = options;
  for (let cursor = after; ; ) {
    const { events, next, has_more } = await list({
      ...filters,
      limit: LIMIT,
      ...(cursor === undefined ? {} : { after: cursor }),
    });
    const isMoved = next !== cursor;
    if (isMoved) yield { events, cursor: next };
    if (!has_more && !follow) return;
    // An event that was just written may not be visible yet, although the end of the feed is behind it.
    if (!has_more || !isMoved) await sleep(pause * 1000);
    cursor = next;
  }
}
