from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.success_status import check_success_status
from ..models.success_status import SuccessStatus
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Success")



@_attrs_define
class Success:
    """ Response to create, update, delete and invite. Invite leaves the id out.

        Attributes:
            status (SuccessStatus): Always `success`.
            id (str | Unset): Id of the user that was created, changed or deleted. Absent in the response to invite.
     """

    status: SuccessStatus
    id: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        status: str = self.status

        id = self.id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "status": status,
        })
        if id is not UNSET:
            field_dict["id"] = id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = check_success_status(d.pop("status"))




        id = d.pop("id", UNSET)

        success = cls(
            status=status,
            id=id,
        )


        success.additional_properties = d
        return success

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
