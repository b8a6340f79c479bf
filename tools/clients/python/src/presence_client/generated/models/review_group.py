from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.rating_counts import RatingCounts





T = TypeVar("T", bound="ReviewGroup")



@_attrs_define
class ReviewGroup:
    """ Group of reviews in an answer.

        Attributes:
            key (str): Property that the reviews have in common: day `YYYY-MM-DD`, month `YYYY-MM`, year `YYYY`, id of a
                business, city as `business_city` compares it, partner, state, or rating.
            count (int): Number of reviews.
            average_rating (float): Average rating, rounded half up to two decimals; null without a review.
            ratings (RatingCounts): Numbers of reviews by rating.
            name (str | Unset): Name of the city as its business with the lowest id writes it. Only with `group_by=city`.
     """

    key: str
    count: int
    average_rating: float
    ratings: RatingCounts
    name: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.rating_counts import RatingCounts # noqa: PLC0415
        key = self.key

        count = self.count

        average_rating = self.average_rating

        ratings = self.ratings.to_dict()

        name = self.name


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "key": key,
            "count": count,
            "average_rating": average_rating,
            "ratings": ratings,
        })
        if name is not UNSET:
            field_dict["name"] = name

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.rating_counts import RatingCounts # noqa: PLC0415
        d = dict(src_dict)
        key = d.pop("key")

        count = d.pop("count")

        average_rating = d.pop("average_rating")

        ratings = RatingCounts.from_dict(d.pop("ratings"))




        name = d.pop("name", UNSET)

        review_group = cls(
            key=key,
            count=count,
            average_rating=average_rating,
            ratings=ratings,
            name=name,
        )


        review_group.additional_properties = d
        return review_group

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
