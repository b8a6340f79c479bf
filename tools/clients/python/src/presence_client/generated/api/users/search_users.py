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
from ...models.search_users_status import check_search_users_status
from ...models.search_users_status import SearchUsersStatus
from ...models.user_page import UserPage
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    org_id: int | Unset = UNSET,
    last_name: str | Unset = UNSET,
    email: str | Unset = UNSET,
    status: SearchUsersStatus | Unset = UNSET,
    query: str | Unset = UNSET,
    page: int | Unset = 1,
    per_page: int | Unset = 30,
    display_business_ids: bool | Unset = UNSET,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    params["org_id"] = org_id

    params["last_name"] = last_name

    params["email"] = email

    json_status: str | Unset = UNSET
    if not isinstance(status, Unset):
        json_status = status

    params["status"] = json_status

    params["query"] = query

    params["page"] = page

    params["per_page"] = per_page

    params["display_business_ids"] = display_business_ids


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v2/user/search",
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> AuthenticationError | AuthorizationError | Error | InvalidError | UserPage | None:
    if response.status_code == 200:
        response_200 = UserPage.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | UserPage]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    org_id: int | Unset = UNSET,
    last_name: str | Unset = UNSET,
    email: str | Unset = UNSET,
    status: SearchUsersStatus | Unset = UNSET,
    query: str | Unset = UNSET,
    page: int | Unset = 1,
    per_page: int | Unset = 30,
    display_business_ids: bool | Unset = UNSET,

) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | UserPage]:
    """ Search users

     Returns the users who match **all** filters, in pages. Without a filter, these are all users in the
    caller's reach.

    **Order**: with `query` the best match first; then last name, first name, id. For a PROVIDER without
    `org_id`, the organisation comes before all of these, and users without one come first.

    The results do not have `role`, `org_id` and `lang`: get one user to read them.

    **Roles**: PROVIDER finds the users of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those
    of their own.

    Args:
        org_id (int | Unset):
        last_name (str | Unset):
        email (str | Unset):
        status (SearchUsersStatus | Unset):
        query (str | Unset):
        page (int | Unset):  Default: 1.
        per_page (int | Unset):  Default: 30.
        display_business_ids (bool | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | AuthorizationError | Error | InvalidError | UserPage]
     """


    kwargs = _get_kwargs(
        org_id=org_id,
last_name=last_name,
email=email,
status=status,
query=query,
page=page,
per_page=per_page,
display_business_ids=display_business_ids,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient | Client,
    org_id: int | Unset = UNSET,
    last_name: str | Unset = UNSET,
    email: str | Unset = UNSET,
    status: SearchUsersStatus | Unset = UNSET,
    query: str | Unset = UNSET,
    page: int | Unset = 1,
    per_page: int | Unset = 30,
    display_business_ids: bool | Unset = UNSET,

) -> AuthenticationError | AuthorizationError | Error | InvalidError | UserPage | None:
    """ Search users

     Returns the users who match **all** filters, in pages. Without a filter, these are all users in the
    caller's reach.

    **Order**: with `query` the best match first; then last name, first name, id. For a PROVIDER without
    `org_id`, the organisation comes before all of these, and users without one come first.

    The results do not have `role`, `org_id` and `lang`: get one user to read them.

    **Roles**: PROVIDER finds the users of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those
    of their own.

    Args:
        org_id (int | Unset):
        last_name (str | Unset):
        email (str | Unset):
        status (SearchUsersStatus | Unset):
        query (str | Unset):
        page (int | Unset):  Default: 1.
        per_page (int | Unset):  Default: 30.
        display_business_ids (bool | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | AuthorizationError | Error | InvalidError | UserPage
     """


    return sync_detailed(
        client=client,
org_id=org_id,
last_name=last_name,
email=email,
status=status,
query=query,
page=page,
per_page=per_page,
display_business_ids=display_business_ids,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    org_id: int | Unset = UNSET,
    last_name: str | Unset = UNSET,
    email: str | Unset = UNSET,
    status: SearchUsersStatus | Unset = UNSET,
    query: str | Unset = UNSET,
    page: int | Unset = 1,
    per_page: int | Unset = 30,
    display_business_ids: bool | Unset = UNSET,

) -> Response[AuthenticationError | AuthorizationError | Error | InvalidError | UserPage]:
    """ Search users

     Returns the users who match **all** filters, in pages. Without a filter, these are all users in the
    caller's reach.

    **Order**: with `query` the best match first; then last name, first name, id. For a PROVIDER without
    `org_id`, the organisation comes before all of these, and users without one come first.

    The results do not have `role`, `org_id` and `lang`: get one user to read them.

    **Roles**: PROVIDER finds the users of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those
    of their own.

    Args:
        org_id (int | Unset):
        last_name (str | Unset):
        email (str | Unset):
        status (SearchUsersStatus | Unset):
        query (str | Unset):
        page (int | Unset):  Default: 1.
        per_page (int | Unset):  Default: 30.
        display_business_ids (bool | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[AuthenticationError | AuthorizationError | Error | InvalidError | UserPage]
     """


    kwargs = _get_kwargs(
        org_id=org_id,
last_name=last_name,
email=email,
status=status,
query=query,
page=page,
per_page=per_page,
display_business_ids=display_business_ids,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    org_id: int | Unset = UNSET,
    last_name: str | Unset = UNSET,
    email: str | Unset = UNSET,
    status: SearchUsersStatus | Unset = UNSET,
    query: str | Unset = UNSET,
    page: int | Unset = 1,
    per_page: int | Unset = 30,
    display_business_ids: bool | Unset = UNSET,

) -> AuthenticationError | AuthorizationError | Error | InvalidError | UserPage | None:
    """ Search users

     Returns the users who match **all** filters, in pages. Without a filter, these are all users in the
    caller's reach.

    **Order**: with `query` the best match first; then last name, first name, id. For a PROVIDER without
    `org_id`, the organisation comes before all of these, and users without one come first.

    The results do not have `role`, `org_id` and `lang`: get one user to read them.

    **Roles**: PROVIDER finds the users of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those
    of their own.

    Args:
        org_id (int | Unset):
        last_name (str | Unset):
        email (str | Unset):
        status (SearchUsersStatus | Unset):
        query (str | Unset):
        page (int | Unset):  Default: 1.
        per_page (int | Unset):  Default: 30.
        display_business_ids (bool | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        AuthenticationError | AuthorizationError | Error | InvalidError | UserPage
     """


    return (await asyncio_detailed(
        client=client,
org_id=org_id,
last_name=last_name,
email=email,
status=status,
query=query,
page=page,
per_page=per_page,
display_business_ids=display_business_ids,

    )).parsed
