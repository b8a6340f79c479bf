"""Parameters of the searches, by the names of the generated functions."""

from typing import Literal, TypedDict

from .generated.models import ListEventsTypeInItem

State = Literal["treated", "not_treated", "deleted"]
Partner = Literal["partner_8", "partner_1", "partner_9"]
Grouping = Literal["day", "month", "year", "business", "city", "partner", "state", "rating"]


class UserFilters(TypedDict, total=False):
    """Filters of the search of users."""

    org_id: int
    last_name: str
    email: str
    status: Literal["active", "invited"]
    query: str
    display_business_ids: bool


class CategoryFilters(TypedDict, total=False):
    """Filters of the search of categories."""

    name: str


class BusinessFilters(TypedDict, total=False):
    """Filters of the search of businesses."""

    query: str
    city: str
    org_id: int


class EventFilters(TypedDict, total=False):
    """Filters of the feed of events."""

    type_in: list[ListEventsTypeInItem]
    org_id: str


class DeliveryFilters(TypedDict, total=False):
    """Bounds of the list of deliveries."""

    after: str
    limit: int


class PullFilters(TypedDict, total=False):
    """Filters of reviews, without dates."""

    state: list[State]
    rating_in: list[int]
    rating: int
    content_isnull: bool
    partner_in: list[Partner]
    business_in: list[str]
    business_city: str


class StatsFilters(PullFilters, total=False):
    """Filters of reviews."""

    update_date_gte: str
    update_date_lte: str


class ReviewFilters(StatsFilters, total=False):
    """Filters and order of the search of reviews."""

    order_by: Literal["-update_date", "update_date"]
