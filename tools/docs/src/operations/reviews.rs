//! Operations on reviews.

use presence_api::MAX_ITEMS;

use super::{Operation, body, operation};
use crate::parameters::{Parameter, paging};
use crate::values::{self, integer, string};

pub(super) fn operations() -> Vec<Operation> {
    vec![search_reviews(), get_review_stats(), get_review()]
}

fn search_reviews() -> Operation {
    Operation {
        name: "search_reviews",
        parameters: filter_parameters().into_iter().chain([order_by()]).chain(paging()).collect(),
        summary: "Search reviews",
        description: "Returns the reviews that match **all** filters, in pages. Without a filter, these are all reviews in the caller's \
                reach, in every state. Two filters on one property (`rating` and `rating__in`, `business__in` and \
                `business_city`) must both match. A list may also have `[]` after its name, and `state` is also `state__in`.\n\n\
                **Dates**: the filters compare the update date, or the creation date of a review that was never updated. Both bounds \
                are inclusive. Formats: `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM[:SS[.fraction]]`, followed by nothing (UTC), `Z`, or an \
                offset `±hh:mm` or `±hhmm`. A blank in the place of the `+` is accepted. A day without time means its first second \
                in `update_date__gte` and its last second in `update_date__lte`. If the lower bound is after the upper one, the \
                result is empty.\n\n\
                **Order**: newest first, then by id descending; `order_by=update_date` is exactly the reverse.\n\n\
                **Roles**: PROVIDER finds the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those of all \
                businesses of their own organisation.",
        success: body("ReviewPage", "A page of reviews."),
        ..operation("reviews")
    }
}

fn get_review() -> Operation {
    let id = Parameter::path(
        "review_id",
        values::review_id,
        "190n40rnpsx7",
        "Id of the review. A malformed id is answered like an unknown one: 404.",
    );
    Operation {
        name: "get_review",
        parameters: vec![id],
        summary: "Get one review",
        description: "Returns one review, by id, as the search shows it.\n\n**Roles**: PROVIDER reads the reviews of every \
                organisation. ORG_ADMIN and BUSINESS_MANAGER read those of all businesses of their own organisation. A review of \
                another organisation is answered like an unknown one.",
        success: body("Review", "The review."),
        invalid: "A parameter is unknown.",
        extra_statuses: &[404],
        ..operation("reviews")
    }
}

fn get_review_stats() -> Operation {
    Operation {
        name: "get_review_stats",
        parameters: filter_parameters().into_iter().chain([group_by()]).collect(),
        summary: "Count reviews",
        description: "Returns exact numbers of the reviews that match **all** filters: of each rating, state and partner, with and \
                without text, and the average rating. The filters are those of *Search reviews*, and `count` is the same as there.\n\n\
                **Groups**: with `group_by`, the answer has the reviews of each group too. Groups without a review are left out. \
                Days, months and years are those of the update date in UTC, or of the creation date of a review that was never \
                updated. Cities are compared as in `business_city`. Partners, states and ratings have a fixed order; other groups \
                are in ascending order of their keys. More than 1000 groups are refused with 400 on `group_by`.\n\n\
                **Roles**: PROVIDER counts the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER count those of all \
                businesses of their own organisation.",
        success: body("ReviewStats", "The numbers."),
        invalid: "A parameter is unknown, its value is not allowed, or there are more than 1000 groups.",
        ..operation("reviews")
    }
}

fn order_by() -> Parameter {
    Parameter::text("order_by", values::review_order, "update_date", "Order: newest first, or oldest first.")
}

fn group_by() -> Parameter {
    Parameter::text("group_by", values::group_by, "month", "Property by which the reviews are grouped.")
}

fn filter_parameters() -> [Parameter; 9] {
    [
        Parameter::list("state", values::review_state(string()), "not_treated", "Only reviews in one of these states."),
        Parameter::list("rating__in", values::rating(integer()), "1,2", "Only reviews with one of these ratings."),
        Parameter::integer("rating", values::rating, "1", "Only reviews with this rating."),
        Parameter::boolean(
            "content__isnull",
            "False",
            "True: only reviews without text or with a blank text. False: only reviews with text.",
        ),
        Parameter::list(
            "partner__in",
            values::partner(string()),
            "partner_8,partner_1",
            "Only reviews on one of these partners.",
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
            &format!(
                "Only reviews of these businesses, at most {MAX_ITEMS} different ones. A business that is unknown or outside the \
                 caller's reach has no reviews."
            ),
        ),
        Parameter::text(
            "business_city",
            values::search_text,
            "saint etienne",
            "Only reviews of the businesses in this city. Its whole name is compared, ignoring case, accents, hyphens, \
             apostrophes and repeated blanks.",
        ),
    ]
}
