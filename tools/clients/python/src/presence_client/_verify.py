"""Verification of the messages of webhooks: Standard Webhooks 1.0.0."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Sequence
from typing import Protocol

from ._errors import PresenceError
from .generated.models import Event

TOLERANCE = 300.0
"""Greatest difference between the time of a message and now, in seconds."""


class WebhookVerificationError(PresenceError):
    """Message that is not genuine, or too old: answer it with 400 or 401, and do not read it."""


class WebhookHeaders(Protocol):
    """Headers of a request, in whatever case: those of most frameworks, and of http.server."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Return names and values."""


def verify_webhook(
    headers: WebhookHeaders,
    body: bytes | str,
    secret: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> Event:
    """Return the event of a webhook's message. Raise a WebhookVerificationError if no secret signed it within the last minutes.

    `body` is the body as it came, not JSON that was parsed and written again. While a secret is replaced, pass both. `now` is
    the present time in seconds since 1970, by default that of this machine.
    """
    keys = [_key(each) for each in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError("there is no secret")
    content = body.encode() if isinstance(body, str) else body
    found = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = found.get("webhook-id", ""), found.get("webhook-timestamp", "")
    if not (message_id and timestamp and found.get("webhook-signature")):
        raise WebhookVerificationError("a header of the signature is missing")
    is_number = timestamp.isascii() and timestamp.isdigit()
    if not is_number or abs(int(time.time() if now is None else now) - int(timestamp[:16])) > tolerance:
        raise WebhookVerificationError("the timestamp is too far from now, or none")
    signed = f"{message_id}.{timestamp}.".encode() + content
    expected = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    given = [each.encode() for each in found["webhook-signature"].split()]
    if not any(hmac.compare_digest(one, other) for one in given for other in expected):
        raise WebhookVerificationError("no signature is that of the secret")
    return _event(message_id, content)


def _key(secret: str) -> bytes:
    """Return the key of a secret, which is base64 after `whsec_`."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("a secret is whsec_ and base64")
    return key


def _event(message_id: str, body: bytes) -> Event:
    """Return the event in the form of the feed: `timestamp` is its `at` there."""
    try:
        document = json.loads(body)
        return Event.from_dict(
            {"id": message_id, "at": document["timestamp"], "type": document["type"], "data": document["data"]}
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise WebhookVerificationError("the body is no event") from error
