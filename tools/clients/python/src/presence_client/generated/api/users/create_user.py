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
from ...models.user_creation import UserCreation
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: UserCreation,
    idempotency_key: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key



    

    

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v2/user",
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
    *,
    client: AuthenticatedClient | Client,
    body: UserCreation,
    idempotency_key: str | Unset = UNSET,

) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]:
    """ Create a user

     Creates an `active` or an `invited` user. An invited user gets a mail with a link to a page where
    they choose a password, which makes them active. The link is valid for 72 hours and works once.

    | `status` | `send_invitation` | the user is | mail |
    |---|---|---|---|
    | left out | left out or false | active | no |
    | left out | true | invited | yes |
    | `invited` | left out or true | invited | yes |
    | `invited` | false | invited, until a later invite | no |
    | `active` | left out or false | active | no |
    | `active` | true | active | yes: the link lets the person choose a password |

    The mail is sent soon after the response, and is never lost. A user is sent at most one mail in 5
    minutes.

    **Roles**: PROVIDER creates users of any organisation and any role; ORG_ADMIN of its own
    organisation, with the roles ORG_ADMIN and BUSINESS_MANAGER; BUSINESS_MANAGER none.

    Args:
        idempotency_key (str | Unset):
        body (UserCreation): User to create. Unknown fields are refused.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]
     """


    kwargs = _get_kwargs(
        body=body,
idempotency_key=idempotency_key,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient | Client,
    body: UserCreation,
    idempotency_key: str | Unset = UNSET,

) -> AuthenticationError | AuthorizationError | Error | InvalidError | Success | None:
    """ Create a user

     Creates an `active` or an `invited` user. An invited user gets a mail with a link to a page where
    they choose a password, which makes them active. The link is valid for 72 hours and works once.

    | `status` | `send_invitation` | the user is | mail |
    |---|---|---|---|
    | left out | left out or false | active | no |
    | left out | true | invited | yes |
    | `invited` | left out or true | invited | yes |
    | `invited` | false | invited, until a later invite | no |
    | `active` | left out or false | active | no |
    | `active` | true | active | yes: the link lets the person choose a password |

    The mail is sent soon after the response, and is never lost. A user is sent at most one mail in 5
    minutes.

    **Roles**: PROVIDER creates users of any organisation and any role; ORG_ADMIN of its own
    organisation, with the roles ORG_ADMIN and BUSINESS_MANAGER; BUSINESS_MANAGER none.

    Args:
        idempotency_key (str | Unset):
        body (UserCreation): User to create. Unknown fields are refused.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | AuthorizationError | Error | InvalidError | Success
     """


    return sync_detailed(
        client=client,
body=body,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: UserCreation,
    idempotency_key: str | Unset = UNSET,

) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]:
    """ Create a user

     Creates an `active` or an `invited` user. An invited user gets a mail with a link to a page where
    they choose a password, which makes them active. The link is valid for 72 hours and works once.

    | `status` | `send_invitation` | the user is | mail |
    |---|---|---|---|
    | left out | left out or false | active | no |
    | left out | true | invited | yes |
    | `invited` | left out or true | invited | yes |
    | `invited` | false | invited, until a later invite | no |
    | `active` | left out or false | active | no |
    | `active` | true | active | yes: the link lets the person choose a password |

    The mail is sent soon after the response, and is never lost. A user is sent at most one mail in 5
    minutes.

    **Roles**: PROVIDER creates users of any organisation and any role; ORG_ADMIN of its own
    organisation, with the roles ORG_ADMIN and BUSINESS_MANAGER; BUSINESS_MANAGER none.

    Args:
        idempotency_key (str | Unset):
        body (UserCreation): User to create. Unknown fields are refused.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | AuthorizationError | Error | InvalidError | Success]
     """


    kwargs = _get_kwargs(
        body=body,
idempotency_key=idempotency_key,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body: UserCreation,
    idempotency_key: str | Unset = UNSET,

) -> AuthenticationError | AuthorizationError | Error | InvalidError | Success | None:
    """ Create a user

     Creates an `active` or an `invited` user. An invited user gets a mail with a link to a page where
    they choose a password, which makes them active. The link is valid for 72 hours and works once.

    | `status` | `send_invitation` | the user is | mail |
    |---|---|---|---|
    | left out | left out or false | active | no |
    | left out | true | invited | yes |
    | `invited` | left out or true | invited | yes |
    | `invited` | false | invited, until a later invite | no |
    | `active` | left out or false | active | no |
    | `active` | true | active | yes: the link lets the person choose a password |

    The mail is sent soon after the response, and is never lost. A user is sent at most one mail in 5
    minutes.

    **Roles**: PROVIDER creates users of any organisation and any role; ORG_ADMIN of its own
    organisation, with the roles ORG_ADMIN and BUSINESS_MANAGER; BUSINESS_MANAGER none.

    Args:
        idempotency_key (str | Unset):
        body (UserCreation): User to create. Unknown fields are refused.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | AuthorizationError | Error | InvalidError | Success
     """


    return (await asyncio_detailed(
        client=client,
body=body,
idempotency_key=idempotency_key,

    )).parsed
