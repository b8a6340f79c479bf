"""Incremental pull of reviews by `update_date`."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Protocol

from ._pages import walk
from .generated.models import Review

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
SECOND = timedelta(seconds=1)
CURSOR = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)", re.ASCII)


class ReviewPage(Protocol):
    """Part of a page of reviews that a pull reads."""

    page: int
    max_page: int
    count: int
    reviews: list[Review]


@dataclass(frozen=True)
class Batch:
    """Some reviews, oldest change first, and the cursor to keep once they are stored."""

    reviews: Sequence[Review]
    cursor: str
    """Greatest `update_date` that was seen and was not in the future when the pull began."""


Search = Callable[[str | None, str | None, int], ReviewPage]
"""Search in ascending order of `update_date`: its bounds, and the number of the page."""


class Puller:
    """State of a pull: the greatest date so far, and the reviews seen at the border."""

    def __init__(self, search: Search, cursor: str | None, overlap: float, per_page: int) -> None:
        """Begin at the cursor, or at the first review. `overlap` is in seconds."""
        self._search = search
        self._per_page = per_page
        self._begin = datetime.now(UTC)
        self._greatest = FIRST if cursor is None else parse_cursor(cursor)
        reach = min(timedelta(seconds=ceil(overlap)), self._greatest - FIRST)
        self._since = None if cursor is None else self._greatest - reach
        self._seen: set[tuple[str, datetime]] = set()

    def batches(self) -> Iterator[Batch]:
        """Yield every review whose `update_date` is at or after the cursor, once each, oldest change first.

        No page beyond the first is read while the time moves on: each request begins at the greatest date that was seen. A
        review that changes meanwhile moves to the end, and moves no other one past the reader. Reviews of the border second
        come twice, and are told apart by id and date.
        """
        while True:
            page = self._search(None if self._since is None else text_of(self._since), None, 1)
            if not page.reviews:
                return
            yield from self._batch(page.reviews)
            if page.max_page <= 1:
                return
            border = page.reviews[-1].update_date
            if page.reviews[0].update_date < border:
                self._since = border
                self._seen = {key for key in map(key_of, page.reviews) if key[1] == border}
                continue
            yield from self._whole_second(border)
            if border >= LAST:
                return
            self._since = border + SECOND
            self._seen = set()

    def _whole_second(self, second: datetime) -> Iterator[Batch]:
        """Yield a second that fills a page. Only here pages are counted; what leaves the second, `count` shows."""
        text = text_of(second)
        for page in walk(lambda number: self._search(text, text, number), self._per_page):
            yield from self._batch(page.reviews)

    def _batch(self, reviews: list[Review]) -> Iterator[Batch]:
        """Yield the reviews that were not seen, if there are any."""
        fresh = [review for review in reviews if key_of(review) not in self._seen]
        self._seen.update(map(key_of, reviews))
        # One wrong date in the future as a cursor would hide what changes before it from every later pull.
        dates = (review.update_date for review in reviews if review.update_date <= self._begin)
        self._greatest = max([self._greatest, *dates])
        if fresh:
            yield Batch(fresh, text_of(self._greatest))


def parse_cursor(text: str) -> datetime:
    """Return the instant of an `update_date` as the service writes it. Raise a ValueError for another form."""
    if not CURSOR.fullmatch(text):
        raise ValueError("the cursor is not an update_date as the service writes it")
    return datetime.fromisoformat(text).astimezone(UTC)


def text_of(instant: datetime) -> str:
    """Return an instant as the service writes it."""
    return f"{instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}+00:00"


def key_of(review: Review) -> tuple[str, datetime]:
    """Return what tells one version of a review from all others."""
    return review.id, review.update_date
