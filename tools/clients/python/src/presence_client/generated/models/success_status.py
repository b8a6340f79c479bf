from typing import Literal

SuccessStatus = Literal['success']

SUCCESS_STATUS_VALUES: set[SuccessStatus] = { 'success',  }

def check_success_status(value: str) -> SuccessStatus:
    if value in SUCCESS_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUCCESS_STATUS_VALUES!r}")
