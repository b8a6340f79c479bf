"""Client of the presence API."""

import os
import re
from collections.abc import Iterator
from functools import partial
from typing import Self, Unpack

import httpx

from . import _filters as f
from ._call import IdempotencyKey, call, change, check, expect, require
from ._events import LIMIT, EventBatch, walk_feed
from ._pages import MAX_PER_PAGE, results, walk
from ._pull import Batch, Puller
from ._retry import Retry
from ._transport import Transport
from ._version import __version__
from ._webhooks import Webhooks
from .generated import Client
from .generated.api.businesses import search_businesses
from .generated.api.categories import get_category, search_categories
from .generated.api.events import list_events
from .generated.api.reviews import (
    delete_reply,
    get_reply,
    get_review,
    get_review_stats,
    put_reply,
    report_reply_outcome,
    search_reviews,
    set_review_state,
)
from .generated.api.users import (
    create_key,
    create_user,
    delete_user,
    get_me,
    get_user,
    get_user_stats,
    invite_user,
    list_keys,
    revoke_key,
    rotate_key,
    search_users,
    update_user,
)
from .generated.models import (
    Business,
    BusinessPage,
    Category,
    CategoryPage,
    EventPage,
    FoundUser,
    IssuedKey,
    Key,
    KeyCreation,
    KeyList,
    KeyRotation,
    OutcomeReport,
    Reply,
    ReplyRequest,
    Review,
    ReviewChange,
    ReviewChangeState,
    ReviewPage,
    ReviewStats,
    ReviewSuccess,
    Success,
    User,
    UserChange,
    UserCreation,
    UserPage,
    UserStats,
)
from .generated.types import UNSET

KEY = re.compile("[!-~]+")
"""Key that a header can hold: printable ASCII without blanks."""


class PresenceClient:
    """Client of the presence API. Threads may share it. It is a context manager that closes its connections."""

    def __init__(  # noqa: PLR0913 Each setting has a default.
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        user_agent: str | None = None,
        retry: Retry | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Take the address of the service, with or without /api/v2, and the key.

        Their defaults are the environment variables PRESENCE_URL and PRESENCE_API_KEY. `timeout` bounds each network step
        (connect, send, read) in seconds. `user_agent` comes before the client's own. `transport` sends the requests.
        """
        url = _setting("base_url", base_url, "PRESENCE_URL")
        key = _setting("api_key", api_key, "PRESENCE_API_KEY")
        if not KEY.fullmatch(key):
            raise ValueError("api_key has a character that no key has, such as a blank or a line break")
        own = f"presence-client-python/{__version__}"
        inner = transport or httpx.HTTPTransport(trust_env=True)
        self._retry = retry or Retry()
        api = Client(
            base_url=url.rstrip("/").removesuffix("/api/v2"),
            headers={"user-agent": f"{user_agent} {own}" if user_agent else own},
            timeout=httpx.Timeout(timeout),
            httpx_args={"transport": Transport(key, self._retry, inner)},
        )
        self._api = api
        self._http = api.get_httpx_client()
        self.users = Users(api)
        self.categories = Categories(api)
        self.businesses = Businesses(api)
        self.reviews = Reviews(api)
        self.webhooks = Webhooks(api)

    def events(
        self, after: str | None = None, *, pause: float = 2.0, follow: bool = True, **filters: Unpack[f.EventFilters]
    ) -> Iterator[EventBatch]:
        """Yield the events of an organisation after a cursor, oldest first, and go on with those that come.

        Without a cursor: from the oldest that is kept; with `now`: those that come. A PROVIDER names `org_id`. `pause` is the
        time at the end of the feed in seconds; with `follow=False` the batches end there. Raise a GoneError if the cursor is no
        longer kept.
        """
        check(list_events, **filters)

        def read(cursor: str | None) -> EventPage:
            query = partial(list_events.sync, client=self._api, after=cursor or UNSET, limit=LIMIT, **filters)
            return expect(EventPage, query)

        return walk_feed(read, partial(self._retry.sleep, pause), after, follow=follow)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.close()


class Users:
    """Operations on users and their keys."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def me(self, *, client_request_id: str | None = None) -> User:
        """Return the user who owns the key."""
        with call(client_request_id):
            return expect(User, lambda: get_me.sync(client=self._api))

    def get(self, user_id: str, *, client_request_id: str | None = None) -> User:
        """Return a user."""
        with call(client_request_id):
            return expect(User, lambda: get_user.sync(user_id, client=self._api))

    def search(self, page: int = 1, per_page: int = 30, **filters: Unpack[f.UserFilters]) -> UserPage:
        """Return one page of a search."""
        return expect(UserPage, lambda: search_users.sync(client=self._api, page=page, per_page=per_page, **filters))

    def iterate(self, per_page: int = MAX_PER_PAGE, **filters: Unpack[f.UserFilters]) -> Iterator[FoundUser]:
        """Yield each user that a search finds."""
        check(search_users, **filters)
        return results(walk(lambda page: self.search(page, per_page, **filters), per_page), lambda page: page.users)

    def stats(self, *, client_request_id: str | None = None) -> UserStats:
        """Return the numbers of users."""
        with call(client_request_id):
            return expect(UserStats, lambda: get_user_stats.sync(client=self._api))

    def create(
        self, user: UserCreation, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> str:
        """Create a user. Return its id."""
        require(UserCreation, user)
        with change(idempotency_key, client_request_id):
            done = expect(Success, lambda: create_user.sync(client=self._api, body=user))
        return expect(str, lambda: done.id)

    def update(
        self, user_id: str, fields: UserChange, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> None:
        """Change the given fields of a user."""
        require(UserChange, fields)
        with change(idempotency_key, client_request_id):
            expect(Success, lambda: update_user.sync(user_id, client=self._api, body=fields))

    def delete(self, user_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None) -> None:
        """Delete a user for good."""
        with change(idempotency_key, client_request_id):
            expect(Success, lambda: delete_user.sync(user_id, client=self._api))

    def invite(self, user_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None) -> None:
        """Send a new invitation to an invited user, at most once in 5 minutes."""
        with change(idempotency_key, client_request_id):
            expect(Success, lambda: invite_user.sync(user_id, client=self._api))

    def list_keys(self, user_id: str, *, client_request_id: str | None = None) -> list[Key]:
        """Return the keys of a user, newest first: live ones, and those that ended in the last 90 days."""
        with call(client_request_id):
            return expect(KeyList, lambda: list_keys.sync(user_id, client=self._api)).keys

    def create_key(
        self, user_id: str, key: KeyCreation, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> IssuedKey:
        """Create a key for a user. Its `key` is shown this once; it is None if the answer that had it was lost."""
        require(KeyCreation, key)
        with change(idempotency_key, client_request_id):
            return expect(IssuedKey, lambda: create_key.sync(user_id, client=self._api, body=key))

    def rotate_key(
        self,
        user_id: str,
        key_id: str,
        *,
        overlap_seconds: int | None = None,
        idempotency_key: IdempotencyKey = None,
        client_request_id: str | None = None,
    ) -> IssuedKey:
        """Replace a key. The old one gives access for a day more, or for `overlap_seconds`. Answer as `create_key`."""
        body = KeyRotation(overlap_seconds)
        with change(idempotency_key, client_request_id):
            return expect(IssuedKey, lambda: rotate_key.sync(user_id, key_id, client=self._api, body=body))

    def revoke_key(
        self, user_id: str, key_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> None:
        """End a key at once. The key that asks may end itself."""
        with change(idempotency_key, client_request_id):
            expect(Success, lambda: revoke_key.sync(user_id, key_id, client=self._api))


class Categories:
    """Operations on categories."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def get(self, category_id: str, lang: str, *, client_request_id: str | None = None) -> Category:
        """Return a category, with its name in a language."""
        with call(client_request_id):
            return expect(Category, lambda: get_category.sync(category_id, client=self._api, lang=lang))

    def search(self, lang: str, page: int = 1, per_page: int = 30, **filters: Unpack[f.CategoryFilters]) -> CategoryPage:
        """Return one page of a search."""
        return expect(
            CategoryPage, lambda: search_categories.sync(client=self._api, lang=lang, page=page, per_page=per_page, **filters)
        )

    def iterate(self, lang: str, per_page: int = MAX_PER_PAGE, **filters: Unpack[f.CategoryFilters]) -> Iterator[Category]:
        """Yield each category that a search finds."""
        check(search_categories, lang=lang, **filters)
        pages = walk(lambda page: self.search(lang, page, per_page, **filters), per_page)
        return results(pages, lambda page: page.categories)


class Businesses:
    """Operations on businesses."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def search(self, page: int = 1, per_page: int = 30, **filters: Unpack[f.BusinessFilters]) -> BusinessPage:
        """Return one page of a search."""
        return expect(BusinessPage, lambda: search_businesses.sync(client=self._api, page=page, per_page=per_page, **filters))

    def iterate(self, per_page: int = MAX_PER_PAGE, **filters: Unpack[f.BusinessFilters]) -> Iterator[Business]:
        """Yield each business that a search finds."""
        check(search_businesses, **filters)
        return results(walk(lambda page: self.search(page, per_page, **filters), per_page), lambda page: page.businesses)


class Reviews:
    """Operations on reviews and replies."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def get(self, review_id: str, *, client_request_id: str | None = None) -> Review:
        """Return a review."""
        with call(client_request_id):
            return expect(Review, lambda: get_review.sync(review_id, client=self._api))

    def search(self, page: int = 1, per_page: int = 30, **filters: Unpack[f.ReviewFilters]) -> ReviewPage:
        """Return one page of a search."""
        return expect(ReviewPage, lambda: search_reviews.sync(client=self._api, page=page, per_page=per_page, **filters))

    def iterate(self, per_page: int = MAX_PER_PAGE, **filters: Unpack[f.ReviewFilters]) -> Iterator[Review]:
        """Yield each review that a search finds."""
        check(search_reviews, **filters)
        return results(walk(lambda page: self.search(page, per_page, **filters), per_page), lambda page: page.reviews)

    def stats(self, group_by: f.Grouping | None = None, **filters: Unpack[f.StatsFilters]) -> ReviewStats:
        """Return statistics of the reviews that a search finds."""
        return expect(ReviewStats, lambda: get_review_stats.sync(client=self._api, group_by=group_by or UNSET, **filters))

    def set_state(
        self,
        review_id: str,
        state: ReviewChangeState,
        *,
        idempotency_key: IdempotencyKey = None,
        client_request_id: str | None = None,
    ) -> Review:
        """Set the state of a review. Return the review."""
        with change(idempotency_key, client_request_id):
            return expect(Review, lambda: set_review_state.sync(review_id, client=self._api, body=ReviewChange(state)))

    def get_reply(self, review_id: str, *, client_request_id: str | None = None) -> Reply:
        """Return the reply to a review. Raise a NotFoundError if there is none."""
        with call(client_request_id):
            return expect(Reply, lambda: get_reply.sync(review_id, client=self._api))

    def put_reply(
        self, review_id: str, content: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> Reply:
        """Reply to a review, or replace the reply. It is `pending` until the partner's outcome. The review is `treated`."""
        with change(idempotency_key, client_request_id):
            return expect(Reply, lambda: put_reply.sync(review_id, client=self._api, body=ReplyRequest(content)))

    def delete_reply(
        self, review_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> None:
        """Take the reply to a review back. It is `removing` until the partner has removed what it has."""
        with change(idempotency_key, client_request_id):
            expect(ReviewSuccess, lambda: delete_reply.sync(review_id, client=self._api))

    def report_reply_outcome(
        self,
        review_id: str,
        report: OutcomeReport,
        *,
        idempotency_key: IdempotencyKey = None,
        client_request_id: str | None = None,
    ) -> Reply | None:
        """Report the outcome of a reply, with a PROVIDER's key. Return the reply, or None if there is none any more."""
        require(OutcomeReport, report)
        with change(idempotency_key, client_request_id):
            kinds: tuple[type[Reply | ReviewSuccess], ...] = (Reply, ReviewSuccess)
            answer = expect(kinds, lambda: report_reply_outcome.sync(review_id, client=self._api, body=report))
        return answer if isinstance(answer, Reply) else None

    def pull(
        self,
        cursor: str | None = None,
        *,
        overlap: float = 0.0,
        per_page: int = MAX_PER_PAGE,
        **filters: Unpack[f.PullFilters],
    ) -> Iterator[Batch]:
        """Yield the reviews that changed at or after the cursor, in batches. Without a cursor: all reviews.

        `overlap` is the time before the cursor that is read again, in seconds.
        """
        check(search_reviews, **filters)

        def search(lower: str | None, upper: str | None, page: int) -> ReviewPage:
            return expect(
                ReviewPage,
                lambda: search_reviews.sync(
                    client=self._api,
                    order_by="update_date",
                    update_date_gte=lower or UNSET,
                    update_date_lte=upper or UNSET,
                    page=page,
                    per_page=per_page,
                    **filters,
                ),
            )

        return Puller(search, cursor, overlap, per_page).batches()


def _setting(name: str, value: str | None, variable: str) -> str:
    """Return a setting from its argument, or from the environment."""
    found = os.environ.get(variable) if value is None else value
    if not found:
        raise ValueError(f"{name} is missing: pass it, or set {variable}")
    return found
