import pytest
from server import Answer, refused, serving

from presence_client import GoneError


def page(numbers: list[int], after: int, *, has_more: bool) -> Answer:
    """Return a page with these events, the cursor after it, and True if the feed has more."""
    at = "2026-03-01T12:00:00.123Z"
    events = [
        {"id": f"evt_{number}", "type": "review.updated", "at": at, "data": {"id": "r", "org_id": 42, "at": at}}
        for number in numbers
    ]
    return Answer(200, {"events": events, "next": f"42-{after}", "has_more": has_more})


def test_events_are_read_to_the_end_then_followed_across_pages_without_a_match_and_failures() -> None:
    steps = [page([1, 2], 2, has_more=True), page([], 9, has_more=True), page([], 9, has_more=True)]
    steps += [page([10], 10, has_more=False), page([], 10, has_more=False), refused(503), page([11], 11, has_more=False)]
    with serving(*steps) as run:
        batches = []
        for batch in run.client.events("42-0", type_in=["review.*", "key.issued"], pause=3.0):
            batches.append((batch.cursor, [event.id for event in batch.events]))
            if batch.cursor == "42-11":
                break
        assert batches == [("42-2", ["evt_1", "evt_2"]), ("42-9", []), ("42-10", ["evt_10"]), ("42-11", ["evt_11"])]
        types = "type__in=review.%2A&type__in=key.issued"
        expected = [f"/api/v2/events?after=42-{after}&limit=100&{types}" for after in (0, 2, 9, 9, 10, 10, 10)]
        assert [seen.path for seen in run.seen] == expected
        # Where a page is not complete yet, twice at the end, and the repetition after 503.
        assert run.pauses == [3.0, 3.0, 3.0, 0.25]


def test_a_reader_that_does_not_follow_stops_at_the_end_and_one_from_now_has_a_cursor_at_once() -> None:
    with serving(page([], 7, has_more=False), page([8], 8, has_more=False), page([1], 1, has_more=False)) as run:
        assert next(run.client.events("now")).cursor == "42-7"
        later = list(run.client.events("42-7", follow=False))
        of_others = list(run.client.events(follow=False, org_id="none"))
        assert [event.id for batch in [*later, *of_others] for event in batch.events] == ["evt_8", "evt_1"]
        assert run.seen[2].path == "/api/v2/events?limit=100&org_id=none"


def test_a_reader_that_does_not_follow_waits_for_an_event_that_is_not_visible_yet() -> None:
    with serving(page([], 7, has_more=True), page([8], 8, has_more=False)) as run:
        batches = list(run.client.events("42-7", follow=False, pause=3.0))
        assert ([batch.cursor for batch in batches], run.pauses) == (["42-8"], [3.0])


def test_a_cursor_that_is_gone_names_the_oldest() -> None:
    text = "this cursor is no longer kept: the oldest event is after the cursor 42-7"
    with serving(Answer(410, {"errors": {"json": text}})) as run, pytest.raises(GoneError) as caught:
        next(run.client.events("42-1"))
    assert caught.value.oldest == "42-7"


def test_wrong_filters_fail_at_the_call_and_nothing_is_sent() -> None:
    with serving() as run:
        client = run.client
        with pytest.raises(TypeError, match="unexpected keyword argument 'types'"):
            client.events(types=["review.*"])  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="unexpected keyword argument 'stat'"):
            client.reviews.iterate(stat=["treated"])  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="unexpected keyword argument 'since'"):
            client.reviews.pull(since="2026-01-01")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="not iterable"):
            client.reviews.iterate(state=5)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="unexpected keyword argument 'town'"):
            client.businesses.iterate(town="Lyon")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="unexpected keyword argument 'role'"):
            client.users.iterate(role="PROVIDER")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="unexpected keyword argument 'code'"):
            client.categories.iterate("FR", code="x")  # type: ignore[call-arg]
        assert run.seen == []
