from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.partners import Partners





T = TypeVar("T", bound="Category")



@_attrs_define
class Category:
    """ A category in one language.

        Attributes:
            id (str): Identifier: opaque text.
            code (str): Readable code.
            name (str): Name in the requested language, or else in English, or else the code.
            ancestors (list[str]): Names of the groups that contain the category, topmost first, in the requested language
                or in English.
            partners (Partners): Ids of a category at the listing partners. Every partner is present; an empty list means
                that no id is known.
     """

    id: str
    code: str
    name: str
    ancestors: list[str]
    partners: Partners
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.partners import Partners # noqa: PLC0415
        id = self.id

        code = self.code

        name = self.name

        ancestors = self.ancestors



        partners = self.partners.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "code": code,
            "name": name,
            "ancestors": ancestors,
            "partners": partners,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.partners import Partners # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        code = d.pop("code")

        name = d.pop("name")

        ancestors = cast(list[str], d.pop("ancestors"))


        partners = Partners.from_dict(d.pop("partners"))




        category = cls(
            id=id,
            code=code,
            name=name,
            ancestors=ancestors,
            partners=partners,
        )


        category.additional_properties = d
        return category

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
