from typing import Literal

SearchReviewsOrderBy = Literal['-update_date', 'update_date']

SEARCH_REVIEWS_ORDER_BY_VALUES: set[SearchReviewsOrderBy] = { '-update_date', 'update_date',  }

def check_search_reviews_order_by(value: str) -> SearchReviewsOrderBy:
    if value in SEARCH_REVIEWS_ORDER_BY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SEARCH_REVIEWS_ORDER_BY_VALUES!r}")
