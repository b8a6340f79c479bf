from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="StateCounts")



@_attrs_define
class StateCounts:
    """ Numbers of reviews by state.

        Attributes:
            treated (int): Reviews that are answered or settled.
            not_treated (int): Reviews that nobody has dealt with yet.
            deleted (int): Reviews that the partner no longer shows.
     """

    treated: int
    not_treated: int
    deleted: int





    def to_dict(self) -> dict[str, Any]:
        treated = self.treated

        not_treated = self.not_treated

        deleted = self.deleted


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "treated": treated,
            "not_treated": not_treated,
            "deleted": deleted,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        treated = d.pop("treated")

        not_treated = d.pop("not_treated")

        deleted = d.pop("deleted")

        state_counts = cls(
            treated=treated,
            not_treated=not_treated,
            deleted=deleted,
        )

        return state_counts

