from typing import Literal

GetReviewStatsPartnerInItem = Literal['partner_1', 'partner_8', 'partner_9']

GET_REVIEW_STATS_PARTNER_IN_ITEM_VALUES: set[GetReviewStatsPartnerInItem] = { 'partner_1', 'partner_8', 'partner_9',  }

def check_get_review_stats_partner_in_item(value: str) -> GetReviewStatsPartnerInItem:
    if value in GET_REVIEW_STATS_PARTNER_IN_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {GET_REVIEW_STATS_PARTNER_IN_ITEM_VALUES!r}")
