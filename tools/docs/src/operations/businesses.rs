//! Operations on businesses.

use super::{Operation, body, operation};
use crate::parameters::{Parameter, paging};
use crate::values;

pub(super) fn operations() -> Vec<Operation> {
    vec![search_businesses()]
}

fn search_businesses() -> Operation {
    #[rustfmt::skip]
    let filters = [
        Parameter::text("query", values::search_text, "verte etienne",
            "Only businesses with every one of these words, at most 32, in their name or city. A word may be a part of a longer one. \
             Case, accents, hyphens and apostrophes are ignored."),
        Parameter::text("city", values::search_text, "saint etienne",
            "Only businesses in this city. Its whole name is compared, ignoring case, accents, hyphens, apostrophes and repeated blanks."),
        Parameter::integer("org_id", values::org_id, "42",
            "Only businesses of this organisation. A caller that is not a PROVIDER may only name its own: another one is 403."),
    ];
    Operation {
        name: "search_businesses",
        parameters: filters.into_iter().chain(paging()).collect(),
        summary: "Search businesses",
        description: "Returns the businesses that match **all** filters, in pages; without a filter, all in the caller's reach. A \
                search shows every import that ended before it.\n\n\
                **Order**: name, ignoring case and accents, then id; over all organisations.\n\n\
                **Roles**: PROVIDER finds the businesses of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those of \
                their own.",
        success: body("BusinessPage", "A page of businesses."),
        forbidden: Some("The caller is not a PROVIDER, and `org_id` is not its own organisation."),
        ..operation("businesses")
    }
}
