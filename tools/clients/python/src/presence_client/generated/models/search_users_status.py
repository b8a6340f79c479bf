from typing import Literal

SearchUsersStatus = Literal['active', 'invited']

SEARCH_USERS_STATUS_VALUES: set[SearchUsersStatus] = { 'active', 'invited',  }

def check_search_users_status(value: str) -> SearchUsersStatus:
    if value in SEARCH_USERS_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SEARCH_USERS_STATUS_VALUES!r}")
