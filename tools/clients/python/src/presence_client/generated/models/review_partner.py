from typing import Literal

ReviewPartner = Literal['partner_1', 'partner_8', 'partner_9']

REVIEW_PARTNER_VALUES: set[ReviewPartner] = { 'partner_1', 'partner_8', 'partner_9',  }

def check_review_partner(value: str) -> ReviewPartner:
    if value in REVIEW_PARTNER_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REVIEW_PARTNER_VALUES!r}")
