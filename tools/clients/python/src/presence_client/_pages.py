"""Rules for reading all pages of a search."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

MAX_PER_PAGE = 100


class PageInfo(Protocol):
    """Part of every page: how many results there are now, and the number of the last page."""

    page: int
    max_page: int
    count: int


class Identified(Protocol):
    """Result with an id."""

    id: str


P = TypeVar("P", bound=PageInfo)
T = TypeVar("T", bound=Identified)


def next_page(answer: PageInfo, previous_count: int, per_page: int) -> int | None:
    """Return the number of the page to read next, or None at the end.

    The end is where the latest answer says that it is. Results that came in before the current page push others to later
    pages: these are read twice. Results that left let others move to earlier pages: `count` shows how many left, and so many
    results are read again.
    """
    left = previous_count - answer.count
    following = max(1, answer.page - -(-left // per_page)) if left > 0 else answer.page + 1
    return following if following <= answer.max_page else None


def walk(read: Callable[[int], P], per_page: int) -> Iterator[P]:
    """Yield the pages of a search, from the first to the last."""
    page: int | None = 1
    count = 0
    while page is not None:
        answer = read(page)
        yield answer
        page = next_page(answer, count, per_page)
        count = answer.count


def results(pages: Iterable[P], items: Callable[[P], Sequence[T]]) -> Iterator[T]:
    """Yield each result of a search once. The ids that were seen are kept in memory until the end."""
    seen: set[str] = set()
    for page in pages:
        for item in items(page):
            if item.id not in seen:
                seen.add(item.id)
                yield item
