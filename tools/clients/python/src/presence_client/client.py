"""Client of the presence API."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Literal, Self, TypeVar, Unpack

import httpx

from . import _filters as f
from ._errors import PresenceError
from ._pages import MAX_PER_PAGE, results, walk
from ._pull import Batch, Puller
from ._retry import Retry
from ._transport import CLIENT_REQUEST_ID, IDEMPOTENCY_KEY, Transport, call_headers
from ._version import __version__
from .generated import Client
from .generated.api.businesses import search_businesses
from .generated.api.categories import get_category, search_categories
from .generated.api.reviews import get_review, get_review_stats, search_reviews
from .generated.api.users import (
    create_user,
    delete_user,
    get_me,
    get_user,
    get_user_stats,
    invite_user,
    search_users,
    update_user,
)
from .generated.models import (
    Business,
    BusinessPage,
    Category,
    CategoryPage,
    FoundUser,
    Review,
    ReviewPage,
    ReviewStats,
    Success,
    User,
    UserChange,
    UserCreation,
    UserPage,
    UserStats,
)
from .generated.types import UNSET

T = TypeVar("T")
IdempotencyKey = str | Literal[False] | None
"""Key under which a change is made once in 24 hours. None: a new one for each call. False: none is sent."""


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
        own = f"presence-client-python/{__version__}"
        inner = transport or httpx.HTTPTransport(trust_env=True)
        api = Client(
            base_url=url.rstrip("/").removesuffix("/api/v2"),
            headers={"user-agent": f"{user_agent} {own}" if user_agent else own},
            timeout=httpx.Timeout(timeout),
            httpx_args={"transport": Transport(key, retry or Retry(), inner)},
        )
        self._http = api.get_httpx_client()
        self.users = Users(api)
        self.categories = Categories(api)
        self.businesses = Businesses(api)
        self.reviews = Reviews(api)

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
    """Operations on users."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def me(self, *, client_request_id: str | None = None) -> User:
        """Return the user who owns the key."""
        with _call(client_request_id):
            return _expect(User, lambda: get_me.sync(client=self._api))

    def get(self, user_id: str, *, client_request_id: str | None = None) -> User:
        """Return a user."""
        with _call(client_request_id):
            return _expect(User, lambda: get_user.sync(user_id, client=self._api))

    def search(self, page: int = 1, per_page: int = 30, **filters: Unpack[f.UserFilters]) -> UserPage:
        """Return one page of a search."""
        return _expect(UserPage, lambda: search_users.sync(client=self._api, page=page, per_page=per_page, **filters))

    def iterate(self, per_page: int = MAX_PER_PAGE, **filters: Unpack[f.UserFilters]) -> Iterator[FoundUser]:
        """Yield each user that a search finds."""
        return results(walk(lambda page: self.search(page, per_page, **filters), per_page), lambda page: page.users)

    def stats(self, *, client_request_id: str | None = None) -> UserStats:
        """Return the numbers of users."""
        with _call(client_request_id):
            return _expect(UserStats, lambda: get_user_stats.sync(client=self._api))

    def create(
        self, user: UserCreation, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> str:
        """Create a user. Return its id."""
        with _change(idempotency_key, client_request_id):
            done = _expect(Success, lambda: create_user.sync(client=self._api, body=user))
        return _expect(str, lambda: done.id)

    def update(
        self, user_id: str, fields: UserChange, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None
    ) -> None:
        """Change the given fields of a user."""
        with _change(idempotency_key, client_request_id):
            _expect(Success, lambda: update_user.sync(user_id, client=self._api, body=fields))

    def delete(self, user_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None) -> None:
        """Delete a user for good."""
        with _change(idempotency_key, client_request_id):
            _expect(Success, lambda: delete_user.sync(user_id, client=self._api))

    def invite(self, user_id: str, *, idempotency_key: IdempotencyKey = None, client_request_id: str | None = None) -> None:
        """Send a new invitation to an invited user, at most once in 5 minutes."""
        with _change(idempotency_key, client_request_id):
            _expect(Success, lambda: invite_user.sync(user_id, client=self._api))


class Categories:
    """Operations on categories."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def get(self, category_id: str, lang: str, *, client_request_id: str | None = None) -> Category:
        """Return a category, with its name in a language."""
        with _call(client_request_id):
            return _expect(Category, lambda: get_category.sync(category_id, client=self._api, lang=lang))

    def search(self, lang: str, page: int = 1, per_page: int = 30, **filters: Unpack[f.CategoryFilters]) -> CategoryPage:
        """Return one page of a search."""
        return _expect(
            CategoryPage, lambda: search_categories.sync(client=self._api, lang=lang, page=page, per_page=per_page, **filters)
        )

    def iterate(self, lang: str, per_page: int = MAX_PER_PAGE, **filters: Unpack[f.CategoryFilters]) -> Iterator[Category]:
        """Yield each category that a search finds."""
        pages = walk(lambda page: self.search(lang, page, per_page, **filters), per_page)
        return results(pages, lambda page: page.categories)


class Businesses:
    """Operations on businesses."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def search(self, page: int = 1, per_page: int = 30, **filters: Unpack[f.BusinessFilters]) -> BusinessPage:
        """Return one page of a search."""
        return _expect(BusinessPage, lambda: search_businesses.sync(client=self._api, page=page, per_page=per_page, **filters))

    def iterate(self, per_page: int = MAX_PER_PAGE, **filters: Unpack[f.BusinessFilters]) -> Iterator[Business]:
        """Yield each business that a search finds."""
        return results(walk(lambda page: self.search(page, per_page, **filters), per_page), lambda page: page.businesses)


class Reviews:
    """Operations on reviews."""

    def __init__(self, api: Client) -> None:
        """Take the generated client."""
        self._api = api

    def get(self, review_id: str, *, client_request_id: str | None = None) -> Review:
        """Return a review."""
        with _call(client_request_id):
            return _expect(Review, lambda: get_review.sync(review_id, client=self._api))

    def search(self, page: int = 1, per_page: int = 30, **filters: Unpack[f.ReviewFilters]) -> ReviewPage:
        """Return one page of a search."""
        return _expect(ReviewPage, lambda: search_reviews.sync(client=self._api, page=page, per_page=per_page, **filters))

    def iterate(self, per_page: int = MAX_PER_PAGE, **filters: Unpack[f.ReviewFilters]) -> Iterator[Review]:
        """Yield each review that a search finds."""
        return results(walk(lambda page: self.search(page, per_page, **filters), per_page), lambda page: page.reviews)

    def stats(self, group_by: f.Grouping | None = None, **filters: Unpack[f.StatsFilters]) -> ReviewStats:
        """Return statistics of the reviews that a search finds."""
        return _expect(ReviewStats, lambda: get_review_stats.sync(client=self._api, group_by=group_by or UNSET, **filters))

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

        def search(lower: str | None, upper: str | None, page: int) -> ReviewPage:
            return _expect(
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


def _call(client_request_id: str | None) -> AbstractContextManager[None]:
    """Name the call for the log of the service."""
    return call_headers({} if client_request_id is None else {CLIENT_REQUEST_ID: client_request_id})


def _change(idempotency_key: IdempotencyKey, client_request_id: str | None) -> AbstractContextManager[None]:
    """Give the call an idempotency key, which all its attempts share."""
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    headers = {} if key is False else {IDEMPOTENCY_KEY: key}
    return call_headers(headers if client_request_id is None else {**headers, CLIENT_REQUEST_ID: client_request_id})


def _expect(kind: type[T], call: Callable[[], object]) -> T:
    """Return the body of an answer. The transport raises an error for all answers but 2xx."""
    try:
        found = call()
    except (AttributeError, KeyError, ValueError) as error:
        raise PresenceError(f"the answer is no {kind.__name__}") from error
    if isinstance(found, kind):
        return found
    raise PresenceError(f"the answer is no {kind.__name__}")
