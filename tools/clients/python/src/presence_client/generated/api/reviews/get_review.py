from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.authentication_error import AuthenticationError
from ...models.error import Error
from ...models.invalid_error import InvalidError
from ...models.review import Review
from typing import cast



def _get_kwargs(
    review_id: str,

) -> dict[str, Any]:
    

    

    

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v2/reviews/{review_id}".format(review_id=quote(str(review_id), safe=""),),
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> AuthenticationError | Error | InvalidError | Review | None:
    if response.status_code == 200:
        response_200 = Review.from_dict(response.json())



        return response_200

    if response.status_code == 400:
        response_400 = InvalidError.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = AuthenticationError.from_dict(response.json())



        return response_401

    if response.status_code == 404:
        response_404 = Error.from_dict(response.json())



        return response_404

    if response.status_code == 413:
        response_413 = Error.from_dict(response.json())



        return response_413

    if response.status_code == 429:
        response_429 = Error.from_dict(response.json())



        return response_429

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[AuthenticationError | Error | InvalidError | Review]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    review_id: str,
    *,
    client: AuthenticatedClient | Client,

) -> Response[AuthenticationError | Error | InvalidError | Review]:
    """ Get one review

     Returns one review, by id, as the search shows it.

    **Roles**: PROVIDER reads the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER read
    those of all businesses of their own organisation. A review of another organisation is answered like
    an unknown one.

    Args:
        review_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | Error | InvalidError | Review]
     """


    kwargs = _get_kwargs(
        review_id=review_id,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    review_id: str,
    *,
    client: AuthenticatedClient | Client,

) -> AuthenticationError | Error | InvalidError | Review | None:
    """ Get one review

     Returns one review, by id, as the search shows it.

    **Roles**: PROVIDER reads the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER read
    those of all businesses of their own organisation. A review of another organisation is answered like
    an unknown one.

    Args:
        review_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | Error | InvalidError | Review
     """


    return sync_detailed(
        review_id=review_id,
client=client,

    ).parsed

async def asyncio_detailed(
    review_id: str,
    *,
    client: AuthenticatedClient | Client,

) -> Response[AuthenticationError | Error | InvalidError | Review]:
    """ Get one review

     Returns one review, by id, as the search shows it.

    **Roles**: PROVIDER reads the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER read
    those of all businesses of their own organisation. A review of another organisation is answered like
    an unknown one.

    Args:
        review_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | Error | InvalidError | Review]
     """


    kwargs = _get_kwargs(
        review_id=review_id,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    review_id: str,
    *,
    client: AuthenticatedClient | Client,

) -> AuthenticationError | Error | InvalidError | Review | None:
    """ Get one review

     Returns one review, by id, as the search shows it.

    **Roles**: PROVIDER reads the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER read
    those of all businesses of their own organisation. A review of another organisation is answered like
    an unknown one.

    Args:
        review_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | Error | InvalidError | Review
     """


    return (await asyncio_detailed(
        review_id=review_id,
client=client,

    )).parsed
