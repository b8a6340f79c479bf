//! Operations on reviews.

use super::{Operation, body};
use crate::parameters::{Parameter, paging};
use crate::values::{self, integer, string};

pub(super) fn operations() -> Vec<Operation> {
    vec![search_reviews()]
}

fn search_reviews() -> Operation {
    Operation {
        name: "search_reviews",
        parameters: filter_parameters().into_iter().chain(paging()).collect(),
        examples: Vec::new(),
        tag: "reviews",
        summary: "Search reviews",
        description: "The reviews that **all** filters admit, in pages; without a filter, every review in the caller's reach, whatever \
                its state. Two filters on the same thing (`rating` and `rating__in`, `business__in` and `business_city`) admit what \
                both admit.\n\n\
                **Dates**: a review counts at its update date, or at its creation date when it was never updated. Both bounds are \
                inclusive. Accepted are `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM[:SS[.fraction]]`, followed by nothing (UTC), `Z`, or an \
                offset `±hh:mm` or `±hhmm`; a blank where the `+` was is understood. A bare day begins with its first second for \
                `update_date__gte` and ends with its last for `update_date__lte`. Bounds that leave nothing between them find nothing.\n\n\
                **Order**: newest first, then by id descending; `order_by=update_date` is exactly the reverse.\n\n\
                **Roles**: PROVIDER finds reviews of every organisation; ORG_ADMIN and BUSINESS_MANAGER those of all businesses of \
                their own.",
        body: None,
        success: body("ReviewPage", "A page of reviews."),
        invalid: "A parameter that the operation does not have, or a value that its parameter cannot have.",
        forbidden: None,
        extra_statuses: &[],
    }
}

fn filter_parameters() -> [Parameter; 10] {
    [
        Parameter::list("state", values::review_state(string()), "not_treated", "Only reviews in one of these states."),
        Parameter::list("rating__in", values::rating(integer()), "1,2", "Only reviews with one of these ratings."),
        Parameter::integer("rating", values::rating, "1", "Only reviews with this rating."),
        Parameter::boolean(
            "content__isnull",
            "False",
            "True: only reviews without text, or with a blank one. False: only those with text.",
        ),
        Parameter::list(
            "partner__in",
            values::partner(string()),
            "partner_8,partner_1",
            "Only reviews left at one of these partners.",
        ),
        Parameter::text("update_date__gte", values::request_date, "2025-01-01", "Only reviews at or after this date."),
        Parameter::text(
            "update_date__lte",
            values::request_date,
            "2025-12-31T23:59:59Z",
            "Only reviews at or before this date.",
        ),
        Parameter::list(
            "business__in",
            values::printable(string()),
            "5409c35a97bbc544d8e26737,5409c35a97bbc544d8e26738",
            "Only reviews of these businesses. One that is unknown, or not in the caller's reach, has none.",
        ),
        Parameter::text(
            "business_city",
            values::search_text,
            "saint etienne",
            "Only reviews of the businesses in this city: its whole name, ignoring case, accents, hyphens, apostrophes and \
             repeated blanks.",
        ),
        Parameter::text(
            "order_by",
            values::review_order,
            "update_date",
            "Which come first: the newest, or the oldest.",
        ),
    ]
}
