from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.category import Category





T = TypeVar("T", bound="CategoryPage")



@_attrs_define
class CategoryPage:
    """ One page of a search.

        Attributes:
            page (int): Number of this page: the requested one, or 1 for a number below 1.
            max_page (int): Number of the last page with results, or 1 if there are none.
            count (int): Exact number of results on all pages.
            categories (list[Category]): The categories of the page; empty past the last one.
     """

    page: int
    max_page: int
    count: int
    categories: list[Category]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.category import Category # noqa: PLC0415
        page = self.page

        max_page = self.max_page

        count = self.count

        categories = []
        for categories_item_data in self.categories:
            categories_item = categories_item_data.to_dict()
            categories.append(categories_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "page": page,
            "max_page": max_page,
            "count": count,
            "categories": categories,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.category import Category # noqa: PLC0415
        d = dict(src_dict)
        page = d.pop("page")

        max_page = d.pop("max_page")

        count = d.pop("count")

        categories = []
        _categories = d.pop("categories")
        for categories_item_data in (_categories):
            categories_item = Category.from_dict(categories_item_data)



            categories.append(categories_item)


        category_page = cls(
            page=page,
            max_page=max_page,
            count=count,
            categories=categories,
        )


        category_page.additional_properties = d
        return category_page

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
