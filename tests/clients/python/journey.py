"""Some calls with a client generated from the description of the API, the same as those in TypeScript."""

import os
from http import HTTPStatus

from presence_client import AuthenticatedClient, Client
from presence_client.api.businesses import search_businesses
from presence_client.api.categories import get_category, search_categories
from presence_client.api.reviews import get_review, get_review_stats, search_reviews
from presence_client.api.users import (
    create_user,
    delete_user,
    get_me,
    get_user,
    get_user_stats,
    invite_user,
    search_users,
    update_user,
)
from presence_client.models import (
    AuthenticationError,
    BusinessPage,
    Category,
    CategoryPage,
    Error,
    FieldErrors,
    GetReviewStatsGroupBy,
    InvalidError,
    UserCreation,
    UserCreationStatusType1,
    ReviewPage,
    ReviewStats,
    SearchReviewsPartnerInItem,
    Success,
    User,
    UserChange,
    UserPage,
    UserRole,
    UserStats,
    UserStatus,
)
from presence_client.types import Unset

EMAIL = "python@client.example"


def users(client: AuthenticatedClient) -> str:
    """Calls me, create, get, update, search, invite and delete. Returns one of the caller's businesses."""
    me = get_me.sync(client=client)
    assert isinstance(me, User) and me.role == UserRole.ORG_ADMIN
    assert not isinstance(me.business_ids, Unset)
    business = me.business_ids[0]

    invited = UserCreationStatusType1.INVITED
    new = UserCreation(EMAIL, "Py", "Thon", status=invited, send_invitation=False, business_ids=[business])
    created = create_user.sync(client=client, body=new)
    assert isinstance(created, Success) and isinstance(created.id, str)
    user_id = created.id
    before = get_user.sync(user_id, client=client)
    assert isinstance(before, User) and before.status == UserStatus.INVITED
    assert (before.org_id, before.phone) == (me.org_id, None)

    assert isinstance(update_user.sync(user_id, client=client, body=UserChange(last_name="Tonne", phone="+33 1 00")), Success)
    found = search_users.sync(client=client, query="tonn", display_business_ids=False, per_page=5)
    assert isinstance(found, UserPage) and [user.id for user in found.users] == [user_id]
    assert isinstance(found.users[0].business_ids, Unset)
    stats = get_user_stats.sync(client=client)
    assert isinstance(stats, UserStats) and stats.count == stats.invited_count + stats.activate_count
    assert isinstance(invite_user.sync(user_id, client=client), Success)
    again = invite_user.sync_detailed(user_id, client=client)
    assert again.status_code == HTTPStatus.TOO_MANY_REQUESTS and int(again.headers["retry-after"]) > 0

    twice = create_user.sync(client=client, body=new)
    assert isinstance(twice, InvalidError) 
    assert FieldErrors.from_dict(twice.errors.json).to_dict() == {"email": f"{EMAIL} already exists in db"}

    assert isinstance(delete_user.sync(user_id, client=client), Success)
    gone = get_user.sync_detailed(user_id, client=client)
    assert gone.status_code == HTTPStatus.NOT_FOUND
    assert isinstance(gone.parsed, Error) and gone.parsed.errors.json == "not found"
    return business


def categories(client: AuthenticatedClient) -> None:
    """Finds a category by its French name, and reads it in English."""
    found = search_categories.sync(client=client, lang="FR", name="boulangerie")
    assert isinstance(found, CategoryPage) and found.count >= 1
    category = get_category.sync(found.categories[0].id, client=client, lang="GB")
    assert isinstance(category, Category) and category.name == "Bakery"
    assert all(partner.id and partner.name for partner in category.partners.partner_4)


def reviews(client: AuthenticatedClient, business: str) -> None:
    """Searches reviews by lists of values, reads one of them, and finds its business."""
    partners = [SearchReviewsPartnerInItem.PARTNER_8, SearchReviewsPartnerInItem.PARTNER_1]
    found = search_reviews.sync(client=client, rating_in=[1, 2], partner_in=partners, business_in=[business], per_page=3)
    assert isinstance(found, ReviewPage) and found.count > 0
    assert all(review.rating <= 2 and review.business_id == business for review in found.reviews)
    assert get_review.sync(found.reviews[0].id, client=client) == found.reviews[0]
    by_month = GetReviewStatsGroupBy.MONTH
    stats = get_review_stats.sync(client=client, rating_in=[1, 2], business_in=[business], group_by=by_month)
    assert isinstance(stats, ReviewStats) and stats.groups and stats.count >= found.count
    assert stats.count == sum(group.count for group in stats.groups)
    shops = search_businesses.sync(client=client, query="maison", per_page=100)
    assert isinstance(shops, BusinessPage) and business in [shop.id for shop in shops.businesses]


def main() -> None:
    """Makes all calls, and one without a key."""
    base_url = os.environ["PRESENCE_URL"]
    key = os.environ["PRESENCE_ORG_ADMIN"]
    with AuthenticatedClient(base_url, token=key) as client:
        business = users(client)
        categories(client)
        reviews(client, business)
    nobody = search_categories.sync(client=Client(base_url), lang="FR")
    assert isinstance(nobody, AuthenticationError)
    print("Python client: the journey is done")


main()
