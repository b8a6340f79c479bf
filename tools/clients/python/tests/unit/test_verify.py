from datetime import UTC, datetime
from email.message import Message

import pytest
from standardwebhooks import Webhook

from presence_client import WebhookHeaders, WebhookVerificationError, verify_webhook

SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
OTHER = "whsec_HxweHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgE="
SECOND = 1_772_366_402
AT = "2026-03-01T12:00:00.123Z"
BODY = f'{{"type":"review.updated","timestamp":"{AT}","data":{{"id":"Zoé","org_id":42,"at":"{AT}"}}}}'


def signed(secret: str = SECRET, body: str = BODY) -> dict[str, str]:
    """Return the headers of a message as the public package signs it."""
    signature = Webhook(secret).sign("evt_1", datetime.fromtimestamp(SECOND, UTC), body)
    return {"webhook-id": "evt_1", "webhook-timestamp": str(SECOND), "webhook-signature": signature}


def test_a_message_that_the_public_package_signs_is_its_event_in_whatever_form_it_comes() -> None:
    headers = signed()
    message = Message()
    for name, value in headers.items():
        message[name.title()] = value
    several = headers | {"webhook-signature": f"v1,AAAA v1a,AAAA {headers['webhook-signature']}"}
    forms: list[tuple[WebhookHeaders, str | bytes, str | list[str]]] = [
        (headers, BODY, SECRET),
        (headers, BODY.encode(), SECRET.removeprefix("whsec_")),
        (message, BODY, SECRET),
        ({name.upper(): value for name, value in headers.items()}, BODY, SECRET),
        (several, BODY, SECRET),
        (headers, BODY, [OTHER, SECRET]),
    ]
    for given, body, secret in forms:
        event = verify_webhook(given, body, secret, now=SECOND)
        assert (event.id, event.type_, event.data.id) == ("evt_1", "review.updated", "Zoé")
        assert event.at == datetime.fromisoformat(AT)


def refused(headers: dict[str, str], body: str = BODY, now: float = SECOND) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(headers, body, [SECRET], now=now)


def test_a_message_that_was_changed_is_too_old_or_has_another_secret_is_refused() -> None:
    headers = signed()
    refused(signed(OTHER))
    refused(headers, BODY.replace("Zoé", "Zoe"))
    refused(headers | {"webhook-id": "evt_2"})
    refused(headers | {"webhook-timestamp": str(SECOND + 1)})
    for timestamp in ("", "soon", "1e9", "-1", " 1772366402", "٣", "9" * 5000):
        refused(headers | {"webhook-timestamp": timestamp})
    for name in headers:
        refused({other: value for other, value in headers.items() if other != name})
    refused(headers | {"webhook-signature": headers["webhook-signature"].replace("v1,", "v1a,")})
    for seconds in (-301, 301):
        refused(headers, now=SECOND + seconds)
    for seconds in (-300, 300):
        verify_webhook(headers, BODY, SECRET, now=SECOND + seconds)
    for body in ("", "[]", "null", "{}", '{"type":1}'):
        refused(signed(SECRET, body), body)


def test_a_secret_that_is_none_is_a_mistake_of_the_caller() -> None:
    secrets: list[str | list[str]] = ["", "whsec_", "whsec_é", []]
    for secret in secrets:
        with pytest.raises(ValueError, match="secret"):
            verify_webhook(signed(), BODY, secret, now=SECOND)
