from typing import Literal

UserChangeStatusType2Type1 = Literal['active', 'invited']

USER_CHANGE_STATUS_TYPE_2_TYPE_1_VALUES: set[UserChangeStatusType2Type1] = { 'active', 'invited',  }

def check_user_change_status_type_2_type_1(value: str) -> UserChangeStatusType2Type1:
    if value in USER_CHANGE_STATUS_TYPE_2_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_CHANGE_STATUS_TYPE_2_TYPE_1_VALUES!r}")
