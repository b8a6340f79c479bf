from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.found_user_status import check_found_user_status
from ..models.found_user_status import FoundUserStatus
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="FoundUser")



@_attrs_define
class FoundUser:
    """ User as search returns it.

        Attributes:
            id (str): Identifier: a decimal number up to 2^53 − 1, as a string.
            status (FoundUserStatus): `invited` until the person chooses a password or is made `active`.
            first_name (str): First name.
            last_name (str): Last name.
            phone (None | str): Phone number; null if there is none.
            email (str): E-mail address as it was typed. It is unique among all users.
            business_ids (list[str] | Unset): Businesses that the user may WRITE, in the order given. Absent with
                `display_business_ids=False`.
     """

    id: str
    status: FoundUserStatus
    first_name: str
    last_name: str
    phone: None | str
    email: str
    business_ids: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        status: str = self.status

        first_name = self.first_name

        last_name = self.last_name

        phone: None | str
        phone = self.phone

        email = self.email

        business_ids: list[str] | Unset = UNSET
        if not isinstance(self.business_ids, Unset):
            business_ids = self.business_ids




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "status": status,
            "first_name": first_name,
            "last_name": last_name,
            "phone": phone,
            "email": email,
        })
        if business_ids is not UNSET:
            field_dict["business_ids"] = business_ids

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        status = check_found_user_status(d.pop("status"))




        first_name = d.pop("first_name")

        last_name = d.pop("last_name")

        def _parse_phone(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        phone = _parse_phone(d.pop("phone"))


        email = d.pop("email")

        business_ids = cast(list[str], d.pop("business_ids", UNSET))


        found_user = cls(
            id=id,
            status=status,
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            email=email,
            business_ids=business_ids,
        )


        found_user.additional_properties = d
        return found_user

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
