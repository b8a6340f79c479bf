from typing import Literal

GetReviewStatsGroupBy = Literal['business', 'city', 'day', 'month', 'partner', 'rating', 'state', 'year']

GET_REVIEW_STATS_GROUP_BY_VALUES: set[GetReviewStatsGroupBy] = { 'business', 'city', 'day', 'month', 'partner', 'rating', 'state', 'year',  }

def check_get_review_stats_group_by(value: str) -> GetReviewStatsGroupBy:
    if value in GET_REVIEW_STATS_GROUP_BY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {GET_REVIEW_STATS_GROUP_BY_VALUES!r}")
