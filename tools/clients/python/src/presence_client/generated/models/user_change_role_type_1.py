from typing import Literal

UserChangeRoleType1 = Literal['BUSINESS_MANAGER', 'ORG_ADMIN', 'PROVIDER']

USER_CHANGE_ROLE_TYPE_1_VALUES: set[UserChangeRoleType1] = { 'BUSINESS_MANAGER', 'ORG_ADMIN', 'PROVIDER',  }

def check_user_change_role_type_1(value: str) -> UserChangeRoleType1:
    if value in USER_CHANGE_ROLE_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_CHANGE_ROLE_TYPE_1_VALUES!r}")
