from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.business import Business





T = TypeVar("T", bound="BusinessPage")



@_attrs_define
class BusinessPage:
    """ Answer to a search of businesses: one page of them.

        Attributes:
            page (int): Number of this page: the requested one, or 1 for a number below 1.
            max_page (int): Number of the last page with results, or 1 if there are none.
            count (int): Exact number of results on all pages.
            businesses (list[Business]): The businesses of the page; empty past the last one.
     """

    page: int
    max_page: int
    count: int
    businesses: list[Business]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.business import Business # noqa: PLC0415
        page = self.page

        max_page = self.max_page

        count = self.count

        businesses = []
        for businesses_item_data in self.businesses:
            businesses_item = businesses_item_data.to_dict()
            businesses.append(businesses_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "page": page,
            "max_page": max_page,
            "count": count,
            "businesses": businesses,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.business import Business # noqa: PLC0415
        d = dict(src_dict)
        page = d.pop("page")

        max_page = d.pop("max_page")

        count = d.pop("count")

        businesses = []
        _businesses = d.pop("businesses")
        for businesses_item_data in (_businesses):
            businesses_item = Business.from_dict(businesses_item_data)



            businesses.append(businesses_item)


        business_page = cls(
            page=page,
            max_page=max_page,
            count=count,
            businesses=businesses,
        )


        business_page.additional_properties = d
        return business_page

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
