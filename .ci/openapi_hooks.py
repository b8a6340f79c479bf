"""What the description says in words, and its schemas cannot say: told to schemathesis."""

import schemathesis

PASSWORD_LENGTHS = range(6, 129)


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what is neither right nor wrong by any schema."""
    return not has_blank_parameter(case.query or {}) and not has_wrong_password(case.body)


@schemathesis.hook
def map_case(context, case):
    """A key of its own would make every body part of a request with two different keys."""
    if isinstance(case.body, dict) and isinstance(case.body.get("api_key"), str):
        del case.body["api_key"]
    return case


def has_blank_parameter(query):
    """A blank parameter counts as not given, whatever its schema."""
    return any(isinstance(value, str) and not value.strip() for value in query.values())


def has_wrong_password(body):
    """A password is not looked at where the user is, or becomes, invited."""
    if not isinstance(body, dict) or body.get("password") is None:
        return False
    password = body["password"]
    return not isinstance(password, str) or len(password) not in PASSWORD_LENGTHS or not password.isprintable()
