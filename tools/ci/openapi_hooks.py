"""Rules that the description states in words, because its schemas cannot: hooks for schemathesis."""

import re
import unicodedata
from urllib.parse import quote

import schemathesis

PASSWORD_LENGTHS = range(6, 129)
# The user who sends the requests.
PROVIDER = "1001"
ADDRESS = re.compile(r"[a-z0-9.]{1,60}@[a-z0-9]{1,60}\.[a-z]{2,20}")
# The gateway takes 10,240 bytes of request line and headers, and answers 431 itself to more. Headers have the rest.
QUERY_BYTES = 8_000
# Parameters and fields that are true or false.
BOOLEANS = ("content__isnull", "display_business_ids", "send_invitation")
# Parameters with a text to search for.
SEARCHED = ("last_name", "name", "query")
# Parameters for which hyphens and apostrophes do not count either; `query` only where businesses are searched.
CITIES = ("business_city", "city")
BUSINESSES = "/api/v2/business/search"
# The same characters as in shared/domain/src/text.rs.
ACCENTS = ((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F))
HYPHENS = ((0x2D, 0x2D), (0x58A, 0x58A), (0x5BE, 0x5BE), (0x1806, 0x1806), (0x2010, 0x2015), (0x2043, 0x2043), (0x2212, 0x2212),
           (0x2E17, 0x2E17), (0xAD, 0xAD))
APOSTROPHES = ((0x27, 0x27), (0x60, 0x60), (0x2B9, 0x2B9), (0x2BB, 0x2BF), (0x2C8, 0x2C8), (0x2CA, 0x2CB), (0x55A, 0x55A),
               (0x5F3, 0x5F3), (0x2018, 0x201B), (0x2032, 0x2032), (0x2035, 0x2035), (0xA78C, 0xA78C))


@schemathesis.hook
def filter_case(context, case):
    """Leaves out requests that no schema calls right or wrong."""
    query = case.query or {}
    has_nothing = has_nothing_to_search_for(case.operation.path, query)
    if has_blank_parameter(query) or has_nothing or is_too_long(query) or has_key_of_other_type(case):
        return False
    if has_many_words(query) or is_no_address(query) or any(has_other_control(values) for values in (query, case.path_parameters, case.body)):
        return False
    return not (has_other_spelling(query) or has_other_spelling(case.body) or has_wrong_password(case.body))


@schemathesis.hook
def map_case(context, case):
    """Removes a key from the body: with the one of the header, the request would have two different keys."""
    if isinstance(case.body, dict) and isinstance(case.body.get("api_key"), str):
        del case.body["api_key"]
    return case


@schemathesis.hook
def before_call(context, case, kwargs):
    """Names no key of the caller: without the key of all requests, each is 401. Answers teach schemathesis the id of that key."""
    if "{key_id}" in case.operation.path and str(case.path_parameters.get("key_id", "")).startswith(f"{PROVIDER}-"):
        case.path_parameters["key_id"] = f"{PROVIDER}-000000000000"


def has_blank_parameter(query):
    """True if a parameter is blank. The API takes it as not given, whatever its schema."""
    return any(isinstance(value, str) and not value.strip() for value in query.values())


def has_nothing_to_search_for(path, query):
    """True if nothing of a text is compared: it has accents and blanks only, or, for a city or business, hyphens and apostrophes."""
    for name in (*SEARCHED, *CITIES):
        text = query.get(name)
        is_city = name in CITIES or (name == "query" and path == BUSINESSES)
        ignored = (*ACCENTS, *HYPHENS, *APOSTROPHES) if is_city else ACCENTS
        if isinstance(text, str) and all(is_ignored(letter, ignored) for letter in unicodedata.normalize("NFKD", text)):
            return True
    return False


def is_ignored(letter, ranges):
    """True if the letter is blank or in one of the ranges."""
    return letter.isspace() or any(first <= ord(letter) <= last for first, last in ranges)


def has_many_words(query):
    """True if a text to search for has more words than are searched."""
    return len(str(query.get("query", "")).split()) > 32


def is_no_address(query):
    """True if a text to search for is no address. The schema allows a blank one, so it cannot have the form of addresses."""
    return "email" in query and not ADDRESS.fullmatch(str(query["email"]))


def has_other_control(values):
    """True if a text has a control character from U+0080 to U+009F. Patterns do not exclude them: generated Ruby and PHP cannot name them."""
    if isinstance(values, dict):
        return any(has_other_control(value) for value in values.values())
    if isinstance(values, list):
        return any(has_other_control(value) for value in values)
    return isinstance(values, str) and any(0x80 <= ord(letter) <= 0x9F for letter in values)


def is_too_long(query):
    """True if the gateway refuses the query for its length."""
    return sum(len(quote(f"{name}={value}&")) for name, value in query.items()) > QUERY_BYTES


def has_key_of_other_type(case):
    """True if the key of a change is wrong for its type alone. As a header, it is text, and may be right."""
    modes = {str(getattr(location, "value", location)): part.mode for location, part in case.meta.components.items()} if case.meta else {}
    is_wrong = "header" in modes and modes["header"].is_negative
    key = next((value for name, value in (case.headers or {}).items() if name.lower() == "idempotency-key"), "")
    return is_wrong and 1 <= len(str(key)) <= 255 and str(key).isascii() and str(key).isprintable()


def has_other_spelling(values):
    """True if a boolean or an organisation has another type than the described one, but a spelling that the API accepts."""
    if not isinstance(values, dict):
        return False
    booleans = [str(values[name]).strip().lower() for name in BOOLEANS if not isinstance(values.get(name, True), bool)]
    org_id = values.get("org_id")
    has_digits = isinstance(org_id, str) and org_id.strip().isdecimal()
    return has_digits or any(value in ("true", "false", "0", "1") for value in booleans)


def has_wrong_password(body):
    """True if the password breaks a rule that the API skips for a user who is invited or becomes invited."""
    if not isinstance(body, dict) or body.get("password") is None:
        return False
    password = body["password"]
    return not isinstance(password, str) or len(password) not in PASSWORD_LENGTHS or not password.isprintable()
