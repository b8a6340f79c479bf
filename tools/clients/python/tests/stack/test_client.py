"""Calls against the local stack: `tools/ci/with-stack` sets the environment."""

import os

import pytest

from presence_client import (
    AuthenticationError,
    AuthorizationError,
    InvalidRequestError,
    KeyCreation,
    NotFoundError,
    OutcomeReport,
    PresenceClient,
    TooManyRequestsError,
    UserChange,
    UserCreation,
)

EMAIL = "own-python@client.example"
presence = PresenceClient(api_key=os.environ["PRESENCE_ORG_ADMIN"])


def test_a_user_lives_from_create_to_delete() -> None:
    users = presence.users
    assert users.me(client_request_id="client-test").role == "ORG_ADMIN"
    user_id = users.create(UserCreation(EMAIL, "Own", "Python", status="invited", send_invitation=False))
    users.update(user_id, UserChange(last_name="Pythonne"))
    assert users.get(user_id).last_name == "Pythonne"
    users.invite(user_id)
    with pytest.raises(TooManyRequestsError) as soon:
        users.invite(user_id)
    assert soon.value.retry_after
    with pytest.raises(InvalidRequestError) as twice:
        users.create(UserCreation(EMAIL, "Own", "Python"))
    assert twice.value.fields["email"].message == f"{EMAIL} already exists in db"
    assert twice.value.request_id
    assert users.stats().count == users.search().count
    users.delete(user_id)
    with pytest.raises(NotFoundError):
        users.get(user_id)


def test_each_search_is_walked_to_its_end() -> None:
    users, categories, businesses, reviews = presence.users, presence.categories, presence.businesses, presence.reviews
    assert len(list(users.iterate(per_page=2))) == users.search().count
    assert len(list(categories.iterate("FR"))) == categories.search("FR").count
    assert len(list(businesses.iterate(per_page=1))) == businesses.search().count
    assert len(list(reviews.iterate())) == reviews.search().count
    category = categories.search("FR").categories[0]
    assert categories.get(category.id, "FR") == category


def test_a_pull_equals_the_list_and_its_cursor_repeats_one_second() -> None:
    listed = {review.id for review in presence.reviews.iterate()}
    batches = list(presence.reviews.pull(per_page=25))
    pulled = [review.id for batch in batches for review in batch.reviews]
    assert len(listed) > 100
    assert len(pulled) == len(listed)
    assert set(pulled) == listed
    cursor = batches[-1].cursor
    again = [review for batch in presence.reviews.pull(cursor) for review in batch.reviews]
    assert again
    assert {review.update_date.isoformat() for review in again} == {cursor}
    assert presence.reviews.get(pulled[0]).id == pulled[0]


def test_a_key_that_only_reads_lives_from_create_to_revocation() -> None:
    users = presence.users
    me = users.me().id
    issued = users.create_key(me, KeyCreation("own-python", access="read"))
    with PresenceClient(api_key=issued.key) as reader:
        assert reader.users.me().id == me
        with pytest.raises(AuthorizationError):
            reader.users.update(me, UserChange(phone=None))
        rotated = users.rotate_key(me, issued.id, overlap_seconds=0)
        with pytest.raises(AuthenticationError):
            reader.users.me()
    users.revoke_key(me, rotated.id)
    listed = [key for key in users.list_keys(me) if key.label == "own-python"]
    assert {key.id for key in listed} == {issued.id, rotated.id}
    assert all(key.access == "read" for key in listed)


def test_a_reply_goes_its_way_from_pending_to_removed() -> None:
    reviews = presence.reviews
    review_id = reviews.search(per_page=1, state=["not_treated"]).reviews[0].id
    # The stand-in for the partners never settles this text.
    reply = reviews.put_reply(review_id, "Merci [lose]")
    assert reply.state == "pending"
    assert reply.version
    assert reviews.get(review_id).state == "treated"
    assert reviews.set_state(review_id, "not_treated").state == "not_treated"
    with PresenceClient(api_key=os.environ["PRESENCE_PROVIDER"]) as connector:
        published = connector.reviews.report_reply_outcome(review_id, OutcomeReport(reply.version, "published"))
        assert published
        assert published.state == "published"
        assert reviews.get_reply(review_id).content == "Merci [lose]"
        reviews.delete_reply(review_id)
        removed = OutcomeReport(reply.version + 1, "removed")
        assert connector.reviews.report_reply_outcome(review_id, removed) is None
    with pytest.raises(NotFoundError):
        reviews.get_reply(review_id)


def test_errors_have_their_classes() -> None:
    with PresenceClient(api_key="pk_wrong") as nobody, pytest.raises(AuthenticationError):
        nobody.users.me()
    with pytest.raises(InvalidRequestError) as caught:
        presence.reviews.search(state=["lost"])  # type: ignore[list-item]
    assert len(caught.value.fields["state"].choices) == 3
