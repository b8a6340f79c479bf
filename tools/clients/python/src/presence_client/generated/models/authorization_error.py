from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.authorization_error_errors import AuthorizationErrorErrors





T = TypeVar("T", bound="AuthorizationError")



@_attrs_define
class AuthorizationError:
    """ The caller may not perform the action.

        Attributes:
            errors (AuthorizationErrorErrors): Exactly one member.
     """

    errors: AuthorizationErrorErrors





    def to_dict(self) -> dict[str, Any]:
        from ..models.authorization_error_errors import AuthorizationErrorErrors # noqa: PLC0415
        errors = self.errors.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "errors": errors,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.authorization_error_errors import AuthorizationErrorErrors # noqa: PLC0415
        d = dict(src_dict)
        errors = AuthorizationErrorErrors.from_dict(d.pop("errors"))




        authorization_error = cls(
            errors=errors,
        )

        return authorization_error

