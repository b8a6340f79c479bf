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
from ...models.user import User
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    display_business_ids: bool | Unset = UNSET,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    params["display_business_ids"] = display_business_ids


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v2/user/me",
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> AuthenticationError | Error | InvalidError | User | None:
    if response.status_code == 200:
        response_200 = User.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[AuthenticationError | Error | InvalidError | User]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    display_business_ids: bool | Unset = UNSET,

) -> Response[AuthenticationError | Error | InvalidError | User]:
    """ Get the calling user

     Returns the user who owns the key, with the same fields as any other user.

    **Roles**: all.

    Args:
        display_business_ids (bool | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | Error | InvalidError | User]
     """


    kwargs = _get_kwargs(
        display_business_ids=display_business_ids,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient | Client,
    display_business_ids: bool | Unset = UNSET,

) -> AuthenticationError | Error | InvalidError | User | None:
    """ Get the calling user

     Returns the user who owns the key, with the same fields as any other user.

    **Roles**: all.

    Args:
        display_business_ids (bool | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | Error | InvalidError | User
     """


    return sync_detailed(
        client=client,
display_business_ids=display_business_ids,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    display_business_ids: bool | Unset = UNSET,

) -> Response[AuthenticationError | Error | InvalidError | User]:
    """ Get the calling user

     Returns the user who owns the key, with the same fields as any other user.

    **Roles**: all.

    Args:
        display_business_ids (bool | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | Error | InvalidError | User]
     """


    kwargs = _get_kwargs(
        display_business_ids=display_business_ids,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    display_business_ids: bool | Unset = UNSET,

) -> AuthenticationError | Error | InvalidError | User | None:
    """ Get the calling user

     Returns the user who owns the key, with the same fields as any other user.

    **Roles**: all.

    Args:
        display_business_ids (bool | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | Error | InvalidError | User
     """


    return (await asyncio_detailed(
        client=client,
display_business_ids=display_business_ids,

    )).parsed
