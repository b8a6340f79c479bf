//! Operation on the feed of events.

use super::{Operation, body, operation};
use crate::parameters::Parameter;
use crate::values;

pub(super) fn operations() -> Vec<Operation> {
    vec![list_events()]
}

fn list_events() -> Operation {
    #[rustfmt::skip]
    let parameters = vec![
        Parameter::text("after", values::cursor, "42-0",
            "Cursor that an earlier page gave as `next`: only later events. `now` is the end of the feed. Without it the page begins with \
             the oldest event that is kept."),
        Parameter::integer("limit", values::limit, "30", "Largest number of events on the page; 30 without it."),
        Parameter::list("type__in", values::event_type(values::string()), "review.*,user.created",
            "Only events of these types, or groups of types."),
        Parameter::text("org_id", values::org_or_none, "42",
            "Organisation whose events are returned, or `none` for those of users without one. A PROVIDER must give it. Another caller \
             may only name its own: another one is 403."),
    ];
    Operation {
        name: "list_events",
        parameters,
        summary: "List events",
        description: "Returns what changed in an organisation, oldest first. **Each change is there once, in an order that never \
                changes**: who follows `next` sees every event, and the changes of one user or review in their order. Only \
                `invitation.*` may be before or after a `user.*` of the same user: compare their `version`. \
                Events have ids and names of fields, and no personal data. They are kept for 30 days.\n\n\
                **To catch up**, ask with the last `next` until `has_more` is false. With `type__in`, a page may be empty although \
                the feed has more.\n\n\
                **Roles**: PROVIDER reads the events of every organisation, ORG_ADMIN those of its own.",
        success: body("EventPage", "A page of events, and the cursor of the next one."),
        forbidden: Some("The caller is a BUSINESS_MANAGER, or `org_id` is not the organisation of an ORG_ADMIN."),
        extra_statuses: &[410],
        ..operation("events")
    }
}
