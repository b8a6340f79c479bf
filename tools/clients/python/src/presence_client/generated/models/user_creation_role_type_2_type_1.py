from typing import Literal

UserCreationRoleType2Type1 = Literal['BUSINESS_MANAGER', 'ORG_ADMIN', 'PROVIDER']

USER_CREATION_ROLE_TYPE_2_TYPE_1_VALUES: set[UserCreationRoleType2Type1] = { 'BUSINESS_MANAGER', 'ORG_ADMIN', 'PROVIDER',  }

def check_user_creation_role_type_2_type_1(value: str) -> UserCreationRoleType2Type1:
    if value in USER_CREATION_ROLE_TYPE_2_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_CREATION_ROLE_TYPE_2_TYPE_1_VALUES!r}")
