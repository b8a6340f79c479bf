from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.user_creation_role_type_1 import check_user_creation_role_type_1
from ..models.user_creation_role_type_1 import UserCreationRoleType1
from ..models.user_creation_role_type_2_type_1 import check_user_creation_role_type_2_type_1
from ..models.user_creation_role_type_2_type_1 import UserCreationRoleType2Type1
from ..models.user_creation_role_type_3_type_1 import check_user_creation_role_type_3_type_1
from ..models.user_creation_role_type_3_type_1 import UserCreationRoleType3Type1
from ..models.user_creation_status_type_1 import check_user_creation_status_type_1
from ..models.user_creation_status_type_1 import UserCreationStatusType1
from ..models.user_creation_status_type_2_type_1 import check_user_creation_status_type_2_type_1
from ..models.user_creation_status_type_2_type_1 import UserCreationStatusType2Type1
from ..models.user_creation_status_type_3_type_1 import check_user_creation_status_type_3_type_1
from ..models.user_creation_status_type_3_type_1 import UserCreationStatusType3Type1
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="UserCreation")



@_attrs_define
class UserCreation:
    """ User to create. Unknown fields are refused.

        Attributes:
            email (str): E-mail address: no display name, no IP address, with a top-level domain, ASCII before the @. It
                must be unique: upper and lower case are the same, but dots and plus tags make a difference. Stored as typed,
                trimmed.
            first_name (str): First name: 1 to 100 characters once trimmed.
            last_name (str): Last name: 1 to 100 characters once trimmed.
            status (None | Unset | UserCreationStatusType1 | UserCreationStatusType2Type1 | UserCreationStatusType3Type1):
                Left out: `invited` when `send_invitation` is true, else `active`.
            role (None | Unset | UserCreationRoleType1 | UserCreationRoleType2Type1 | UserCreationRoleType3Type1): Not above
                the caller's own. Left out: `BUSINESS_MANAGER`.
            org_id (int | None | Unset): The user's organisation, which must exist. Left out: the caller's own. Required of
                a PROVIDER without one, unless the new user is a PROVIDER too. Its digits as text are accepted too.
            password (None | str | Unset): At least 6 and at most 128 characters, at most 512 bytes, not trimmed. Ignored
                for `invited`. An `active` user without one cannot sign in with a password until it is set.
            send_invitation (bool | None | Unset): True to send the invitation. Left out: true for `invited`, false for
                `active`. The texts `True` and `False` in any case, and 1 and 0, are accepted too.
            business_ids (list[str] | None | Unset): Businesses that the user may WRITE: at most 2000 different ones, all of
                the user's organisation. Stored in this order, without duplicates. The list replaces the old one. Sending back
                the stored list changes nothing.
            phone (None | str | Unset): At most 32 digits, blanks and `+-.()/`. Null or blank: none.
            lang (None | str | Unset): Language of mails and pages: `en`, `fr`, `es`, `it`, `de` or `pt`, in any case, with
                or without a region. Null or left out: English.
            api_key (None | str | Unset): The API key, for clients that send no header. Sent in several places, it must be
                the same everywhere.
     """

    email: str
    first_name: str
    last_name: str
    status: None | Unset | UserCreationStatusType1 | UserCreationStatusType2Type1 | UserCreationStatusType3Type1 = UNSET
    role: None | Unset | UserCreationRoleType1 | UserCreationRoleType2Type1 | UserCreationRoleType3Type1 = UNSET
    org_id: int | None | Unset = UNSET
    password: None | str | Unset = UNSET
    send_invitation: bool | None | Unset = UNSET
    business_ids: list[str] | None | Unset = UNSET
    phone: None | str | Unset = UNSET
    lang: None | str | Unset = UNSET
    api_key: None | str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        email = self.email

        first_name = self.first_name

        last_name = self.last_name

        status: None | str | Unset
        if isinstance(self.status, Unset):
            status = UNSET
        elif isinstance(self.status, str):
            status = self.status
        elif isinstance(self.status, str):
            status = self.status
        elif isinstance(self.status, str):
            status = self.status
        else:
            status = self.status

        role: None | str | Unset
        if isinstance(self.role, Unset):
            role = UNSET
        elif isinstance(self.role, str):
            role = self.role
        elif isinstance(self.role, str):
            role = self.role
        elif isinstance(self.role, str):
            role = self.role
        else:
            role = self.role

        org_id: int | None | Unset
        if isinstance(self.org_id, Unset):
            org_id = UNSET
        else:
            org_id = self.org_id

        password: None | str | Unset
        if isinstance(self.password, Unset):
            password = UNSET
        else:
            password = self.password

        send_invitation: bool | None | Unset
        if isinstance(self.send_invitation, Unset):
            send_invitation = UNSET
        else:
            send_invitation = self.send_invitation

        business_ids: list[str] | None | Unset
        if isinstance(self.business_ids, Unset):
            business_ids = UNSET
        elif isinstance(self.business_ids, list):
            business_ids = self.business_ids


        else:
            business_ids = self.business_ids

        phone: None | str | Unset
        if isinstance(self.phone, Unset):
            phone = UNSET
        else:
            phone = self.phone

        lang: None | str | Unset
        if isinstance(self.lang, Unset):
            lang = UNSET
        else:
            lang = self.lang

        api_key: None | str | Unset
        if isinstance(self.api_key, Unset):
            api_key = UNSET
        else:
            api_key = self.api_key


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "email": email,
            "first_name": first_name,
            "last_name": last_name,
        })
        if status is not UNSET:
            field_dict["status"] = status
        if role is not UNSET:
            field_dict["role"] = role
        if org_id is not UNSET:
            field_dict["org_id"] = org_id
        if password is not UNSET:
            field_dict["password"] = password
        if send_invitation is not UNSET:
            field_dict["send_invitation"] = send_invitation
        if business_ids is not UNSET:
            field_dict["business_ids"] = business_ids
        if phone is not UNSET:
            field_dict["phone"] = phone
        if lang is not UNSET:
            field_dict["lang"] = lang
        if api_key is not UNSET:
            field_dict["api_key"] = api_key

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        email = d.pop("email")

        first_name = d.pop("first_name")

        last_name = d.pop("last_name")

        def _parse_status(data: object) -> None | Unset | UserCreationStatusType1 | UserCreationStatusType2Type1 | UserCreationStatusType3Type1:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_1 = check_user_creation_status_type_1(data)



                return status_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_2_type_1 = check_user_creation_status_type_2_type_1(data)



                return status_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_3_type_1 = check_user_creation_status_type_3_type_1(data)



                return status_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UserCreationStatusType1 | UserCreationStatusType2Type1 | UserCreationStatusType3Type1, data)

        status = _parse_status(d.pop("status", UNSET))


        def _parse_role(data: object) -> None | Unset | UserCreationRoleType1 | UserCreationRoleType2Type1 | UserCreationRoleType3Type1:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                role_type_1 = check_user_creation_role_type_1(data)



                return role_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                role_type_2_type_1 = check_user_creation_role_type_2_type_1(data)



                return role_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                role_type_3_type_1 = check_user_creation_role_type_3_type_1(data)



                return role_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UserCreationRoleType1 | UserCreationRoleType2Type1 | UserCreationRoleType3Type1, data)

        role = _parse_role(d.pop("role", UNSET))


        def _parse_org_id(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        org_id = _parse_org_id(d.pop("org_id", UNSET))


        def _parse_password(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        password = _parse_password(d.pop("password", UNSET))


        def _parse_send_invitation(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        send_invitation = _parse_send_invitation(d.pop("send_invitation", UNSET))


        def _parse_business_ids(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                business_ids_type_0 = cast(list[str], data)

                return business_ids_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        business_ids = _parse_business_ids(d.pop("business_ids", UNSET))


        def _parse_phone(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phone = _parse_phone(d.pop("phone", UNSET))


        def _parse_lang(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        lang = _parse_lang(d.pop("lang", UNSET))


        def _parse_api_key(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        api_key = _parse_api_key(d.pop("api_key", UNSET))


        user_creation = cls(
            email=email,
            first_name=first_name,
            last_name=last_name,
            status=status,
            role=role,
            org_id=org_id,
            password=password,
            send_invitation=send_invitation,
            business_ids=business_ids,
            phone=phone,
            lang=lang,
            api_key=api_key,
        )

        return user_creation

