import random
from dataclasses import dataclass
from functools import partial

from model import Model

from presence_client._pages import next_page, results, walk


@dataclass
class Info:
    page: int
    max_page: int
    count: int


def following(page: int, max_page: int, count: int, previous: int) -> int | None:
    return next_page(Info(page, max_page, count), previous, 10)


def test_the_next_page_follows_until_the_page_that_the_latest_answer_calls_the_last() -> None:
    assert following(1, 3, 30, 0) == 2
    assert following(2, 3, 30, 30) == 3
    assert following(3, 3, 30, 30) is None
    assert following(3, 4, 31, 30) == 4
    assert following(1, 1, 0, 0) is None


def test_as_many_results_are_read_again_as_have_left() -> None:
    assert following(5, 9, 89, 90) == 4
    assert following(5, 8, 79, 90) == 3
    assert following(2, 1, 5, 90) == 1
    assert following(3, 1, 0, 21) == 1


def test_a_search_yields_each_result_that_was_there_all_the_time_once_while_others_come_and_leave() -> None:
    for seed in range(200):
        dice = random.Random(seed)
        entering = seed % 2 == 0

        def change(updates: dict[str, int], dice: random.Random = dice, *, entering: bool = entering) -> None:
            # Either some enter or some leave between two answers. A count does not show both at once.
            for _ in range(dice.randrange(8)):
                if entering and len(updates) < 150:
                    updates[f"new{len(updates)}"] = dice.randrange(99)
                elif not entering:
                    updates.pop(f"leaves{dice.randrange(40)}", None)

        model = Model(change)
        for number in range(40):
            model.updates |= {f"stays{number}": dice.randrange(99), f"leaves{number}": dice.randrange(99)}
        pages = walk(partial(model.search, None, None), model.per_page)
        found = [review.id for review in results(pages, lambda page: page.reviews)]
        assert len(set(found)) == len(found)
        assert {f"stays{number}" for number in range(40)} <= set(found), seed
