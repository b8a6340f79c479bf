from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ErrorErrors")



@_attrs_define
class ErrorErrors:
    """ Exactly one member.

        Attributes:
            json (str): Error text.
     """

    json: str





    def to_dict(self) -> dict[str, Any]:
        json = self.json


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "json": json,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        json = d.pop("json")

        error_errors = cls(
            json=json,
        )

        return error_errors

