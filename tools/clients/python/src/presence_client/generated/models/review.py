from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.review_partner import check_review_partner
from ..models.review_partner import ReviewPartner
from ..models.review_state import check_review_state
from ..models.review_state import ReviewState
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="Review")



@_attrs_define
class Review:
    """ Review in an answer: the fields of the interface in their documented order.

        Attributes:
            id (str): Identifier of the review in this service. It never changes.
            org_id (str): Organisation that owns the business, as a string.
            business_id (str): Business that was reviewed.
            partner (ReviewPartner): Listing partner that published the review.
            partner_id (str): Id at the partner.
            author_name (None | str): Name of the author; null if unknown.
            date (datetime.datetime): Time at which the review was written: UTC, whole seconds.
            update_date (datetime.datetime): Time of the last change, or of writing if there was none: UTC, whole seconds.
                Always present.
            rating (int): 1, the worst, to 5.
            title (None | str): Title; null if there is none.
            content (None | str): Text; null if there is none or it is blank.
            reply_comment (None | str): Reply of the business; null if there is none.
            state (ReviewState): `not_treated` until the review is answered or settled. `deleted` when the partner no longer
                shows it.
            link (None | str): URL of the review; null if unknown.
            key (str): Key of the review at the partner: its id there.
            delete_date (datetime.date | Unset): Approximate day of the deletion. Only for a `deleted` review, if known.
     """

    id: str
    org_id: str
    business_id: str
    partner: ReviewPartner
    partner_id: str
    author_name: None | str
    date: datetime.datetime
    update_date: datetime.datetime
    rating: int
    title: None | str
    content: None | str
    reply_comment: None | str
    state: ReviewState
    link: None | str
    key: str
    delete_date: datetime.date | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        org_id = self.org_id

        business_id = self.business_id

        partner: str = self.partner

        partner_id = self.partner_id

        author_name: None | str
        author_name = self.author_name

        date = self.date.isoformat()

        update_date = self.update_date.isoformat()

        rating = self.rating

        title: None | str
        title = self.title

        content: None | str
        content = self.content

        reply_comment: None | str
        reply_comment = self.reply_comment

        state: str = self.state

        link: None | str
        link = self.link

        key = self.key

        delete_date: str | Unset = UNSET
        if not isinstance(self.delete_date, Unset):
            delete_date = self.delete_date.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "org_id": org_id,
            "business_id": business_id,
            "partner": partner,
            "partner_id": partner_id,
            "author_name": author_name,
            "date": date,
            "update_date": update_date,
            "rating": rating,
            "title": title,
            "content": content,
            "reply_comment": reply_comment,
            "state": state,
            "link": link,
            "key": key,
        })
        if delete_date is not UNSET:
            field_dict["delete_date"] = delete_date

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        org_id = d.pop("org_id")

        business_id = d.pop("business_id")

        partner = check_review_partner(d.pop("partner"))




        partner_id = d.pop("partner_id")

        def _parse_author_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        author_name = _parse_author_name(d.pop("author_name"))


        date = datetime.datetime.fromisoformat(d.pop("date"))




        update_date = datetime.datetime.fromisoformat(d.pop("update_date"))




        rating = d.pop("rating")

        def _parse_title(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        title = _parse_title(d.pop("title"))


        def _parse_content(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        content = _parse_content(d.pop("content"))


        def _parse_reply_comment(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reply_comment = _parse_reply_comment(d.pop("reply_comment"))


        state = check_review_state(d.pop("state"))




        def _parse_link(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        link = _parse_link(d.pop("link"))


        key = d.pop("key")

        _delete_date = d.pop("delete_date", UNSET)
        delete_date: datetime.date | Unset
        if isinstance(_delete_date,  Unset):
            delete_date = UNSET
        else:
            delete_date = datetime.date.fromisoformat(_delete_date)




        review = cls(
            id=id,
            org_id=org_id,
            business_id=business_id,
            partner=partner,
            partner_id=partner_id,
            author_name=author_name,
            date=date,
            update_date=update_date,
            rating=rating,
            title=title,
            content=content,
            reply_comment=reply_comment,
            state=state,
            link=link,
            key=key,
            delete_date=delete_date,
        )


        review.additional_properties = d
        return review

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
