from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="UserStats")



@_attrs_define
class UserStats:
    """ Numbers of users by status.

        Attributes:
            count (int): Number of users that a search without filters returns for the same key.
            invited_count (int): Number of these users who are `invited`.
            activate_count (int): Number of these users who are `active`.
     """

    count: int
    invited_count: int
    activate_count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        count = self.count

        invited_count = self.invited_count

        activate_count = self.activate_count


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "count": count,
            "invited_count": invited_count,
            "activate_count": activate_count,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        count = d.pop("count")

        invited_count = d.pop("invited_count")

        activate_count = d.pop("activate_count")

        user_stats = cls(
            count=count,
            invited_count=invited_count,
            activate_count=activate_count,
        )


        user_stats.additional_properties = d
        return user_stats

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
