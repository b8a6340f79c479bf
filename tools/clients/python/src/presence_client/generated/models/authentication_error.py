from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.authentication_error_errors import AuthenticationErrorErrors





T = TypeVar("T", bound="AuthenticationError")



@_attrs_define
class AuthenticationError:
    """ The key gives no access.

        Attributes:
            errors (AuthenticationErrorErrors): Exactly one member.
     """

    errors: AuthenticationErrorErrors





    def to_dict(self) -> dict[str, Any]:
        from ..models.authentication_error_errors import AuthenticationErrorErrors # noqa: PLC0415
        errors = self.errors.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "errors": errors,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.authentication_error_errors import AuthenticationErrorErrors # noqa: PLC0415
        d = dict(src_dict)
        errors = AuthenticationErrorErrors.from_dict(d.pop("errors"))




        authentication_error = cls(
            errors=errors,
        )

        return authentication_error

