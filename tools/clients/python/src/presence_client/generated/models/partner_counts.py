from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="PartnerCounts")



@_attrs_define
class PartnerCounts:
    """ Numbers of reviews by partner.

        Attributes:
            partner_8 (int): Reviews on this partner.
            partner_1 (int): Reviews on this partner.
            partner_9 (int): Reviews on this partner.
     """

    partner_8: int
    partner_1: int
    partner_9: int





    def to_dict(self) -> dict[str, Any]:
        partner_8 = self.partner_8

        partner_1 = self.partner_1

        partner_9 = self.partner_9


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "partner_8": partner_8,
            "partner_1": partner_1,
            "partner_9": partner_9,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        partner_8 = d.pop("partner_8")

        partner_1 = d.pop("partner_1")

        partner_9 = d.pop("partner_9")

        partner_counts = cls(
            partner_8=partner_8,
            partner_1=partner_1,
            partner_9=partner_9,
        )

        return partner_counts

