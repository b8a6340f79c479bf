"""What the description says in words, and its schemas cannot say: told to schemathesis."""

from urllib.parse import quote

import schemathesis

PASSWORD_LENGTHS = range(6, 129)
# The gateway takes 10,240 bytes of request line and headers, and answers 431 itself to more. Headers have the rest.
QUERY_BYTES = 8_000


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what is neither right nor wrong by any schema."""
    query = case.query or {}
    return not has_blank_parameter(query) and not is_too_long(query) and not has_wrong_password(case.body)


@schemathesis.hook
def map_case(context, case):
    """A key of its own would make every body part of a request with two different keys."""
    if isinstance(case.body, dict) and isinstance(case.body.get("api_key"), str):
        del case.body["api_key"]
    return case


def has_blank_parameter(query):
    """A blank parameter counts as not given, whatever its schema."""
    return any(isinstance(value, str) and not value.strip() for value in query.values())


def is_too_long(query):
    """A query that never gets past the gateway."""
    return sum(len(quote(f"{name}={value}&")) for name, value in query.items()) > QUERY_BYTES


def has_wrong_password(body):
    """A password is not looked at where the user is, or becomes, invited."""
    if not isinstance(body, dict) or body.get("password") is None:
        return False
    password = body["password"]
    return not isinstance(password, str) or len(password) not in PASSWORD_LENGTHS or not password.isprintable()
