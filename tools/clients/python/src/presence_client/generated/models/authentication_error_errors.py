from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="AuthenticationErrorErrors")



@_attrs_define
class AuthenticationErrorErrors:
    """ Exactly one member.

        Attributes:
            authentication (str): Error text.
     """

    authentication: str





    def to_dict(self) -> dict[str, Any]:
        authentication = self.authentication


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "authentication": authentication,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        authentication = d.pop("authentication")

        authentication_error_errors = cls(
            authentication=authentication,
        )

        return authentication_error_errors

