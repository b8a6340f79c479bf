from typing import Literal

GetReviewStatsStateItem = Literal['deleted', 'not_treated', 'treated']

GET_REVIEW_STATS_STATE_ITEM_VALUES: set[GetReviewStatsStateItem] = { 'deleted', 'not_treated', 'treated',  }

def check_get_review_stats_state_item(value: str) -> GetReviewStatsStateItem:
    if value in GET_REVIEW_STATS_STATE_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {GET_REVIEW_STATS_STATE_ITEM_VALUES!r}")
