"""Parts that all calls share: their headers, request bodies and answers."""

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from traceback import walk_tb
from types import ModuleType
from typing import Literal, TypeVar

from ._errors import PresenceError
from ._transport import CLIENT_REQUEST_ID, IDEMPOTENCY_KEY, call_headers

T = TypeVar("T")
IdempotencyKey = str | Literal[False] | None
"""Key under which a change is made once in 24 hours. None: a new one for each call. False: none is sent."""


def call(client_request_id: str | None) -> AbstractContextManager[None]:
    """Name the call for the log of the service."""
    return call_headers({} if client_request_id is None else {CLIENT_REQUEST_ID: client_request_id})


def change(idempotency_key: IdempotencyKey, client_request_id: str | None) -> AbstractContextManager[None]:
    """Give the call an idempotency key, which all its attempts share."""
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    headers = {} if key is False else {IDEMPOTENCY_KEY: key}
    return call_headers(headers if client_request_id is None else {**headers, CLIENT_REQUEST_ID: client_request_id})


def require(kind: type, body: object) -> None:
    """Raise a TypeError for a request body that is not of its class, such as a dict: nothing is sent."""
    if not isinstance(body, kind):
        raise TypeError(f"pass {kind.__name__}(...), not a {type(body).__name__}")


def check(operation: ModuleType, **parameters: object) -> None:
    """Raise a TypeError for a parameter that the generated operation does not have, or cannot write: nothing is sent."""
    operation._get_kwargs(**parameters)  # noqa: SLF001 It makes the request that is sent later.


def expect(kind: type[T] | tuple[type[T], ...], call: Callable[[], object]) -> T:
    """Return the body of an answer. The transport raises an error for all answers but 2xx."""
    names = " or ".join(each.__name__ for each in (kind if isinstance(kind, tuple) else (kind,)))
    try:
        found = call()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if not _is_of_answer(error):
            raise
        raise PresenceError(f"the answer is no {names}") from error
    if isinstance(found, kind):
        return found
    raise PresenceError(f"the answer is no {names}")


def _is_of_answer(error: Exception) -> bool:
    """Return True if a generated operation raised the error while it read the answer, not before it sent the request."""
    return any(frame.f_code.co_name == "_build_response" for frame, _ in walk_tb(error.__traceback__))
