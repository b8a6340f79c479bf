from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.partner_category import PartnerCategory





T = TypeVar("T", bound="Partners")



@_attrs_define
class Partners:
    """ Ids of a category at the listing partners. Every partner is present; an empty list means that no id is known.

        Attributes:
            partner_1 (list[str]): Ids at this partner; empty if none is known.
            partner_2 (list[str]): Ids at this partner; empty if none is known.
            partner_3 (list[str]): Ids at this partner; empty if none is known.
            partner_4 (list[PartnerCategory]): Ids and names at this partner; empty if none is known.
            partner_5 (list[str]): Ids at this partner; empty if none is known.
            partner_6 (list[str]): Ids at this partner; empty if none is known.
            partner_7 (list[str]): Ids at this partner; empty if none is known.
            partner_8 (list[str]): Ids at this partner; empty if none is known.
            partner_9 (list[str]): Ids at this partner; empty if none is known.
            partner_10 (list[str]): Ids at this partner; empty if none is known.
            partner_11 (list[str]): Ids at this partner; empty if none is known.
            partner_12 (list[str]): Ids at this partner; empty if none is known.
     """

    partner_1: list[str]
    partner_2: list[str]
    partner_3: list[str]
    partner_4: list[PartnerCategory]
    partner_5: list[str]
    partner_6: list[str]
    partner_7: list[str]
    partner_8: list[str]
    partner_9: list[str]
    partner_10: list[str]
    partner_11: list[str]
    partner_12: list[str]





    def to_dict(self) -> dict[str, Any]:
        from ..models.partner_category import PartnerCategory # noqa: PLC0415
        partner_1 = self.partner_1



        partner_2 = self.partner_2



        partner_3 = self.partner_3



        partner_4 = []
        for partner_4_item_data in self.partner_4:
            partner_4_item = partner_4_item_data.to_dict()
            partner_4.append(partner_4_item)



        partner_5 = self.partner_5



        partner_6 = self.partner_6



        partner_7 = self.partner_7



        partner_8 = self.partner_8



        partner_9 = self.partner_9



        partner_10 = self.partner_10



        partner_11 = self.partner_11



        partner_12 = self.partner_12




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "partner_1": partner_1,
            "partner_2": partner_2,
            "partner_3": partner_3,
            "partner_4": partner_4,
            "partner_5": partner_5,
            "partner_6": partner_6,
            "partner_7": partner_7,
            "partner_8": partner_8,
            "partner_9": partner_9,
            "partner_10": partner_10,
            "partner_11": partner_11,
            "partner_12": partner_12,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.partner_category import PartnerCategory # noqa: PLC0415
        d = dict(src_dict)
        partner_1 = cast(list[str], d.pop("partner_1"))


        partner_2 = cast(list[str], d.pop("partner_2"))


        partner_3 = cast(list[str], d.pop("partner_3"))


        partner_4 = []
        _partner_4 = d.pop("partner_4")
        for partner_4_item_data in (_partner_4):
            partner_4_item = PartnerCategory.from_dict(partner_4_item_data)



            partner_4.append(partner_4_item)


        partner_5 = cast(list[str], d.pop("partner_5"))


        partner_6 = cast(list[str], d.pop("partner_6"))


        partner_7 = cast(list[str], d.pop("partner_7"))


        partner_8 = cast(list[str], d.pop("partner_8"))


        partner_9 = cast(list[str], d.pop("partner_9"))


        partner_10 = cast(list[str], d.pop("partner_10"))


        partner_11 = cast(list[str], d.pop("partner_11"))


        partner_12 = cast(list[str], d.pop("partner_12"))


        partners = cls(
            partner_1=partner_1,
            partner_2=partner_2,
            partner_3=partner_3,
            partner_4=partner_4,
            partner_5=partner_5,
            partner_6=partner_6,
            partner_7=partner_7,
            partner_8=partner_8,
            partner_9=partner_9,
            partner_10=partner_10,
            partner_11=partner_11,
            partner_12=partner_12,
        )

        return partners

