from typing import Literal

FoundUserStatus = Literal['active', 'invited']

FOUND_USER_STATUS_VALUES: set[FoundUserStatus] = { 'active', 'invited',  }

def check_found_user_status(value: str) -> FoundUserStatus:
    if value in FOUND_USER_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {FOUND_USER_STATUS_VALUES!r}")
