"""Search of reviews in memory, with the order and the bounds of the service."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from presence_client import Review
from presence_client._pull import EPOCH


@dataclass
class Page:
    page: int
    max_page: int
    count: int
    reviews: list[Review]


class Model:
    """Reviews by id, with their seconds. Something may change before each answer."""

    def __init__(self, before_answer: Callable[[dict[str, int]], None] = lambda _: None) -> None:
        self.updates: dict[str, int] = {}
        self.per_page = 5
        self._before_answer = before_answer

    def search(self, lower: str | None, upper: str | None, page: int) -> Page:
        self._before_answer(self.updates)
        found = [
            (second, name)
            for name, second in self.updates.items()
            if (lower is None or second >= second_of(lower)) and (upper is None or second <= second_of(upper))
        ]
        begin = (page - 1) * self.per_page
        reviews = [review(name, second) for second, name in sorted(found)[begin : begin + self.per_page]]
        return Page(page, max(1, -(-len(found) // self.per_page)), len(found), reviews)


def text_of(second: int) -> str:
    return (EPOCH + timedelta(seconds=second)).isoformat()


def second_of(text: str) -> int:
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(seconds=1)


def review(name: str, second: int) -> Review:
    date = EPOCH + timedelta(seconds=second)
    created = datetime(1970, 1, 1, tzinfo=UTC)
    return Review(name, "1", "b", "partner_8", "p", None, created, date, 5, None, None, None, "treated", None, "k")
