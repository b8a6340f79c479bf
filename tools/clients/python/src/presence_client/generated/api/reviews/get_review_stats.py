from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.authentication_error import AuthenticationError
from ...models.error import Error
from ...models.gateway_error import GatewayError
from ...models.get_review_stats_group_by import check_get_review_stats_group_by
from ...models.get_review_stats_group_by import GetReviewStatsGroupBy
from ...models.get_review_stats_partner_in_item import check_get_review_stats_partner_in_item
from ...models.get_review_stats_partner_in_item import GetReviewStatsPartnerInItem
from ...models.get_review_stats_state_item import check_get_review_stats_state_item
from ...models.get_review_stats_state_item import GetReviewStatsStateItem
from ...models.invalid_error import InvalidError
from ...models.review_stats import ReviewStats
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    state: list[GetReviewStatsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[GetReviewStatsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    group_by: GetReviewStatsGroupBy | Unset = UNSET,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    json_state: list[str] | Unset = UNSET
    if not isinstance(state, Unset):
        json_state = []
        for state_item_data in state:
            state_item: str = state_item_data
            json_state.append(state_item)


    params["state"] = json_state

    json_rating_in: list[int] | Unset = UNSET
    if not isinstance(rating_in, Unset):
        json_rating_in = rating_in


    params["rating__in"] = json_rating_in

    params["rating"] = rating

    params["content__isnull"] = content_isnull

    json_partner_in: list[str] | Unset = UNSET
    if not isinstance(partner_in, Unset):
        json_partner_in = []
        for partner_in_item_data in partner_in:
            partner_in_item: str = partner_in_item_data
            json_partner_in.append(partner_in_item)


    params["partner__in"] = json_partner_in

    params["update_date__gte"] = update_date_gte

    params["update_date__lte"] = update_date_lte

    json_business_in: list[str] | Unset = UNSET
    if not isinstance(business_in, Unset):
        json_business_in = business_in


    params["business__in"] = json_business_in

    params["business_city"] = business_city

    json_group_by: str | Unset = UNSET
    if not isinstance(group_by, Unset):
        json_group_by = group_by

    params["group_by"] = json_group_by


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v2/reviews/stats",
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> AuthenticationError | Error | GatewayError | InvalidError | ReviewStats | None:
    if response.status_code == 200:
        response_200 = ReviewStats.from_dict(response.json())



        return response_200

    if response.status_code == 400:
        response_400 = InvalidError.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = AuthenticationError.from_dict(response.json())



        return response_401

    if response.status_code == 413:
        response_413 = Error.from_dict(response.json())



        return response_413

    if response.status_code == 429:
        response_429 = Error.from_dict(response.json())



        return response_429

    if response.status_code == 431:
        response_431 = GatewayError.from_dict(response.json())



        return response_431

    if response.status_code == 500:
        response_500 = Error.from_dict(response.json())



        return response_500

    if response.status_code == 503:
        response_503 = Error.from_dict(response.json())



        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewStats]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    state: list[GetReviewStatsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[GetReviewStatsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    group_by: GetReviewStatsGroupBy | Unset = UNSET,

) -> Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewStats]:
    """ Count reviews

     Returns exact numbers of the reviews that match **all** filters: of each rating, state and partner,
    with and without text, and the average rating. The filters are those of *Search reviews*, and
    `count` is the same as there.

    **Groups**: with `group_by`, the answer has the reviews of each group too. Groups without a review
    are left out. Days, months and years are those of the update date in UTC, or of the creation date of
    a review that was never updated. Cities are compared as in `business_city`. Partners, states and
    ratings have a fixed order; other groups are in ascending order of their keys. More than 1000 groups
    are refused with 400 on `group_by`.

    **Roles**: PROVIDER counts the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER count
    those of all businesses of their own organisation.

    Args:
        state (list[GetReviewStatsStateItem] | Unset):
        rating_in (list[int] | Unset):
        rating (int | Unset):
        content_isnull (bool | Unset):
        partner_in (list[GetReviewStatsPartnerInItem] | Unset):
        update_date_gte (str | Unset):
        update_date_lte (str | Unset):
        business_in (list[str] | Unset):
        business_city (str | Unset):
        group_by (GetReviewStatsGroupBy | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewStats]
     """


    kwargs = _get_kwargs(
        state=state,
rating_in=rating_in,
rating=rating,
content_isnull=content_isnull,
partner_in=partner_in,
update_date_gte=update_date_gte,
update_date_lte=update_date_lte,
business_in=business_in,
business_city=business_city,
group_by=group_by,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient | Client,
    state: list[GetReviewStatsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[GetReviewStatsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    group_by: GetReviewStatsGroupBy | Unset = UNSET,

) -> AuthenticationError | Error | GatewayError | InvalidError | ReviewStats | None:
    """ Count reviews

     Returns exact numbers of the reviews that match **all** filters: of each rating, state and partner,
    with and without text, and the average rating. The filters are those of *Search reviews*, and
    `count` is the same as there.

    **Groups**: with `group_by`, the answer has the reviews of each group too. Groups without a review
    are left out. Days, months and years are those of the update date in UTC, or of the creation date of
    a review that was never updated. Cities are compared as in `business_city`. Partners, states and
    ratings have a fixed order; other groups are in ascending order of their keys. More than 1000 groups
    are refused with 400 on `group_by`.

    **Roles**: PROVIDER counts the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER count
    those of all businesses of their own organisation.

    Args:
        state (list[GetReviewStatsStateItem] | Unset):
        rating_in (list[int] | Unset):
        rating (int | Unset):
        content_isnull (bool | Unset):
        partner_in (list[GetReviewStatsPartnerInItem] | Unset):
        update_date_gte (str | Unset):
        update_date_lte (str | Unset):
        business_in (list[str] | Unset):
        business_city (str | Unset):
        group_by (GetReviewStatsGroupBy | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | Error | GatewayError | InvalidError | ReviewStats
     """


    return sync_detailed(
        client=client,
state=state,
rating_in=rating_in,
rating=rating,
content_isnull=content_isnull,
partner_in=partner_in,
update_date_gte=update_date_gte,
update_date_lte=update_date_lte,
business_in=business_in,
business_city=business_city,
group_by=group_by,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    state: list[GetReviewStatsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[GetReviewStatsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    group_by: GetReviewStatsGroupBy | Unset = UNSET,

) -> Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewStats]:
    """ Count reviews

     Returns exact numbers of the reviews that match **all** filters: of each rating, state and partner,
    with and without text, and the average rating. The filters are those of *Search reviews*, and
    `count` is the same as there.

    **Groups**: with `group_by`, the answer has the reviews of each group too. Groups without a review
    are left out. Days, months and years are those of the update date in UTC, or of the creation date of
    a review that was never updated. Cities are compared as in `business_city`. Partners, states and
    ratings have a fixed order; other groups are in ascending order of their keys. More than 1000 groups
    are refused with 400 on `group_by`.

    **Roles**: PROVIDER counts the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER count
    those of all businesses of their own organisation.

    Args:
        state (list[GetReviewStatsStateItem] | Unset):
        rating_in (list[int] | Unset):
        rating (int | Unset):
        content_isnull (bool | Unset):
        partner_in (list[GetReviewStatsPartnerInItem] | Unset):
        update_date_gte (str | Unset):
        update_date_lte (str | Unset):
        business_in (list[str] | Unset):
        business_city (str | Unset):
        group_by (GetReviewStatsGroupBy | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewStats]
     """


    kwargs = _get_kwargs(
        state=state,
rating_in=rating_in,
rating=rating,
content_isnull=content_isnull,
partner_in=partner_in,
update_date_gte=update_date_gte,
update_date_lte=update_date_lte,
business_in=business_in,
business_city=business_city,
group_by=group_by,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    state: list[GetReviewStatsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[GetReviewStatsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    group_by: GetReviewStatsGroupBy | Unset = UNSET,

) -> AuthenticationError | Error | GatewayError | InvalidError | ReviewStats | None:
    """ Count reviews

     Returns exact numbers of the reviews that match **all** filters: of each rating, state and partner,
    with and without text, and the average rating. The filters are those of *Search reviews*, and
    `count` is the same as there.

    **Groups**: with `group_by`, the answer has the reviews of each group too. Groups without a review
    are left out. Days, months and years are those of the update date in UTC, or of the creation date of
    a review that was never updated. Cities are compared as in `business_city`. Partners, states and
    ratings have a fixed order; other groups are in ascending order of their keys. More than 1000 groups
    are refused with 400 on `group_by`.

    **Roles**: PROVIDER counts the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER count
    those of all businesses of their own organisation.

    Args:
        state (list[GetReviewStatsStateItem] | Unset):
        rating_in (list[int] | Unset):
        rating (int | Unset):
        content_isnull (bool | Unset):
        partner_in (list[GetReviewStatsPartnerInItem] | Unset):
        update_date_gte (str | Unset):
        update_date_lte (str | Unset):
        business_in (list[str] | Unset):
        business_city (str | Unset):
        group_by (GetReviewStatsGroupBy | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | Error | GatewayError | InvalidError | ReviewStats
     """


    return (await asyncio_detailed(
        client=client,
state=state,
rating_in=rating_in,
rating=rating,
content_isnull=content_isnull,
partner_in=partner_in,
update_date_gte=update_date_gte,
update_date_lte=update_date_lte,
business_in=business_in,
business_city=business_city,
group_by=group_by,

    )).parsed
