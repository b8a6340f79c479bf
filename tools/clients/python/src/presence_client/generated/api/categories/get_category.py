from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.authentication_error import AuthenticationError
from ...models.category import Category
from ...models.error import Error
from ...models.invalid_error import InvalidError
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    category_id: str,
    *,
    lang: str,
    if_none_match: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match



    

    params: dict[str, Any] = {}

    params["lang"] = lang


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v2/category/{category_id}".format(category_id=quote(str(category_id), safe=""),),
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | AuthenticationError | Category | Error | InvalidError | None:
    if response.status_code == 200:
        response_200 = Category.from_dict(response.json())



        return response_200

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | AuthenticationError | Category | Error | InvalidError]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    category_id: str,
    *,
    client: AuthenticatedClient | Client,
    lang: str,
    if_none_match: str | Unset = UNSET,

) -> Response[Any | AuthenticationError | Category | Error | InvalidError]:
    """ Get one category

     One category, by id, in one language.

    **Roles**: all.

    Args:
        category_id (str):
        lang (str):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | AuthenticationError | Category | Error | InvalidError]
     """


    kwargs = _get_kwargs(
        category_id=category_id,
lang=lang,
if_none_match=if_none_match,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    category_id: str,
    *,
    client: AuthenticatedClient | Client,
    lang: str,
    if_none_match: str | Unset = UNSET,

) -> Any | AuthenticationError | Category | Error | InvalidError | None:
    """ Get one category

     One category, by id, in one language.

    **Roles**: all.

    Args:
        category_id (str):
        lang (str):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | AuthenticationError | Category | Error | InvalidError
     """


    return sync_detailed(
        category_id=category_id,
client=client,
lang=lang,
if_none_match=if_none_match,

    ).parsed

async def asyncio_detailed(
    category_id: str,
    *,
    client: AuthenticatedClient | Client,
    lang: str,
    if_none_match: str | Unset = UNSET,

) -> Response[Any | AuthenticationError | Category | Error | InvalidError]:
    """ Get one category

     One category, by id, in one language.

    **Roles**: all.

    Args:
        category_id (str):
        lang (str):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | AuthenticationError | Category | Error | InvalidError]
     """


    kwargs = _get_kwargs(
        category_id=category_id,
lang=lang,
if_none_match=if_none_match,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    category_id: str,
    *,
    client: AuthenticatedClient | Client,
    lang: str,
    if_none_match: str | Unset = UNSET,

) -> Any | AuthenticationError | Category | Error | InvalidError | None:
    """ Get one category

     One category, by id, in one language.

    **Roles**: all.

    Args:
        category_id (str):
        lang (str):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | AuthenticationError | Category | Error | InvalidError
     """


    return (await asyncio_detailed(
        category_id=category_id,
client=client,
lang=lang,
if_none_match=if_none_match,

    )).parsed
