from typing import Literal

ReviewState = Literal['deleted', 'not_treated', 'treated']

REVIEW_STATE_VALUES: set[ReviewState] = { 'deleted', 'not_treated', 'treated',  }

def check_review_state(value: str) -> ReviewState:
    if value in REVIEW_STATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REVIEW_STATE_VALUES!r}")
