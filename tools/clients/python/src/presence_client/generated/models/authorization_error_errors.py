from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="AuthorizationErrorErrors")



@_attrs_define
class AuthorizationErrorErrors:
    """ Exactly one member.

        Attributes:
            authorization (str): Action that the caller may not perform.
     """

    authorization: str





    def to_dict(self) -> dict[str, Any]:
        authorization = self.authorization


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "authorization": authorization,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        authorization = d.pop("authorization")

        authorization_error_errors = cls(
            authorization=authorization,
        )

        return authorization_error_errors

