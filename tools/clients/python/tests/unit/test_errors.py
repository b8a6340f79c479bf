import json
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

import presence_client as p
from presence_client._errors import error_of, retry_after


def of(status: int, body: object, **headers: str) -> p.ApiError:
    text = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return error_of(status, {name.replace("_", "-"): value for name, value in headers.items()}, text)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (302, p.ApiError),
        (400, p.InvalidRequestError),
        (401, p.AuthenticationError),
        (403, p.AuthorizationError),
        (404, p.NotFoundError),
        (409, p.ConflictError),
        (410, p.GoneError),
        (413, p.InvalidRequestError),
        (415, p.InvalidRequestError),
        (422, p.InvalidRequestError),
        (429, p.TooManyRequestsError),
        (431, p.InvalidRequestError),
        (500, p.ServiceError),
        (503, p.ServiceError),
    ],
)
def test_each_status_has_its_class(status: int, kind: type[p.ApiError]) -> None:
    assert type(of(status, {})) is kind


def test_the_envelope_gives_message_and_fields() -> None:
    choice = {"explanation": "is unknown", "choices": ["a", "b"]}
    error = of(400, {"errors": {"json": {"email": "is required", "role": choice}}}, x_request_id="r-1")
    assert str(error) == "400: email is required; role is unknown (a, b) (request r-1)"
    assert error.fields == {"email": p.FieldError("is required"), "role": p.FieldError("is unknown", ("a", "b"))}
    assert error.request_id == "r-1"
    assert of(401, {"errors": {"authentication": "no key"}}).message == "no key"
    assert of(403, {"errors": {"authorization": "no right"}}).message == "no right"
    assert of(404, {"errors": {"json": "not found"}}).message == "not found"


def test_a_body_of_a_gateway_or_a_proxy_is_no_envelope() -> None:
    assert of(503, {"message": "Service Unavailable"}).message == "Service Unavailable"
    for body in ("<html>", "", "null", "[]", '{"errors": null}', '{"errors": {"json": null}}'):
        assert of(503, body).message == "no explanation"


def test_retry_after_is_seconds_or_a_date() -> None:
    now = datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC)
    assert retry_after("7", now) == 7
    assert retry_after("Thu, 01 Jan 1970 00:00:09 GMT", now) == 7
    assert retry_after("Thu, 01 Jan 1970 00:00:01 GMT", now) == 0
    assert retry_after("soon", now) is None
    assert retry_after(None, now) is None


def test_the_version_is_that_of_the_package() -> None:
    metadata = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    assert p.__version__ == metadata["project"]["version"]


def test_the_text_of_a_model_has_no_address() -> None:
    assert repr(p.UserChange(phone="1")).startswith("UserChange(email=UNSET, first_name=UNSET,")
