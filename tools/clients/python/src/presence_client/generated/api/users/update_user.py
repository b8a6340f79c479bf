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
from ...models.user_change import UserChange
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    user_id: str,
    *,
    body: UserChange,
    idempotency_key: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key



    

    

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v2/user/{user_id}".format(user_id=quote(str(user_id), safe=""),),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

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

    if response.status_code == 415:
        response_415 = Error.from_dict(response.json())



        return response_415

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
    body: UserChange,
    idempotency_key: str | Unset = UNSET,

) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]:
    """ Update a user

     Changes the given fields only. A body that changes nothing succeeds. All changes take effect
    together, or none does.

    **Status**: a change from `active` to `invited` deletes the password, revokes the keys for good and
    sends an invitation, at the earliest 5 minutes after the last one. A change from `invited` to
    `active` needs a `password` unless the user has one, and invalidates the pending link. The present
    status again has no effect.

    **Roles**: PROVIDER updates everyone; ORG_ADMIN the users of its organisation except a PROVIDER;
    BUSINESS_MANAGER only itself, and only the fields `first_name`, `last_name`, `phone`, `lang`,
    `email` and `password`. Nobody changes their own `role`, `status`, `org_id` or `business_ids`, and
    nobody grants a role above their own. Only a PROVIDER moves users to another organisation. A field
    with its present value is not a change, so it is never 403. Only a PROVIDER can demote or disable
    the last active ORG_ADMIN of an organisation.

    Args:
        user_id (str):
        idempotency_key (str | Unset):
        body (UserChange): Changes of a user. A field that is left out stays as it is. Unknown
            fields are refused.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]
     """


    kwargs = _get_kwargs(
        user_id=user_id,
body=body,
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
    body: UserChange,
    idempotency_key: str | Unset = UNSET,

) -> AuthenticationError | AuthorizationError | Error | InvalidError | Success | None:
    """ Update a user

     Changes the given fields only. A body that changes nothing succeeds. All changes take effect
    together, or none does.

    **Status**: a change from `active` to `invited` deletes the password, revokes the keys for good and
    sends an invitation, at the earliest 5 minutes after the last one. A change from `invited` to
    `active` needs a `password` unless the user has one, and invalidates the pending link. The present
    status again has no effect.

    **Roles**: PROVIDER updates everyone; ORG_ADMIN the users of its organisation except a PROVIDER;
    BUSINESS_MANAGER only itself, and only the fields `first_name`, `last_name`, `phone`, `lang`,
    `email` and `password`. Nobody changes their own `role`, `status`, `org_id` or `business_ids`, and
    nobody grants a role above their own. Only a PROVIDER moves users to another organisation. A field
    with its present value is not a change, so it is never 403. Only a PROVIDER can demote or disable
    the last active ORG_ADMIN of an organisation.

    Args:
        user_id (str):
        idempotency_key (str | Unset):
        body (UserChange): Changes of a user. A field that is left out stays as it is. Unknown
            fields are refused.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | AuthorizationError | Error | InvalidError | Success
     """


    return sync_detailed(
        user_id=user_id,
client=client,
body=body,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    user_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: UserChange,
    idempotency_key: str | Unset = UNSET,

) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]:
    """ Update a user

     Changes the given fields only. A body that changes nothing succeeds. All changes take effect
    together, or none does.

    **Status**: a change from `active` to `invited` deletes the password, revokes the keys for good and
    sends an invitation, at the earliest 5 minutes after the last one. A change from `invited` to
    `active` needs a `password` unless the user has one, and invalidates the pending link. The present
    status again has no effect.

    **Roles**: PROVIDER updates everyone; ORG_ADMIN the users of its organisation except a PROVIDER;
    BUSINESS_MANAGER only itself, and only the fields `first_name`, `last_name`, `phone`, `lang`,
    `email` and `password`. Nobody changes their own `role`, `status`, `org_id` or `business_ids`, and
    nobody grants a role above their own. Only a PROVIDER moves users to another organisation. A field
    with its present value is not a change, so it is never 403. Only a PROVIDER can demote or disable
    the last active ORG_ADMIN of an organisation.

    Args:
        user_id (str):
        idempotency_key (str | Unset):
        body (UserChange): Changes of a user. A field that is left out stays as it is. Unknown
            fields are refused.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]
     """


    kwargs = _get_kwargs(
        user_id=user_id,
body=body,
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
    body: UserChange,
    idempotency_key: str | Unset = UNSET,

) -> AuthenticationError | AuthorizationError | Error | InvalidError | Success | None:
    """ Update a user

     Changes the given fields only. A body that changes nothing succeeds. All changes take effect
    together, or none does.

    **Status**: a change from `active` to `invited` deletes the password, revokes the keys for good and
    sends an invitation, at the earliest 5 minutes after the last one. A change from `invited` to
    `active` needs a `password` unless the user has one, and invalidates the pending link. The present
    status again has no effect.

    **Roles**: PROVIDER updates everyone; ORG_ADMIN the users of its organisation except a PROVIDER;
    BUSINESS_MANAGER only itself, and only the fields `first_name`, `last_name`, `phone`, `lang`,
    `email` and `password`. Nobody changes their own `role`, `status`, `org_id` or `business_ids`, and
    nobody grants a role above their own. Only a PROVIDER moves users to another organisation. A field
    with its present value is not a change, so it is never 403. Only a PROVIDER can demote or disable
    the last active ORG_ADMIN of an organisation.

    Args:
        user_id (str):
        idempotency_key (str | Unset):
        body (UserChange): Changes of a user. A field that is left out stays as it is. Unknown
            fields are refused.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | AuthorizationError | Error | InvalidError | Success
     """


    return (await asyncio_detailed(
        user_id=user_id,
client=client,
body=body,
idempotency_key=idempotency_key,

    )).parsed
