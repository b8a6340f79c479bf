from typing import Literal

UserCreationStatusType3Type1 = Literal['active', 'invited']

USER_CREATION_STATUS_TYPE_3_TYPE_1_VALUES: set[UserCreationStatusType3Type1] = { 'active', 'invited',  }

def check_user_creation_status_type_3_type_1(value: str) -> UserCreationStatusType3Type1:
    if value in USER_CREATION_STATUS_TYPE_3_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_CREATION_STATUS_TYPE_3_TYPE_1_VALUES!r}")
