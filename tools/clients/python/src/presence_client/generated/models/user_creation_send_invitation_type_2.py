from typing import Literal

UserCreationSendInvitationType2 = Literal[0, 1]

USER_CREATION_SEND_INVITATION_TYPE_2_VALUES: set[UserCreationSendInvitationType2] = { 0, 1,  }

def check_user_creation_send_invitation_type_2(value: int) -> UserCreationSendInvitationType2:
    if value in USER_CREATION_SEND_INVITATION_TYPE_2_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_CREATION_SEND_INVITATION_TYPE_2_VALUES!r}")
