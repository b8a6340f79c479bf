from typing import Literal

SearchReviewsPartnerInItem = Literal['partner_1', 'partner_8', 'partner_9']

SEARCH_REVIEWS_PARTNER_IN_ITEM_VALUES: set[SearchReviewsPartnerInItem] = { 'partner_1', 'partner_8', 'partner_9',  }

def check_search_reviews_partner_in_item(value: str) -> SearchReviewsPartnerInItem:
    if value in SEARCH_REVIEWS_PARTNER_IN_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SEARCH_REVIEWS_PARTNER_IN_ITEM_VALUES!r}")
