"""Errors of the client. None of them holds the API key."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

REDIRECT = 300
SERVER = 500


@dataclass(frozen=True)
class FieldError:
    """Error of one field or parameter."""

    message: str
    """Text for a developer."""
    choices: tuple[str, ...] = ()
    """Allowed values, where there is a fixed set."""

    def __str__(self) -> str:
        """Return the message, with the allowed values."""
        return f"{self.message} ({', '.join(self.choices)})" if self.choices else self.message


class PresenceError(Exception):
    """Base of all errors of this package."""


class NetworkError(PresenceError):
    """No answer: the connection failed or the time was over, in each attempt."""

    def __init__(self, attempts: int, reason: str) -> None:
        """Take the number of requests that were sent, and the reason of the last failure."""
        super().__init__(f"no answer after {attempts} attempt(s): {reason}")
        self.attempts = attempts


class ApiError(PresenceError):
    """Answer that refuses a request: its status is 300 or above."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Read the error from an answer."""
        self.status = status
        """HTTP status."""
        self.request_id = headers.get("x-request-id") or headers.get("apigw-requestid")
        """Id under which the service logged the request."""
        self.retry_after = retry_after(headers.get("retry-after"), datetime.now(UTC))
        """Seconds after which the service asks to try again."""
        self.message, self.fields = read_envelope(body)
        request = f" (request {self.request_id})" if self.request_id else ""
        super().__init__(f"{status}: {self.message}{request}")


class InvalidRequestError(ApiError):
    """400, 413, 415, 422, 431: the request is not valid. `fields` names what is wrong."""


class AuthenticationError(ApiError):
    """401: the key gives no access."""


class AuthorizationError(ApiError):
    """403: the caller may not do this."""


class NotFoundError(ApiError):
    """404: the id is unknown, malformed, or of another organisation."""


class ConflictError(ApiError):
    """409: other changes came first, or the same call is under way."""


class GoneError(ApiError):
    """410: the cursor is no longer kept, or was never given."""

    @property
    def oldest(self) -> str | None:
        """Cursor before the oldest event that is kept: what was before it is lost to this reader."""
        found = re.search(r"after the cursor (\S+)", self.message)
        return found and found[1]


class TooManyRequestsError(ApiError):
    """429: too many requests, or an invitation too soon. `retry_after` says when to try again."""


class ServiceError(ApiError):
    """5xx: the service or one that it depends on failed."""


KINDS: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: AuthorizationError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: TooManyRequestsError,
    431: InvalidRequestError,
}


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """Return the error for an answer, of the class that fits its status."""
    kind = ServiceError if status >= SERVER else KINDS.get(status, ApiError)
    return kind(status, headers, body)


def read_envelope(body: bytes) -> tuple[str, dict[str, FieldError]]:
    """Return the message and the errors of fields of a body. A body of the gateway, or of a proxy, has neither."""
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    errors = _member(document, "errors")
    for subject in ("authentication", "authorization", "json"):
        found = _member(errors, subject)
        if isinstance(found, str):
            return found, {}
        if isinstance(found, dict):
            fields = {str(name): _field(problem) for name, problem in found.items()}
            return "; ".join(f"{name} {field}" for name, field in fields.items()), fields
    plain = _member(document, "message")
    return plain if isinstance(plain, str) else "no explanation", {}


def _field(problem: object) -> FieldError:
    if isinstance(problem, str):
        return FieldError(problem)
    choices = _member(problem, "choices")
    allowed = tuple(str(choice) for choice in choices) if isinstance(choices, list) else ()
    return FieldError(str(_member(problem, "explanation")), allowed)


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def retry_after(header: str | None, now: datetime) -> float | None:
    """Return the seconds that a `Retry-After` header asks for: it holds seconds or a date."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
