//! Operations on reviews.

use presence_api::MAX_ITEMS;

use super::{Operation, body, operation};
use crate::parameters::{Parameter, paging};
use crate::values::{self, integer, string};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        search_reviews(),
        get_review_stats(),
        get_review(),
        set_review_state(),
        put_reply(),
        get_reply(),
        report_reply_outcome(),
        delete_reply(),
    ]
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
    Operation {
        name: "get_review",
        parameters: vec![review_id()],
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

fn review_id() -> Parameter {
    Parameter::path(
        "review_id",
        values::review_id,
        "190n40rnpsx7",
        "Id of the review. A malformed id is answered like an unknown one: 404.",
    )
}

const NO_WRITER: &str = "The caller is a BUSINESS_MANAGER without WRITE permission for the business.";

fn set_review_state() -> Operation {
    Operation {
        name: "set_review_state",
        parameters: vec![review_id()],
        summary: "Set the state of a review",
        description: "Sets the state to `treated` or `not_treated`. The present state again changes nothing. Rows of \
                partners that are older than the change say nothing about the state; later ones count if the author wrote again, or if \
                the review was deleted or came back.\n\n**Roles**: PROVIDER for every organisation; ORG_ADMIN for \
                its own; BUSINESS_MANAGER for those businesses of it that it has WRITE permission for.",
        body: Some(body("ReviewChange", "The change.")),
        success: body("Review", "The review after the change."),
        invalid: "Causes: the body is no JSON object; a field is missing, unknown, repeated or invalid; the review is deleted.",
        forbidden: Some(NO_WRITER),
        extra_statuses: &[404, 409, 415, 422],
        ..operation("reviews")
    }
}

fn get_reply() -> Operation {
    Operation {
        name: "get_reply",
        parameters: vec![review_id()],
        summary: "Get the reply to a review",
        description: "Returns the reply, with the progress of the last request about it. A review without a reply is answered like an \
                unknown one.\n\n**Roles**: those who read the review.",
        success: body("Reply", "The reply."),
        invalid: "A parameter is unknown, or replies are not set up in this deployment.",
        extra_statuses: &[404],
        ..operation("reviews")
    }
}

fn put_reply() -> Operation {
    Operation {
        name: "put_reply",
        parameters: vec![review_id()],
        summary: "Reply to a review",
        description: "Creates or replaces the reply, and sets the state to `treated`. The reply is `pending` until the \
                partner's connector reports its outcome. It is never lost, replies to one review are sent in order, and the last one wins. \
                `reply_comment` of the review is the new text at once; after a rejection it is what the partner had before.\n\n**Roles**: PROVIDER for every organisation; ORG_ADMIN for \
                its own; BUSINESS_MANAGER for those businesses of it that it has WRITE permission for.",
        body: Some(body("ReplyRequest", "The reply.")),
        success: body("Reply", "The reply, which is on its way."),
        invalid: "Causes: the body is no JSON object; a field is missing, unknown, repeated or invalid; the review is deleted; replies are \
                  not set up in this deployment.",
        forbidden: Some(NO_WRITER),
        extra_statuses: &[404, 409, 415, 422],
        ..operation("reviews")
    }
}

fn delete_reply() -> Operation {
    Operation {
        name: "delete_reply",
        parameters: vec![review_id()],
        summary: "Take a reply back",
        description: "Asks the partner to remove the reply that it has: the reply is `removing` until the connector \
                reports its outcome. A removal that is rejected is a published reply again, with the reason. A reply of which the partner \
                has nothing is gone at once.\n\n**Roles**: PROVIDER for every organisation; ORG_ADMIN for \
                its own; BUSINESS_MANAGER for those businesses of it that it has WRITE permission for.",
        success: body(
            "ReviewSuccess",
            "The reply is gone, or its removal is on its way; `id` is the id of the review.",
        ),
        invalid: "A parameter is unknown, or replies are not set up in this deployment.",
        forbidden: Some(NO_WRITER),
        extra_statuses: &[404, 409, 422],
        ..operation("reviews")
    }
}

fn report_reply_outcome() -> Operation {
    Operation {
        name: "report_reply_outcome",
        parameters: vec![review_id()],
        summary: "Report the outcome of a reply",
        description: "Records what became of a request at the partner. For connectors, which may report again at any time: an outcome of an \
                earlier version, and one of a version that has its outcome, change nothing.\n\n**Roles**: PROVIDER.",
        body: Some(body("OutcomeReport", "The outcome.")),
        success: body("ReplyAfterOutcome", "The reply, or a success if there is none any more."),
        invalid: "Causes: the body is no JSON object; a field is missing, unknown, repeated or invalid; the version is later than that of the \
                  latest request; the outcome does not fit the request; replies are not set up in this deployment.",
        forbidden: Some("The caller is not a PROVIDER."),
        extra_statuses: &[404, 409, 415, 422],
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

#[rustfmt::skip]
fn filter_parameters() -> [Parameter; 9] {
    [
        Parameter::list("state", values::review_state(string()), "not_treated", "Only reviews in one of these states."),
        Parameter::list("rating__in", values::rating(integer()), "1,2", "Only reviews with one of these ratings."),
        Parameter::integer("rating", values::rating, "1", "Only reviews with this rating."),
        Parameter::boolean("content__isnull", "False",
            "True: only reviews without text or with a blank text. False: only reviews with text."),
        Parameter::list("partner__in", values::partner(string()), "partner_8,partner_1", "Only reviews on one of these partners."),
        Parameter::text("update_date__gte", values::request_date, "2025-01-01", "Only reviews at or after this date."),
        Parameter::text("update_date__lte", values::request_date, "2025-12-31T23:59:59Z", "Only reviews at or before this date."),
        Parameter::list("business__in", values::printable(string()), "5409c35a97bbc544d8e26737,5409c35a97bbc544d8e26738",
            &format!("Only reviews of these businesses, at most {MAX_ITEMS} different ones. A business that is unknown or outside the caller's \
             reach has no reviews.")),
        Parameter::text("business_city", values::search_text, "saint etienne",
            "Only reviews of the businesses in this city. Its whole name is compared, ignoring case, accents, hyphens, apostrophes and \
             repeated blanks."),
    ]
}
