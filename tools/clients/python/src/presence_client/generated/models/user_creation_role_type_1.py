from typing import Literal

UserCreationRoleType1 = Literal['BUSINESS_MANAGER', 'ORG_ADMIN', 'PROVIDER']

USER_CREATION_ROLE_TYPE_1_VALUES: set[UserCreationRoleType1] = { 'BUSINESS_MANAGER', 'ORG_ADMIN', 'PROVIDER',  }

def check_user_creation_role_type_1(value: str) -> UserCreationRoleType1:
    if value in USER_CREATION_ROLE_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_CREATION_ROLE_TYPE_1_VALUES!r}")
