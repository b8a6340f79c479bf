import json

import pytest
from server import DONE, Answer, Seen, refused, serving

from presence_client import KeyCreation, NotFoundError, OutcomeReport, PresenceError, Reply

KEY_ID = "7-2c5662f081d2"
KEY = {"id": KEY_ID, "label": "report", "access": "read", "allowed_networks": [], "created_at": "2026-03-01T12:00:00+00:00"} | {
    "expires_at": None,
    "last_used_at": None,
    "revoked_at": None,
}
ISSUED = Answer(200, KEY | {"key": "pk_new"})
REPLY = Answer(
    200,
    {"review_id": "r", "content": "Merci", "state": "pending", "reason": None, "version": 3, "requested_by": "7"}
    | {"requested_at": "2026-03-01T12:00:00+00:00", "settled_at": None},
)
GONE = Answer(200, {"status": "success", "id": "r"})
REVIEW = Answer(
    200,
    {"id": "r", "author_name": None, "business_id": "b", "content": None, "date": "2026-03-01T12:00:00+00:00", "key": "k"}
    | {"link": None, "org_id": "1", "partner": "partner_8", "partner_id": "p", "rating": 5, "reply_comment": None}
    | {"state": "treated", "title": None, "update_date": "2026-03-01T12:00:00+00:00"},
)


def of(seen: Seen) -> tuple[str, str, object, bool]:
    """Return method, path and body of a request, and True if it has an idempotency key."""
    return seen.method, seen.path, json.loads(seen.body or b"null"), "idempotency-key" in seen.headers


def test_keys_have_their_addresses_and_bodies_and_each_change_sends_a_key() -> None:
    with serving(Answer(200, {"keys": [KEY]}), ISSUED, ISSUED, ISSUED, DONE) as run:
        users = run.client.users
        assert [key.id for key in users.list_keys("7")] == [KEY_ID]
        assert users.create_key("7", KeyCreation("report", access="read")).key == "pk_new"
        assert users.rotate_key("7", KEY_ID).key == "pk_new"
        users.rotate_key("7", KEY_ID, overlap_seconds=0, idempotency_key="mine")
        users.revoke_key("7", KEY_ID)
        assert [of(seen) for seen in run.seen] == [
            ("GET", "/api/v2/user/7/keys", None, False),
            ("POST", "/api/v2/user/7/keys", {"label": "report", "access": "read"}, True),
            ("POST", f"/api/v2/user/7/keys/{KEY_ID}/rotate", {"overlap_seconds": None}, True),
            ("POST", f"/api/v2/user/7/keys/{KEY_ID}/rotate", {"overlap_seconds": 0}, True),
            ("DELETE", f"/api/v2/user/7/keys/{KEY_ID}", None, True),
        ]
        assert run.seen[3].headers["idempotency-key"] == "mine"


def test_states_and_replies_have_their_addresses_and_bodies_and_each_change_sends_a_key() -> None:
    with serving(REVIEW, REPLY, REPLY, GONE, REPLY, GONE) as run:
        reviews = run.client.reviews
        assert reviews.set_state("r", "treated").id == "r"
        assert reviews.get_reply("r").state == "pending"
        assert reviews.put_reply("r", "Merci").version == 3
        reviews.delete_reply("r")
        assert isinstance(reviews.report_reply_outcome("r", OutcomeReport(3, "rejected", "no")), Reply)
        assert reviews.report_reply_outcome("r", OutcomeReport(4, "removed")) is None
        assert [of(seen) for seen in run.seen] == [
            ("PUT", "/api/v2/reviews/r", {"state": "treated"}, True),
            ("GET", "/api/v2/reviews/r/reply", None, False),
            ("PUT", "/api/v2/reviews/r/reply", {"content": "Merci"}, True),
            ("DELETE", "/api/v2/reviews/r/reply", None, True),
            ("POST", "/api/v2/reviews/r/reply/outcome", {"version": 3, "outcome": "rejected", "reason": "no"}, True),
            ("POST", "/api/v2/reviews/r/reply/outcome", {"version": 4, "outcome": "removed"}, True),
        ]


def test_a_key_whose_answer_was_lost_is_none_and_a_reply_is_repeated_under_one_key() -> None:
    with serving("reset", Answer(200, KEY | {"key": None}), refused(503), REPLY, refused(404)) as run:
        assert run.client.users.create_key("7", KeyCreation("report")).key is None
        assert run.client.reviews.put_reply("r", "Merci").version == 3
        with pytest.raises(NotFoundError):
            run.client.reviews.get_reply("r")
        first, second, third, fourth = (seen.headers["idempotency-key"] for seen in run.seen[:4])
        assert first == second != third == fourth


def test_a_dict_as_a_request_body_is_a_type_error_and_nothing_is_sent() -> None:
    with serving() as run:
        users, reviews = run.client.users, run.client.reviews
        with pytest.raises(TypeError, match=r"^pass UserCreation\(\.\.\.\), not a dict$"):
            users.create({"email": "a@b.example"})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="pass UserChange"):
            users.update("7", {"phone": "1"})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="pass KeyCreation"):
            users.create_key("7", {"label": "report"})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="pass OutcomeReport"):
            reviews.report_reply_outcome("r", {"version": 1})  # type: ignore[arg-type]
        assert run.seen == []


def test_a_webhook_may_have_types_of_events_that_came_later() -> None:
    webhook = {"id": "42-0c5662f081d2", "url": "https://a.example/", "types": ["shop.*"], "label": None, "state": "enabled"}
    dates = {"failing_since": None, "cursor": "42-7", "created_at": "2026-03-01T12:00:00+00:00"}
    with serving(Answer(200, webhook | dates)) as run:
        assert run.client.webhooks.get("42-0c5662f081d2").types == ["shop.*"]


def test_an_outcome_of_another_form_is_an_error_of_the_client() -> None:
    bodies: tuple[object, ...] = (b"<html>", {"id": "1"})
    for body in bodies:
        with serving(Answer(200, body)) as run, pytest.raises(PresenceError, match="no Reply or ReviewSuccess"):
            run.client.reviews.report_reply_outcome("r", OutcomeReport(1, "published"))
