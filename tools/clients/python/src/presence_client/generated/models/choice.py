from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="Choice")



@_attrs_define
class Choice:
    """ Error of a value outside a fixed set, with the allowed values.

        Attributes:
            explanation (str): Error text.
            choices (list[str]): Allowed values.
     """

    explanation: str
    choices: list[str]





    def to_dict(self) -> dict[str, Any]:
        explanation = self.explanation

        choices = self.choices




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "explanation": explanation,
            "choices": choices,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        explanation = d.pop("explanation")

        choices = cast(list[str], d.pop("choices"))


        choice = cls(
            explanation=explanation,
            choices=choices,
        )

        return choice

