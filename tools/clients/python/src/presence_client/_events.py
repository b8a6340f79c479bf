"""Reader of the feed of events."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .generated.models import Event, EventPage

LIMIT = 100
"""Number of events in a request: the most that the service gives."""


@dataclass(frozen=True)
class EventBatch:
    """Some events, oldest first, and the cursor to keep once they are dealt with. Without events, the cursor alone moved."""

    events: Sequence[Event]
    cursor: str


def walk_feed(
    read: Callable[[str | None], EventPage], sleep: Callable[[], None], after: str | None, *, follow: bool
) -> Iterator[EventBatch]:
    """Yield the events after the cursor, each once and in the order of the feed, and those that come.

    `sleep` is the pause at the end of the feed. Without `follow`, the end of the feed is that of the batches.
    """
    cursor = after
    while True:
        page = read(cursor)
        is_moved = page.next_ != cursor
        cursor = page.next_
        if is_moved:
            yield EventBatch(page.events, cursor)
        if not (page.has_more or follow):
            return
        # An event that was just written may not be visible yet, although the end of the feed is behind it.
        if not (page.has_more and is_moved):
            sleep()
