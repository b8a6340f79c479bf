import re
import traceback

import pytest
from server import DONE, KEY, ME, Answer, refused, serving

from presence_client import (
    ApiError,
    NetworkError,
    PresenceClient,
    PresenceError,
    Retry,
    ServiceError,
    TooManyRequestsError,
    UserChange,
    UserCreation,
)

USER = UserCreation("a@b.example", "A", "B")


def test_a_read_is_repeated_after_429_and_503_and_a_broken_connection() -> None:
    with serving(refused(429, retry_after="3"), refused(503), "reset", ME) as run:
        assert run.client.users.me().id == "1"
        assert len(run.seen) == 4
        assert run.pauses == [3.25, 0.5, 1.0]


def test_a_create_is_repeated_under_one_key_and_each_call_has_a_key_of_its_own() -> None:
    with serving("reset", refused(503), refused(409, retry_after="1"), DONE, DONE) as run:
        assert run.client.users.create(USER) == "7"
        run.client.users.create(USER)
        keys = [seen.headers["idempotency-key"] for seen in run.seen]
        assert re.fullmatch(r"[0-9a-f-]{36}", keys[0])
        assert len(set(keys[:4])) == 1
        assert keys[4] != keys[0]
        assert len({seen.body for seen in run.seen}) == 1


def test_update_delete_and_invite_send_a_key_and_reads_send_none() -> None:
    with serving(DONE, DONE, DONE, ME) as run:
        run.client.users.update("7", UserChange(phone="1"))
        run.client.users.delete("7", idempotency_key="mine")
        run.client.users.invite("7")
        run.client.users.me()
        keys = [seen.headers.get("idempotency-key") for seen in run.seen]
        assert [key is not None for key in keys] == [True, True, True, False]
        assert keys[1] == "mine"


def test_without_a_key_a_create_is_repeated_after_429_only() -> None:
    with serving(refused(429), "reset") as run:
        with pytest.raises(NetworkError):
            run.client.users.create(USER, idempotency_key=False)
        assert len(run.seen) == 2
        assert "idempotency-key" not in run.seen[0].headers
    with serving(refused(503)) as run, pytest.raises(ServiceError):
        run.client.users.create(USER, idempotency_key=False)


def test_repetition_ends_at_its_bound_and_with_a_retry_after_that_is_too_long() -> None:
    with serving(refused(503), refused(503), refused(503), max_retries=2) as run:
        with pytest.raises(ServiceError):
            run.client.users.me()
        assert len(run.seen) == 3
    with serving(refused(429, retry_after="300")) as run:
        with pytest.raises(TooManyRequestsError) as caught:
            run.client.users.invite("7")
        assert caught.value.retry_after == 300
        assert run.pauses == []


def test_a_server_that_is_silent_ends_the_attempt_at_the_time_limit() -> None:
    with serving("silence", "silence", timeout=0.2, max_retries=1) as run, pytest.raises(NetworkError) as caught:
        run.client.users.me()
    assert caught.value.attempts == 2


def test_requests_carry_key_user_agent_and_id_and_the_address_carries_no_key() -> None:
    with serving(ME, Answer(200, {"page": 1, "max_page": 1, "count": 0, "reviews": []})) as run:
        run.client.users.me(client_request_id="job-1")
        run.client.reviews.search(rating_in=[1, 2], content_isnull=False)
        first, second = run.seen
        assert first.headers["x-api-key"] == KEY
        assert first.headers["user-agent"].startswith("shop/1.2 presence-client-python/")
        assert first.headers["x-client-request-id"] == "job-1"
        assert "x-client-request-id" not in second.headers
        assert second.path.startswith("/api/v2/reviews?")
        assert "rating__in=1&rating__in=2&content__isnull=false" in second.path


def test_a_redirect_is_not_followed() -> None:
    with serving(Answer(302, headers={"location": "http://127.0.0.1:1/"})) as run:
        with pytest.raises(ApiError) as caught:
            run.client.users.me()
        assert caught.value.status == 302
        assert len(run.seen) == 1


def test_no_error_and_no_print_of_a_client_holds_the_key() -> None:
    with serving(refused(500), "reset") as run:
        texts = [repr(run.client), repr(vars(run.client)), repr(vars(run.client.users))]
        for call in (run.client.users.me, lambda: run.client.users.create(USER, idempotency_key=False)):
            with pytest.raises(PresenceError) as caught:
                call()
            error = caught.value
            texts += [repr(error), repr(vars(error)), *traceback.format_exception(error)]
            assert error.__context__ is None
            assert error.__cause__ is None
        assert KEY not in "".join(texts)


def test_an_answer_of_another_form_is_an_error_of_the_client() -> None:
    bodies: tuple[object, ...] = (b"<html>", b"", {"id": "1"}, [], None, 5)
    for body in bodies:
        with serving(Answer(200, body)) as run, pytest.raises(PresenceError):
            run.client.users.me()
    for keys in (None, 5, [None]):
        with serving(Answer(200, {"keys": keys})) as run, pytest.raises(PresenceError, match="the answer is no KeyList"):
            run.client.users.list_keys("7")


def test_a_filter_that_does_not_exist_is_a_type_error_and_nothing_is_sent() -> None:
    with serving() as run:
        with pytest.raises(TypeError, match="colour"):
            run.client.users.search(colour="red")  # type: ignore[call-arg]
        assert run.seen == []


def test_a_client_without_address_or_key_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRESENCE_URL", raising=False)
    monkeypatch.delenv("PRESENCE_API_KEY", raising=False)
    with pytest.raises(ValueError, match="PRESENCE_API_KEY"):
        PresenceClient("http://localhost")
    with pytest.raises(ValueError, match="PRESENCE_URL"):
        PresenceClient(api_key=KEY)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\n", f"{KEY} ", f" {KEY}", f"{KEY}\x00", f"{KEY}\x7f", f"{KEY}é"])
def test_a_key_that_no_header_can_hold_is_refused_by_an_error_without_it(key: str) -> None:
    with pytest.raises(ValueError, match="api_key has a character") as caught:
        PresenceClient("http://localhost", key)
    assert KEY not in str(caught.value)


def test_an_error_about_a_header_does_not_show_it() -> None:
    with serving() as run:
        with pytest.raises(NetworkError, match=r"LocalProtocolError$"):
            run.client.users.me(client_request_id=f"{KEY}\n")
        assert run.seen == []


def test_pauses_are_random_below_a_bound_that_doubles() -> None:
    def pause(retries: int, uniform: float, retry_after: float | None = None) -> float | None:
        retry = Retry(max_retries=9, base_delay=1, max_delay=10, max_retry_after=50, uniform=lambda: uniform)
        return retry.pause_after(503, retry_after, retries, repeatable=True)

    assert [pause(0, 0), pause(0, 0.9), pause(2, 0.5), pause(8, 0.5)] == [0, 0.9, 2, 5]
    assert [pause(0, 0.5, 50), pause(0, 0.5, 51), pause(9, 0)] == [50.5, None, None]
