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
from ...models.invalid_error import InvalidError
from ...models.review_page import ReviewPage
from ...models.search_reviews_order_by import check_search_reviews_order_by
from ...models.search_reviews_order_by import SearchReviewsOrderBy
from ...models.search_reviews_partner_in_item import check_search_reviews_partner_in_item
from ...models.search_reviews_partner_in_item import SearchReviewsPartnerInItem
from ...models.search_reviews_state_item import check_search_reviews_state_item
from ...models.search_reviews_state_item import SearchReviewsStateItem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    state: list[SearchReviewsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[SearchReviewsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    order_by: SearchReviewsOrderBy | Unset = '-update_date',
    page: int | Unset = 1,
    per_page: int | Unset = 30,

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

    json_order_by: str | Unset = UNSET
    if not isinstance(order_by, Unset):
        json_order_by = order_by

    params["order_by"] = json_order_by

    params["page"] = page

    params["per_page"] = per_page


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v2/reviews",
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> AuthenticationError | Error | GatewayError | InvalidError | ReviewPage | None:
    if response.status_code == 200:
        response_200 = ReviewPage.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewPage]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    state: list[SearchReviewsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[SearchReviewsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    order_by: SearchReviewsOrderBy | Unset = '-update_date',
    page: int | Unset = 1,
    per_page: int | Unset = 30,

) -> Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewPage]:
    """ Search reviews

     Returns the reviews that match **all** filters, in pages. Without a filter, these are all reviews in
    the caller's reach, in every state. Two filters on one property (`rating` and `rating__in`,
    `business__in` and `business_city`) must both match.

    **Dates**: the filters compare the update date, or the creation date of a review that was never
    updated. Both bounds are inclusive. Formats: `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM[:SS[.fraction]]`,
    followed by nothing (UTC), `Z`, or an offset `±hh:mm` or `±hhmm`. A blank in the place of the `+` is
    accepted. A day without time means its first second in `update_date__gte` and its last second in
    `update_date__lte`. If the lower bound is after the upper one, the result is empty.

    **Order**: newest first, then by id descending; `order_by=update_date` is exactly the reverse.

    **Roles**: PROVIDER finds the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER find
    those of all businesses of their own organisation.

    Args:
        state (list[SearchReviewsStateItem] | Unset):
        rating_in (list[int] | Unset):
        rating (int | Unset):
        content_isnull (bool | Unset):
        partner_in (list[SearchReviewsPartnerInItem] | Unset):
        update_date_gte (str | Unset):
        update_date_lte (str | Unset):
        business_in (list[str] | Unset):
        business_city (str | Unset):
        order_by (SearchReviewsOrderBy | Unset):  Default: '-update_date'.
        page (int | Unset):  Default: 1.
        per_page (int | Unset):  Default: 30.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewPage]
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
order_by=order_by,
page=page,
per_page=per_page,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient | Client,
    state: list[SearchReviewsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[SearchReviewsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    order_by: SearchReviewsOrderBy | Unset = '-update_date',
    page: int | Unset = 1,
    per_page: int | Unset = 30,

) -> AuthenticationError | Error | GatewayError | InvalidError | ReviewPage | None:
    """ Search reviews

     Returns the reviews that match **all** filters, in pages. Without a filter, these are all reviews in
    the caller's reach, in every state. Two filters on one property (`rating` and `rating__in`,
    `business__in` and `business_city`) must both match.

    **Dates**: the filters compare the update date, or the creation date of a review that was never
    updated. Both bounds are inclusive. Formats: `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM[:SS[.fraction]]`,
    followed by nothing (UTC), `Z`, or an offset `±hh:mm` or `±hhmm`. A blank in the place of the `+` is
    accepted. A day without time means its first second in `update_date__gte` and its last second in
    `update_date__lte`. If the lower bound is after the upper one, the result is empty.

    **Order**: newest first, then by id descending; `order_by=update_date` is exactly the reverse.

    **Roles**: PROVIDER finds the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER find
    those of all businesses of their own organisation.

    Args:
        state (list[SearchReviewsStateItem] | Unset):
        rating_in (list[int] | Unset):
        rating (int | Unset):
        content_isnull (bool | Unset):
        partner_in (list[SearchReviewsPartnerInItem] | Unset):
        update_date_gte (str | Unset):
        update_date_lte (str | Unset):
        business_in (list[str] | Unset):
        business_city (str | Unset):
        order_by (SearchReviewsOrderBy | Unset):  Default: '-update_date'.
        page (int | Unset):  Default: 1.
        per_page (int | Unset):  Default: 30.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | Error | GatewayError | InvalidError | ReviewPage
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
order_by=order_by,
page=page,
per_page=per_page,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    state: list[SearchReviewsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[SearchReviewsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    order_by: SearchReviewsOrderBy | Unset = '-update_date',
    page: int | Unset = 1,
    per_page: int | Unset = 30,

) -> Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewPage]:
    """ Search reviews

     Returns the reviews that match **all** filters, in pages. Without a filter, these are all reviews in
    the caller's reach, in every state. Two filters on one property (`rating` and `rating__in`,
    `business__in` and `business_city`) must both match.

    **Dates**: the filters compare the update date, or the creation date of a review that was never
    updated. Both bounds are inclusive. Formats: `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM[:SS[.fraction]]`,
    followed by nothing (UTC), `Z`, or an offset `±hh:mm` or `±hhmm`. A blank in the place of the `+` is
    accepted. A day without time means its first second in `update_date__gte` and its last second in
    `update_date__lte`. If the lower bound is after the upper one, the result is empty.

    **Order**: newest first, then by id descending; `order_by=update_date` is exactly the reverse.

    **Roles**: PROVIDER finds the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER find
    those of all businesses of their own organisation.

    Args:
        state (list[SearchReviewsStateItem] | Unset):
        rating_in (list[int] | Unset):
        rating (int | Unset):
        content_isnull (bool | Unset):
        partner_in (list[SearchReviewsPartnerInItem] | Unset):
        update_date_gte (str | Unset):
        update_date_lte (str | Unset):
        business_in (list[str] | Unset):
        business_city (str | Unset):
        order_by (SearchReviewsOrderBy | Unset):  Default: '-update_date'.
        page (int | Unset):  Default: 1.
        per_page (int | Unset):  Default: 30.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | Error | GatewayError | InvalidError | ReviewPage]
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
order_by=order_by,
page=page,
per_page=per_page,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    state: list[SearchReviewsStateItem] | Unset = UNSET,
    rating_in: list[int] | Unset = UNSET,
    rating: int | Unset = UNSET,
    content_isnull: bool | Unset = UNSET,
    partner_in: list[SearchReviewsPartnerInItem] | Unset = UNSET,
    update_date_gte: str | Unset = UNSET,
    update_date_lte: str | Unset = UNSET,
    business_in: list[str] | Unset = UNSET,
    business_city: str | Unset = UNSET,
    order_by: SearchReviewsOrderBy | Unset = '-update_date',
    page: int | Unset = 1,
    per_page: int | Unset = 30,

) -> AuthenticationError | Error | GatewayError | InvalidError | ReviewPage | None:
    """ Search reviews

     Returns the reviews that match **all** filters, in pages. Without a filter, these are all reviews in
    the caller's reach, in every state. Two filters on one property (`rating` and `rating__in`,
    `business__in` and `business_city`) must both match.

    **Dates**: the filters compare the update date, or the creation date of a review that was never
    updated. Both bounds are inclusive. Formats: `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM[:SS[.fraction]]`,
    followed by nothing (UTC), `Z`, or an offset `±hh:mm` or `±hhmm`. A blank in the place of the `+` is
    accepted. A day without time means its first second in `update_date__gte` and its last second in
    `update_date__lte`. If the lower bound is after the upper one, the result is empty.

    **Order**: newest first, then by id descending; `order_by=update_date` is exactly the reverse.

    **Roles**: PROVIDER finds the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER find
    those of all businesses of their own organisation.

    Args:
        state (list[SearchReviewsStateItem] | Unset):
        rating_in (list[int] | Unset):
        rating (int | Unset):
        content_isnull (bool | Unset):
        partner_in (list[SearchReviewsPartnerInItem] | Unset):
        update_date_gte (str | Unset):
        update_date_lte (str | Unset):
        business_in (list[str] | Unset):
        business_city (str | Unset):
        order_by (SearchReviewsOrderBy | Unset):  Default: '-update_date'.
        page (int | Unset):  Default: 1.
        per_page (int | Unset):  Default: 30.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | Error | GatewayError | InvalidError | ReviewPage
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
order_by=order_by,
page=page,
per_page=per_page,

    )).parsed
