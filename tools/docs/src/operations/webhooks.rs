//! Operations on webhooks.

use super::{BodyDescription, Operation, body, operation};
use crate::parameters::Parameter;
use crate::values;

/// Id of the webhook in the sample.
const WEBHOOK_ID: &str = "42-000000000000";
const NOT_A_MANAGER: &str = "The caller is a BUSINESS_MANAGER, or the calling key may only read.";
const NO_PARAMETERS: &str = "The request has a parameter: the operation has none.";
const THE_WEBHOOK: BodyDescription = body("Webhook", "The webhook.");

pub(super) fn operations() -> Vec<Operation> {
    vec![
        list_webhooks(),
        create_webhook(),
        Operation {
            name: "get_webhook",
            summary: "Get a webhook",
            description: "Returns a webhook. Its secret is never shown again.",
            success: THE_WEBHOOK,
            invalid: NO_PARAMETERS,
            forbidden: Some("The caller is a BUSINESS_MANAGER."),
            extra_statuses: &[404],
            ..of_one()
        },
        update_webhook(),
        change(
            "rotate_webhook",
            "Give a webhook a new secret",
            "Returns the webhook with its new secret, **this once**. The secret before it still signs for 24 hours: until then, \
             `webhook-signature` has a signature by each. At most 5 secrets sign at a time.",
            body("WebhookWithSecret", "The webhook, with its new secret."),
        ),
        change(
            "test_webhook",
            "Try a webhook",
            "Sends an event `webhook.test` once, outside the order of the others, and returns its delivery. A failure is no error \
             of this operation, changes nothing at the webhook, and is not repeated.",
            body("Delivery", "The delivery, which may have failed."),
        ),
        change(
            "enable_webhook",
            "Enable a webhook again",
            "A webhook that was disabled goes on where it stopped, and what waits is tried at once. Any other one stays as it is.",
            THE_WEBHOOK,
        ),
        replay_webhook(),
        list_deliveries(),
        change(
            "delete_webhook",
            "Delete a webhook",
            "Nothing more is sent. An attempt that is under way ends.",
            body("WebhookSuccess", "The webhook is gone; `id` is its id."),
        ),
    ]
}

fn list_webhooks() -> Operation {
    let org_id = Parameter::text(
        "org_id",
        values::decimal_id,
        "42",
        "Organisation whose webhooks are returned. A PROVIDER must give it. Another caller may only name its own: another one is 403.",
    );
    Operation {
        name: "list_webhooks",
        parameters: vec![org_id],
        summary: "List webhooks",
        description: "Returns the webhooks of an organisation, oldest first.\n\n\
                **Roles**: PROVIDER for every organisation, ORG_ADMIN for its own.",
        success: body("WebhookList", "The webhooks."),
        forbidden: Some("The caller is a BUSINESS_MANAGER, or `org_id` is not the organisation of an ORG_ADMIN."),
        ..operation("webhooks")
    }
}

fn create_webhook() -> Operation {
    Operation {
        name: "create_webhook",
        summary: "Create a webhook",
        description: "Sends the events of an organisation to an address, from now on, as Standard Webhooks 1.0.0. The response has the \
                secret of the signatures, **this once**. An organisation has at most 10 webhooks.\n\n\
                **Each event is sent at least once**, and those about one user or review in the order of the feed. An answer 2xx within 15 \
                seconds is a delivery; redirects are not followed. A failed event is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, \
                10 h, 14 h, 20 h and 24 h. A webhook that takes nothing for 5 days, or answers 410, is disabled.\n\n\
                **Roles**: as for the list of webhooks.",
        body: Some(body("WebhookCreation", "The webhook to create.")),
        success: body("WebhookWithSecret", "The webhook was created."),
        invalid: "Causes: the body is no JSON object; a field is missing, unknown, repeated or invalid (the response names all of \
                  them); the organisation has 10 webhooks.",
        forbidden: Some(NOT_A_MANAGER),
        extra_statuses: &[409, 415, 422],
        ..operation("webhooks")
    }
}

fn update_webhook() -> Operation {
    Operation {
        body: Some(body("WebhookChange", "The changes.")),
        invalid: "Causes: the body is no JSON object; a field is unknown, repeated or invalid.",
        extra_statuses: &[404, 409, 415, 422],
        ..change(
            "update_webhook",
            "Change a webhook",
            "Changes address, types or label. The same again changes nothing.",
            THE_WEBHOOK,
        )
    }
}

fn replay_webhook() -> Operation {
    Operation {
        body: Some(body("WebhookReplay", "The start.")),
        invalid: "Causes: the body is no JSON object; a field is missing, unknown, repeated or invalid; the cursor is later than that \
                  of the webhook.",
        extra_statuses: &[404, 409, 410, 415, 422],
        ..change(
            "replay_webhook",
            "Send events again",
            "Sets the cursor of the webhook back, so that all events after it are sent again, in their order.",
            THE_WEBHOOK,
        )
    }
}

fn list_deliveries() -> Operation {
    let mut parameters = of_one().parameters;
    parameters.push(Parameter::text(
        "after",
        values::position,
        "42-7",
        "Cursor that an earlier page gave as `next`: older deliveries.",
    ));
    parameters.push(Parameter::integer(
        "limit",
        values::limit,
        "30",
        "Largest number of deliveries on the page; 30 without it.",
    ));
    Operation {
        name: "list_deliveries",
        parameters,
        summary: "List deliveries",
        description: "Returns the events that were sent to a webhook in the last 30 days, newest event first, each with its attempts.",
        success: body("DeliveryPage", "A page of deliveries, and the cursor of the next one."),
        forbidden: Some("The caller is a BUSINESS_MANAGER."),
        extra_statuses: &[404],
        ..of_one()
    }
}

/// Returns a change of one webhook without a body.
fn change(name: &'static str, summary: &'static str, description: &'static str, success: BodyDescription) -> Operation {
    Operation {
        name,
        summary,
        description,
        success,
        invalid: NO_PARAMETERS,
        forbidden: Some(NOT_A_MANAGER),
        extra_statuses: &[404, 409, 422],
        ..of_one()
    }
}

/// Returns an operation on one webhook, without its name and its texts.
fn of_one() -> Operation {
    let id = "Id of the webhook. One that the caller cannot see is answered like an unknown one: 404.";
    Operation {
        parameters: vec![Parameter::path("webhook_id", values::webhook_id, WEBHOOK_ID, id)],
        ..operation("webhooks")
    }
}
