from typing import Literal

UserCreationStatusType2Type1 = Literal['active', 'invited']

USER_CREATION_STATUS_TYPE_2_TYPE_1_VALUES: set[UserCreationStatusType2Type1] = { 'active', 'invited',  }

def check_user_creation_status_type_2_type_1(value: str) -> UserCreationStatusType2Type1:
    if value in USER_CREATION_STATUS_TYPE_2_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_CREATION_STATUS_TYPE_2_TYPE_1_VALUES!r}")
