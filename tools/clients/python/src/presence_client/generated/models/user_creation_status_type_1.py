from typing import Literal

UserCreationStatusType1 = Literal['active', 'invited']

USER_CREATION_STATUS_TYPE_1_VALUES: set[UserCreationStatusType1] = { 'active', 'invited',  }

def check_user_creation_status_type_1(value: str) -> UserCreationStatusType1:
    if value in USER_CREATION_STATUS_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_CREATION_STATUS_TYPE_1_VALUES!r}")
