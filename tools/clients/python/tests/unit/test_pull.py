import random
from collections.abc import Iterator

import pytest
from model import Model, text_of

from presence_client import Review
from presence_client._pull import Puller

END_OF_TIME = 253_402_300_799
"""Last second of the year 9999."""


def pulled(model: Model, cursor: str | None = None, overlap: float = 0) -> tuple[list[Review], str | None]:
    reviews: list[Review] = []
    last = cursor
    for batch in Puller(model.search, cursor, overlap, model.per_page).batches():
        reviews += batch.reviews
        assert last is None or batch.cursor >= last, "a cursor goes back"
        last = batch.cursor
    return reviews, last


def versions(reviews: list[Review]) -> list[str]:
    return [f"{review.id} {review.update_date.isoformat()}" for review in reviews]


def test_each_review_comes_once_whatever_changes_between_the_pages() -> None:
    for seed in range(300):
        dice = random.Random(seed)
        clock = iter(range(1000, 10_000))

        def change(updates: dict[str, int], dice: random.Random = dice, clock: Iterator[int] = clock) -> None:
            # Few seconds for many reviews: borders fall into the middle of pages, and one second fills several. What changes
            # has the time of the change, and no answer falls into the second of a change.
            now = next(clock)
            for _ in range(dice.randrange(4) if now < 1030 else 0):
                updates[f"r{dice.randrange(90)}"] = now

        model = Model(change)
        model.updates = {f"r{number}": 900 + dice.randrange(4) for number in range(60)}
        reviews, cursor = pulled(model)
        got = versions(reviews)
        assert len(set(got)) == len(got), seed
        assert {f"{name} {text_of(second)}" for name, second in model.updates.items()} <= set(got), seed
        assert cursor == text_of(max(model.updates.values()))


def test_a_second_with_more_reviews_than_a_page_is_read_to_its_end() -> None:
    model = Model()
    model.updates = {f"r{number}": 500 for number in range(23)} | {"later": 501}
    assert len(pulled(model)[0]) == 24


def test_a_pull_begins_at_the_cursor_and_repeats_the_reviews_of_its_second() -> None:
    model = Model()
    model.updates = {f"r{number}": 500 + number for number in range(12)}
    _, cursor = pulled(model)
    assert cursor == text_of(511)
    model.updates["r0"] = 512
    assert versions(pulled(model, cursor)[0]) == [f"r11 {text_of(511)}", f"r0 {text_of(512)}"]


def test_a_late_review_is_seen_within_the_overlap_only_and_the_cursor_never_goes_back() -> None:
    model = Model()
    model.updates = {"early": 500, "late": 440}
    cursor = text_of(500)
    assert [review.id for review in pulled(model, cursor)[0]] == ["early"]
    reviews, after = pulled(model, cursor, overlap=60)
    assert [review.id for review in reviews] == ["late", "early"]
    assert after == cursor
    del model.updates["early"]
    assert pulled(model, cursor, overlap=60)[1] == cursor


def test_a_date_in_the_future_is_no_cursor_and_hides_no_later_change() -> None:
    model = Model()
    model.updates = {"before": 500, "wrong": END_OF_TIME}
    reviews, cursor = pulled(model)
    assert [review.id for review in reviews] == ["before", "wrong"]
    assert cursor == text_of(500)
    model.updates["later"] = 600
    reviews, cursor = pulled(model, cursor)
    assert [review.id for review in reviews] == ["before", "later", "wrong"]
    assert cursor == text_of(600)


def test_a_cursor_in_another_form_is_refused_and_the_ends_of_time_are_no_obstacle() -> None:
    for text in ("yesterday", "2025-01-01", "2025-13-01T00:00:00+00:00"):
        with pytest.raises(ValueError, match=r"cursor|month"):
            pulled(Model(), text)
    model = Model()
    model.updates = {f"r{number}": END_OF_TIME for number in range(7)}
    reviews, cursor = pulled(model, "0001-01-01T00:00:00+00:00", overlap=1e9)
    assert len(reviews) == 7
    assert cursor == "0001-01-01T00:00:00+00:00"
