"""Way of a request: headers, repetition, errors."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import httpx

from ._errors import REDIRECT, ApiError, NetworkError, error_of
from ._retry import Retry

IDEMPOTENCY_KEY = "idempotency-key"
CLIENT_REQUEST_ID = "x-client-request-id"

_headers: ContextVar[Mapping[str, str]] = ContextVar("headers")


@contextmanager
def call_headers(headers: Mapping[str, str]) -> Iterator[None]:
    """Send headers with the call that is made meanwhile: the generated functions take none."""
    token = _headers.set(headers)
    try:
        yield
    finally:
        _headers.reset(token)


class Transport(httpx.BaseTransport):
    """Transport that repeats a request within bounds, and raises an error for every answer but 2xx."""

    def __init__(self, api_key: str, retry: Retry, inner: httpx.BaseTransport) -> None:
        """Take the key, the rules of repetition, and the transport that sends."""
        self._api_key = api_key
        self._retry = retry
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request until it is answered or the bounds are reached."""
        request.headers.update(_headers.get({}))
        request.headers["x-api-key"] = self._api_key
        repeatable = request.method in ("GET", "HEAD") or IDEMPOTENCY_KEY in request.headers
        retries = 0
        while True:
            answer = self._attempt(request, retries + 1)
            if isinstance(answer, httpx.Response):
                return answer
            status, retry_after = (answer.status, answer.retry_after) if isinstance(answer, ApiError) else (None, None)
            pause = self._retry.pause_after(status, retry_after, retries, repeatable=repeatable)
            if pause is None:
                raise answer
            self._retry.sleep(pause)
            retries += 1

    def _attempt(self, request: httpx.Request, attempts: int) -> httpx.Response | ApiError | NetworkError:
        try:
            response = self._inner.handle_request(request)
            body = response.read()
        except httpx.TransportError as error:
            # The request of the cause holds the key, so that the cause stays behind. A ProtocolError may quote a header.
            text = "" if isinstance(error, httpx.ProtocolError) else str(error)
            return NetworkError(attempts, f"{type(error).__name__} {text}".rstrip())
        return response if response.status_code < REDIRECT else error_of(response.status_code, response.headers, body)

    def close(self) -> None:
        """Close all connections."""
        self._inner.close()
