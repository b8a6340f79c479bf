from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.error_errors import ErrorErrors





T = TypeVar("T", bound="Error")



@_attrs_define
class Error:
    """ The request was refused or failed.

        Attributes:
            errors (ErrorErrors): Exactly one member.
     """

    errors: ErrorErrors





    def to_dict(self) -> dict[str, Any]:
        from ..models.error_errors import ErrorErrors # noqa: PLC0415
        errors = self.errors.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "errors": errors,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.error_errors import ErrorErrors # noqa: PLC0415
        d = dict(src_dict)
        errors = ErrorErrors.from_dict(d.pop("errors"))




        error = cls(
            errors=errors,
        )

        return error

