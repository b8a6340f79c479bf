from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.partner_counts import PartnerCounts
  from ..models.rating_counts import RatingCounts
  from ..models.review_group import ReviewGroup
  from ..models.state_counts import StateCounts





T = TypeVar("T", bound="ReviewStats")



@_attrs_define
class ReviewStats:
    """ Answer with statistics.

        Attributes:
            count (int): Number of reviews.
            average_rating (float | None): Average rating, rounded half up to two decimals; null without a review.
            ratings (RatingCounts): Numbers of reviews by rating.
            states (StateCounts): Numbers of reviews by state.
            partners (PartnerCounts): Numbers of reviews by partner.
            with_content (int): Number of reviews with text.
            without_content (int): Number of reviews without text, or with a blank one.
            groups (list[ReviewGroup] | Unset): Groups with at least one review. Only with `group_by`.
     """

    count: int
    average_rating: float | None
    ratings: RatingCounts
    states: StateCounts
    partners: PartnerCounts
    with_content: int
    without_content: int
    groups: list[ReviewGroup] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.partner_counts import PartnerCounts # noqa: PLC0415
        from ..models.rating_counts import RatingCounts # noqa: PLC0415
        from ..models.review_group import ReviewGroup # noqa: PLC0415
        from ..models.state_counts import StateCounts # noqa: PLC0415
        count = self.count

        average_rating: float | None
        average_rating = self.average_rating

        ratings = self.ratings.to_dict()

        states = self.states.to_dict()

        partners = self.partners.to_dict()

        with_content = self.with_content

        without_content = self.without_content

        groups: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.groups, Unset):
            groups = []
            for groups_item_data in self.groups:
                groups_item = groups_item_data.to_dict()
                groups.append(groups_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "count": count,
            "average_rating": average_rating,
            "ratings": ratings,
            "states": states,
            "partners": partners,
            "with_content": with_content,
            "without_content": without_content,
        })
        if groups is not UNSET:
            field_dict["groups"] = groups

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.partner_counts import PartnerCounts # noqa: PLC0415
        from ..models.rating_counts import RatingCounts # noqa: PLC0415
        from ..models.review_group import ReviewGroup # noqa: PLC0415
        from ..models.state_counts import StateCounts # noqa: PLC0415
        d = dict(src_dict)
        count = d.pop("count")

        def _parse_average_rating(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        average_rating = _parse_average_rating(d.pop("average_rating"))


        ratings = RatingCounts.from_dict(d.pop("ratings"))




        states = StateCounts.from_dict(d.pop("states"))




        partners = PartnerCounts.from_dict(d.pop("partners"))




        with_content = d.pop("with_content")

        without_content = d.pop("without_content")

        _groups = d.pop("groups", UNSET)
        groups: list[ReviewGroup] | Unset = UNSET
        if _groups is not UNSET:
            groups = []
            for groups_item_data in _groups:
                groups_item = ReviewGroup.from_dict(groups_item_data)



                groups.append(groups_item)


        review_stats = cls(
            count=count,
            average_rating=average_rating,
            ratings=ratings,
            states=states,
            partners=partners,
            with_content=with_content,
            without_content=without_content,
            groups=groups,
        )


        review_stats.additional_properties = d
        return review_stats

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
