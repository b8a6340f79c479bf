from typing import Literal

SearchReviewsStateItem = Literal['deleted', 'not_treated', 'treated']

SEARCH_REVIEWS_STATE_ITEM_VALUES: set[SearchReviewsStateItem] = { 'deleted', 'not_treated', 'treated',  }

def check_search_reviews_state_item(value: str) -> SearchReviewsStateItem:
    if value in SEARCH_REVIEWS_STATE_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SEARCH_REVIEWS_STATE_ITEM_VALUES!r}")
