"""Rules that the description states in words, because its schemas cannot: hooks for schemathesis."""

from urllib.parse import quote

import schemathesis

PASSWORD_LENGTHS = range(6, 129)
# The gateway takes 10,240 bytes of request line and headers, and answers 431 itself to more. Headers have the rest.
QUERY_BYTES = 8_000
SEARCHED = ("business_city", "city", "last_name", "name", "query")


@schemathesis.hook
def filter_case(context, case):
    """Leaves out requests that no schema calls right or wrong."""
    query = case.query or {}
    return not (has_blank_parameter(query) or has_no_word(query) or is_too_long(query) or has_wrong_password(case.body))


@schemathesis.hook
def map_case(context, case):
    """Removes a key from the body: with the one of the header, the request would have two different keys."""
    if isinstance(case.body, dict) and isinstance(case.body.get("api_key"), str):
        del case.body["api_key"]
    return case


def has_blank_parameter(query):
    """True if a parameter is blank. The API takes it as not given, whatever its schema."""
    return any(isinstance(value, str) and not value.strip() for value in query.values())


def has_no_word(query):
    """True if a text to search for has neither letter nor digit: folding may leave nothing of it, as of an apostrophe."""
    texts = (query.get(name) for name in SEARCHED)
    return any(isinstance(text, str) and not any(map(str.isalnum, text)) for text in texts)


def is_too_long(query):
    """True if the gateway refuses the query for its length."""
    return sum(len(quote(f"{name}={value}&")) for name, value in query.items()) > QUERY_BYTES


def has_wrong_password(body):
    """True if the password breaks a rule that the API skips for a user who is invited or becomes invited."""
    if not isinstance(body, dict) or body.get("password") is None:
        return False
    password = body["password"]
    return not isinstance(password, str) or len(password) not in PASSWORD_LENGTHS or not password.isprintable()
