from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.authentication_error import AuthenticationError
from ...models.authorization_error import AuthorizationError
from ...models.error import Error
from ...models.invalid_error import InvalidError
from ...models.success import Success
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    user_id: str,
    *,
    idempotency_key: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key



    

    

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v2/user/{user_id}/invite".format(user_id=quote(str(user_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> AuthenticationError | AuthorizationError | Error | InvalidError | Success | None:
    if response.status_code == 200:
        response_200 = Success.from_dict(response.json())



        return response_200

    if response.status_code == 400:
        response_400 = InvalidError.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = AuthenticationError.from_dict(response.json())



        return response_401

    if response.status_code == 403:
        response_403 = AuthorizationError.from_dict(response.json())



        return response_403

    if response.status_code == 404:
        response_404 = Error.from_dict(response.json())



        return response_404

    if response.status_code == 409:
        response_409 = Error.from_dict(response.json())



        return response_409

    if response.status_code == 413:
        response_413 = Error.from_dict(response.json())



        return response_413

    if response.status_code == 422:
        response_422 = Error.from_dict(response.json())



        return response_422

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    user_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,

) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]:
    """ Invite a user again

     Sends a new invitation to an `invited` user, at most once in 5 minutes. Invitations of other
    operations count, too. Of several concurrent requests, exactly one succeeds. The new link replaces
    the old one once it is sent. The operation needs no body.

    **Roles**: PROVIDER invites anyone; ORG_ADMIN the users of its organisation except a PROVIDER;
    BUSINESS_MANAGER nobody.

    Args:
        user_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]
     """


    kwargs = _get_kwargs(
        user_id=user_id,
idempotency_key=idempotency_key,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    user_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,

) -> AuthenticationError | AuthorizationError | Error | InvalidError | Success | None:
    """ Invite a user again

     Sends a new invitation to an `invited` user, at most once in 5 minutes. Invitations of other
    operations count, too. Of several concurrent requests, exactly one succeeds. The new link replaces
    the old one once it is sent. The operation needs no body.

    **Roles**: PROVIDER invites anyone; ORG_ADMIN the users of its organisation except a PROVIDER;
    BUSINESS_MANAGER nobody.

    Args:
        user_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | AuthorizationError | Error | InvalidError | Success
     """


    return sync_detailed(
        user_id=user_id,
client=client,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    user_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,

) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]:
    """ Invite a user again

     Sends a new invitation to an `invited` user, at most once in 5 minutes. Invitations of other
    operations count, too. Of several concurrent requests, exactly one succeeds. The new link replaces
    the old one once it is sent. The operation needs no body.

    **Roles**: PROVIDER invites anyone; ORG_ADMIN the users of its organisation except a PROVIDER;
    BUSINESS_MANAGER nobody.

    Args:
        user_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]
     """


    kwargs = _get_kwargs(
        user_id=user_id,
idempotency_key=idempotency_key,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    user_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,

) -> AuthenticationError | AuthorizationError | Error | InvalidError | Success | None:
    """ Invite a user again

     Sends a new invitation to an `invited` user, at most once in 5 minutes. Invitations of other
    operations count, too. Of several concurrent requests, exactly one succeeds. The new link replaces
    the old one once it is sent. The operation needs no body.

    **Roles**: PROVIDER invites anyone; ORG_ADMIN the users of its organisation except a PROVIDER;
    BUSINESS_MANAGER nobody.

    Args:
        user_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | AuthorizationError | Error | InvalidError | Success
     """


    return (await asyncio_detailed(
        user_id=user_id,
client=client,
idempotency_key=idempotency_key,

    )).parsed
