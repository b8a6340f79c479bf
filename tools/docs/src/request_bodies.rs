//! Schemas of the bodies of requests. The functions parse them by hand, so tests compare these schemas with them.

use presence_domain::key_rights::MAX_NETWORKS;
use presence_domain::review::ReplyText;
use presence_users::openapi::MAX_BUSINESSES;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{ObjectBuilder, RefOr};

use crate::values::{self, Constraint, boolean, integer, string};

const API_KEY_DESCRIPTION: &str =
    "The API key, for clients that send no header. Sent in several places, it must be the same everywhere.";

/// Returns the schemas of the bodies, by name.
pub(crate) fn schemas() -> [(&'static str, RefOr<Schema>); 10] {
    [
        ("UserCreation", user_creation().into()),
        ("UserChange", user_change().into()),
        ("KeyCreation", key_creation().into()),
        ("KeyRotation", key_rotation().into()),
        ("ReviewChange", review_change().into()),
        ("ReplyRequest", reply_request().into()),
        ("OutcomeReport", outcome_report().into()),
        ("WebhookCreation", webhook_creation().into()),
        ("WebhookChange", webhook_change().into()),
        ("WebhookReplay", webhook_replay().into()),
    ]
}

fn key_creation() -> ObjectBuilder {
    let network = values::network(string()).description(Some("A network in CIDR notation, IPv4 or IPv6."));
    let networks = ArrayBuilder::new().schema_type(or_null(Type::Array)).items(network).description(Some(format!(
        "Networks from which the key may be called: at most {MAX_NETWORKS} different ones; an empty list is everywhere. An address has \
         no bits beyond its prefix. IPv4 addresses in IPv6 form are IPv4. Left out: those of the calling key.",
    )));
    let body = body("Key to create. Unknown fields are refused.")
        .property("label", text(values::new_key_label, "Name in lists: 1 to 100 characters once trimmed. Control characters are \
            dropped."))
        .property("access", nullable(Type::String, values::key_access(string()), "`read` is a key for GET and HEAD only. Left out: \
            `all`."))
        .property("allowed_networks", networks)
        .property("expires_at", nullable(Type::String, values::request_date(string()), "Instant from which the key gives no access: \
            in the future, and at most two years ahead. Left out: a year ahead, or the end of the calling key if that is earlier."))
        .property("api_key", nullable(Type::String, string().write_only(true), API_KEY_DESCRIPTION));
    body.required("label")
}

fn key_rotation() -> ObjectBuilder {
    body("Overlap of a rotation. Unknown fields are refused.")
        .property(
            "overlap_seconds",
            nullable(
                Type::Integer,
                values::overlap_seconds(integer()),
                "Seconds for which the old key \
            still gives access. Left out: 86400, a day. Its digits as text are accepted too.",
            ),
        )
        .property("api_key", nullable(Type::String, string().write_only(true), API_KEY_DESCRIPTION))
}

fn user_creation() -> ObjectBuilder {
    let description = "User to create. Unknown fields are refused.";
    let body = body(description)
        .property("email", text(values::email, "E-mail address: no display name, no IP address, with a \
            top-level domain, ASCII before the @. It must be unique: upper and lower case are the same, but dots and plus tags make a \
            difference. Stored as typed, trimmed."))
        .property("first_name", text(values::person_name, "First name: 1 to 100 characters once trimmed."))
        .property("last_name", text(values::person_name, "Last name: 1 to 100 characters once trimmed."))
        .property("status", nullable(Type::String, values::status(string()), "Left out: `invited` when `send_invitation` is true, else \
            `active`."))
        .property("role", nullable(Type::String, values::role(string()), "Not above the caller's own. Left out: `BUSINESS_MANAGER`."))
        .property("org_id", org_id("The user's organisation, which must exist. Left out: the caller's own. Required of a PROVIDER without \
                                    one, unless the new user is a PROVIDER too."))
        .property("password", nullable(Type::String, values::password(string()), "At least 6 and at most 128 characters, at most 512 \
            bytes, not trimmed. Ignored for `invited`. An `active` user without one cannot sign in with a password until it is \
            set."))
        .property("send_invitation", nullable(Type::Boolean, boolean(), "True to send the invitation. Left out: true for `invited`, \
            false for `active`. The texts `True` and `False` in any case, and 1 and 0, are accepted too."));
    with_common_fields(body).required("email").required("first_name").required("last_name")
}

fn user_change() -> ObjectBuilder {
    let description = "Changes of a user. A field that is left out stays as it is. Unknown fields are refused.";
    let body = body(description)
        .property("email", text(values::email, "New address, with the same rules as on create. For an invited \
            user, the pending link becomes invalid, no mail is sent, and the user may be invited again at once."))
        .property("first_name", text(values::person_name, "First name: 1 to 100 characters once trimmed."))
        .property("last_name", text(values::person_name, "Last name: 1 to 100 characters once trimmed."))
        .property("status", nullable(Type::String, values::status(string()), "`active` needs a `password` unless the user has one. \
            `invited` deletes the password, revokes the keys for good and sends an invitation, at the earliest 5 minutes \
            after the last one."))
        .property("role", nullable(Type::String, values::role(string()), "Not above the caller's own. Left out: unchanged, there is no \
            default on update."))
        .property("org_id", org_id("Moves the user to another organisation, which must exist and own the businesses. \
                                    Only a PROVIDER may do this."))
        .property("password", nullable(Type::String, values::password(string()), "New password. Ignored if the user is \
            or becomes `invited`."));
    with_common_fields(body)
}

fn review_change() -> ObjectBuilder {
    let state = values::settable_state(string()).description(Some("State to set. `deleted` is the partner's word."));
    with_api_key(body("Change of a review. Unknown fields are refused.").property("state", state).required("state"))
}

fn reply_request() -> ObjectBuilder {
    let content = format!(
        "Text of the reply: 1 to {} bytes of UTF-8 once trimmed. Control characters other than tabs and line breaks are dropped.",
        ReplyText::MAX_BYTES
    );
    let body =
        body("Reply to a review. Unknown fields are refused.").property("content", text(values::reply_text, &content));
    with_api_key(body.required("content"))
}

fn outcome_report() -> ObjectBuilder {
    let version = values::at_least_one(integer())
        .description(Some("Version of the reply, as its message had it. Its digits as text are accepted too."));
    let outcome = text(values::reply_outcome, "`published` for a reply, `removed` for a removal, `rejected` for both.");
    let reason = "Reason that the partner gave: at most 500 characters once trimmed. Control characters are dropped. Null, blank or left \
                  out: none.";
    let reason = nullable(Type::String, values::outcome_reason(string()), reason);
    let body = body("Outcome of a request, as a connector reports it. Unknown fields are refused.");
    let body = body.property("version", version).property("outcome", outcome).property("reason", reason);
    with_api_key(body.required("version").required("outcome"))
}

fn webhook_creation() -> ObjectBuilder {
    let org_id =
        org_id("Organisation whose events are sent. Required of a PROVIDER. Another caller may only name its own.");
    let body = webhook_fields(body("Webhook to create. Unknown fields are refused.")).property("org_id", org_id);
    with_api_key(body.required("url"))
}

fn webhook_change() -> ObjectBuilder {
    with_api_key(webhook_fields(body(
        "Changes of a webhook. A field that is left out stays as it is. Unknown fields are refused.",
    )))
}

fn webhook_replay() -> ObjectBuilder {
    let after =
        text(values::position, "Cursor of the feed, at most that of the webhook: all events after it are sent again.");
    with_api_key(body("Start of a replay. Unknown fields are refused.").property("after", after).required("after"))
}

fn webhook_fields(body: ObjectBuilder) -> ObjectBuilder {
    let kind = values::event_type(string()).description(Some("A type, or a group of types."));
    let types = ArrayBuilder::new()
        .schema_type(or_null(Type::Array))
        .items(kind)
        .description(Some("Types of events to be told of. An empty list and null are all of them."));
    let label = "Name for people: at most 100 characters. Null or blank: none.";
    let label = nullable(Type::String, values::optional_label(string()), label);
    let url = text(
        values::new_webhook_url,
        "Address of the receiver: `https://`, port 443 or above 1023, no user name, password or fragment, at most 2048 bytes. An \
         address of numbers must be public. A name is looked up at each attempt.",
    );
    body.property("url", url).property("types", types).property("label", label)
}

fn with_api_key(body: ObjectBuilder) -> ObjectBuilder {
    body.property("api_key", nullable(Type::String, string().write_only(true), API_KEY_DESCRIPTION))
}

fn body(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some(description))
        .additional_properties(Some(AdditionalProperties::FreeForm(false)))
}

/// Adds the fields that are the same in both bodies.
fn with_common_fields(body: ObjectBuilder) -> ObjectBuilder {
    let business = values::opaque_id(string()).description(Some("A business of the user's organisation."));
    let businesses = ArrayBuilder::new().schema_type(or_null(Type::Array)).items(business).description(Some(format!(
        "Businesses that the user may WRITE: at most {MAX_BUSINESSES} different ones, all of the user's organisation. Stored in \
         this order, without duplicates. The list replaces the old one. Sending back the stored list changes nothing.",
    )));
    let phone = "At most 32 digits, blanks and `+-.()/`. Null or blank: none.";
    let lang = "Language of mails and pages: `en`, `fr`, `es`, `it`, `de` or `pt`, in any case, with or without a region. Null or \
                left out: English.";
    let body = body
        .property("business_ids", businesses)
        .property("phone", nullable(Type::String, values::phone(string()), phone))
        .property("lang", nullable(Type::String, values::lang(string()), lang));
    with_api_key(body)
}

fn text(constraint: Constraint, description: &str) -> ObjectBuilder {
    constraint(string()).description(Some(description))
}

/// Describes a field that may be null. A choice lists null among its values.
fn nullable(kind: Type, value: ObjectBuilder, description: &str) -> ObjectBuilder {
    let mut object = value.description(Some(description)).schema_type(or_null(kind)).build();
    if let Some(choices) = &mut object.enum_values {
        choices.push(serde_json::Value::Null);
    }
    object.into()
}

fn org_id(description: &str) -> ObjectBuilder {
    let description = format!("{description} Its digits as text are accepted too.");
    nullable(Type::Integer, values::org_id(integer()), &description)
}

fn or_null(kind: Type) -> SchemaType {
    SchemaType::Array(vec![kind, Type::Null])
}
