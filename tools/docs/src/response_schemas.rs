//! Schemas of responses. The Rust types give names, order and required properties; the table in this file adds descriptions
//! and bounds.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, Array, ArrayItems, ObjectBuilder, Schema};

use crate::values::{self, Constraint, unconstrained};

/// Description and bounds of a property, in each of these schemas.
struct Property {
    schemas: &'static [&'static str],
    name: &'static str,
    description: &'static str,
    constraint: Constraint,
}

const fn property(
    schemas: &'static [&'static str],
    name: &'static str,
    description: &'static str,
    constraint: Constraint,
) -> Property {
    Property { schemas, name, description, constraint }
}

const USERS: &[&str] = &["User", "FoundUser"];
const PAGES: &[&str] = &["UserPage", "CategoryPage", "ReviewPage", "BusinessPage"];
const WEBHOOKS: &[&str] = &["Webhook", "WebhookWithSecret"];
const KEYS: &[&str] = &["Key", "IssuedKey"];
const STATS: &[&str] = &["ReviewStats", "ReviewGroup"];
/// Schemas without additional properties. Clients may rely on the listed partners being all.
const CLOSED_SCHEMAS: [&str; 5] = ["Partners", "PartnerCategory", "RatingCounts", "StateCounts", "PartnerCounts"];

/// Table of all properties. A name that ends with `*` stands for all other names that begin so.
#[rustfmt::skip]
const PROPERTIES: &[Property] = &[
    property(USERS, "id", "Identifier: a decimal number up to 2^53 − 1, as a string.", values::decimal_id),
    property(USERS, "status", "`invited` until the person chooses a password or is made `active`.", values::status),
    property(USERS, "first_name", "First name.", values::person_name),
    property(USERS, "last_name", "Last name.", values::person_name),
    property(USERS, "business_ids", "Businesses that the user may WRITE, in the order given. Absent with `display_business_ids=False`.", unconstrained),
    property(USERS, "business_ids[]", "A business of the user's organisation.", values::opaque_id),
    property(USERS, "org_id", "Organisation whose businesses the user may READ; null for a PROVIDER without one.", values::org_id),
    property(USERS, "phone", "Phone number; null if there is none.", values::phone),
    property(USERS, "role", "Role: it decides what the user may do. Each operation lists its roles.", values::role),
    property(USERS, "email", "E-mail address as it was typed. It is unique among all users.", values::email),
    property(PAGES, "page", "Number of this page: the requested one, or 1 for a number below 1.", values::at_least_one),
    property(PAGES, "max_page", "Number of the last page with results, or 1 if there are none.", values::at_least_one),
    property(PAGES, "count", "Exact number of results on all pages.", values::non_negative),
    property(&["UserPage"], "users", "The users of the page; empty past the last one.", unconstrained),
    property(&["CategoryPage"], "categories", "The categories of the page; empty past the last one.", unconstrained),
    property(&["ReviewPage"], "reviews", "The reviews of the page; empty past the last one.", unconstrained),
    property(&["BusinessPage"], "businesses", "The businesses of the page; empty past the last one.", unconstrained),
    property(&["Business"], "id", "Identifier: opaque text.", values::opaque_id),
    property(&["Business"], "org_id", "Organisation that owns the business.", values::org_id),
    property(&["Business"], "name", "Display name.", unconstrained),
    property(&["Business"], "city", "City; empty for a business that is in no city.", unconstrained),
    property(&["UserStats"], "count", "Number of users that a search without filters returns for the same key.", values::non_negative),
    property(&["UserStats"], "invited_count", "Number of these users who are `invited`.", values::non_negative),
    property(&["UserStats"], "activate_count", "Number of these users who are `active`.", values::non_negative),
    property(&["Success"], "status", "Always `success`.", values::success),
    property(&["Success"], "id", "Id of the user that was created, changed or deleted, or of the key that was revoked. Absent in the response to invite.", values::changed_id),
    property(&["KeyList"], "keys", "The keys, newest first.", unconstrained),
    property(KEYS, "id", "Identifier of the key: the id of its owner, a dash and 12 hexadecimal digits. It is not the key.", values::key_id),
    property(&["IssuedKey"], "key", "The key, shown this once. Null in the response to a repeated request.", values::api_key),
    property(KEYS, "label", "Name of the key; null for a key that an operator issued without one.", values::key_label),
    property(KEYS, "access", "`all`, or `read` for a key for GET and HEAD only.", values::key_access),
    property(KEYS, "allowed_networks", "Networks from which the key may be called; empty for everywhere.", unconstrained),
    property(KEYS, "allowed_networks[]", "A network in CIDR notation.", values::network),
    property(KEYS, "created_at", "Instant of its creation.", values::date_time),
    property(KEYS, "expires_at", "Instant from which it gives no access; null for a key of an operator that does not end.", values::date_time),
    property(KEYS, "last_used_at", "Its last use, to the hour; null if it was never used.", values::date_time),
    property(KEYS, "revoked_at", "Instant at which it was revoked; null if it was not.", values::date_time),
    property(&["Category"], "id", "Identifier: opaque text.", values::opaque_id),
    property(&["Category"], "code", "Readable code.", unconstrained),
    property(&["Category"], "name", "Name in the requested language, or else in English, or else the code.", unconstrained),
    property(&["Category"], "ancestors", "Names of the groups that contain the category, topmost first, in the requested language or in English.", unconstrained),
    property(&["Category"], "ancestors[]", "Name of a group.", unconstrained),
    property(&["Category"], "partners", "Ids of the category at the listing partners.", unconstrained),
    property(&["Partners"], "partner_4", "Ids and names at this partner; empty if none is known.", unconstrained),
    property(&["Partners"], "partner_*", "Ids at this partner; empty if none is known.", unconstrained),
    property(&["PartnerCategory"], "id", "Id at the partner.", unconstrained),
    property(&["PartnerCategory"], "name", "Name at the partner.", unconstrained),
    property(&["Review"], "id", "Identifier of the review in this service. It never changes.", values::review_id),
    property(&["Review"], "org_id", "Organisation that owns the business, as a string.", values::decimal_id),
    property(&["Review"], "business_id", "Business that was reviewed.", values::opaque_id),
    property(&["Review"], "partner", "Listing partner that published the review.", values::partner),
    property(&["Review"], "partner_id", "Id at the partner.", unconstrained),
    property(&["Review"], "author_name", "Name of the author; null if unknown.", unconstrained),
    property(&["Review"], "date", "Time at which the review was written: UTC, whole seconds.", values::date_time),
    property(&["Review"], "update_date", "Time of the partner's last change, or of writing if there was none: UTC, whole seconds. A change through this API leaves it as it is. Always present.", values::date_time),
    property(&["Review"], "delete_date", "Approximate day of the deletion. Only for a `deleted` review, if known.", values::date),
    property(&["Review"], "rating", "1, the worst, to 5.", values::rating),
    property(&["Review"], "title", "Title; null if there is none.", unconstrained),
    property(&["Review"], "content", "Text; null if there is none or it is blank.", unconstrained),
    property(&["Review"], "reply_comment", "Reply of the business; null if there is none.", unconstrained),
    property(&["Review"], "state", "`not_treated` until the review is answered or settled. `deleted` when the partner no longer shows it.", values::review_state),
    property(&["Review"], "link", "URL of the review; null if unknown.", unconstrained),
    property(&["Review"], "key", "Key of the review at the partner: its id there.", unconstrained),
    property(&["Reply"], "review_id", "Identifier of the review.", values::review_id),
    property(&["Reply"], "content", "Text that was asked for; null for a removal.", unconstrained),
    property(&["Reply"], "state", "`pending`: accepted, and on its way to the partner. `published` and `rejected` by the partner. `removing`: taken back, and the removal is on its way. `unmanaged`: the partner's own reply, which did not come from here.", values::reply_state),
    property(&["Reply"], "reason", "Reason that the partner gave; null if there is none.", unconstrained),
    property(&["Reply"], "version", "Number of the request among those of the review; null for the partner's own reply.", values::at_least_one),
    property(&["Reply"], "requested_at", "Time of the request: UTC, whole seconds. Null for the partner's own reply.", values::date_time),
    property(&["Reply"], "requested_by", "Id of the user who asked; null for the partner's own reply.", values::decimal_id),
    property(&["Reply"], "settled_at", "Time of the outcome: UTC, whole seconds. Null while the request is on its way, and if an import without `seen_at` told the outcome.", values::date_time),
    property(&["ReviewSuccess"], "status", "Always `success`.", values::success),
    property(&["ReviewSuccess"], "id", "Identifier of the review.", values::review_id),
    property(&["WebhookList"], "webhooks", "The webhooks, oldest first.", unconstrained),
    property(WEBHOOKS, "id", "Identifier: the organisation, a dash and 12 hexadecimal digits.", values::webhook_id),
    property(WEBHOOKS, "url", "Address of the receiver.", values::webhook_url),
    property(WEBHOOKS, "types", "Types of events that it is told of, or groups of types; empty for all.", unconstrained),
    property(WEBHOOKS, "types[]", "A type, or a group of types. There may be new ones.", unconstrained),
    property(WEBHOOKS, "label", "Name for people; null for none.", values::key_label),
    property(WEBHOOKS, "state", "`enabled`; `failing` from the first failed attempt until nothing waits; `disabled`: nothing is sent until it is enabled again.", values::webhook_state),
    property(WEBHOOKS, "failing_since", "Instant of the first failed attempt; null if nothing failed since nothing waited.", values::date_time),
    property(WEBHOOKS, "cursor", "Position in the feed: the events up to it were sent, or wait for another attempt.", values::position),
    property(WEBHOOKS, "created_at", "Instant of its creation.", values::date_time),
    property(&["WebhookWithSecret"], "secret", "Secret of the signatures, shown this once. Null in the response to a repeated request.", unconstrained),
    property(&["DeliveryPage"], "deliveries", "The deliveries, newest event first.", unconstrained),
    property(&["DeliveryPage"], "next", "Cursor after which the next page begins.", values::position),
    property(&["DeliveryPage"], "has_more", "True if there are older deliveries.", unconstrained),
    property(&["Delivery"], "event_id", "Id of the event, which its messages have as `webhook-id`.", unconstrained),
    property(&["Delivery"], "type", "Type of the event.", unconstrained),
    property(&["Delivery"], "after", "Cursor just before the event, for `GET /events` and for a replay; null for `webhook.test`, which no feed has.", values::position),
    property(&["Delivery"], "attempts", "The attempts, oldest first.", unconstrained),
    property(&["Delivery"], "state", "`delivered`; `waiting` for another attempt; `given_up`: it is not sent again unless it is replayed.", values::delivery_state),
    property(&["DeliveryAttempt"], "at", "Start of the attempt, with milliseconds.", values::date_time),
    property(&["DeliveryAttempt"], "status", "Status that the receiver answered; null without an answer.", unconstrained),
    property(&["DeliveryAttempt"], "milliseconds", "Duration.", values::non_negative),
    property(&["DeliveryAttempt"], "error", "Reason of the failure; null if the event was delivered.", unconstrained),
    property(&["WebhookSuccess"], "status", "Always `success`.", values::success),
    property(&["WebhookSuccess"], "id", "Identifier of the webhook.", values::webhook_id),
    property(STATS, "count", "Number of reviews.", values::non_negative),
    property(STATS, "average_rating", "Average rating, rounded half up to two decimals; null without a review.", values::average_rating),
    property(STATS, "ratings", "Number of reviews of each rating.", unconstrained),
    property(&["ReviewStats"], "states", "Number of reviews in each state.", unconstrained),
    property(&["ReviewStats"], "partners", "Number of reviews on each partner.", unconstrained),
    property(&["ReviewStats"], "with_content", "Number of reviews with text.", values::non_negative),
    property(&["ReviewStats"], "without_content", "Number of reviews without text, or with a blank one.", values::non_negative),
    property(&["ReviewStats"], "groups", "Groups with at least one review. Only with `group_by`.", unconstrained),
    property(&["ReviewGroup"], "key", "Property that the reviews have in common: day `YYYY-MM-DD`, month `YYYY-MM`, year `YYYY`, id of a business, city as `business_city` compares it, partner, state, or rating.", unconstrained),
    property(&["ReviewGroup"], "name", "Name of the city as its business with the lowest id writes it. Only with `group_by=city`.", unconstrained),
    property(&["RatingCounts"], "1", "Reviews with the worst rating.", values::non_negative),
    property(&["RatingCounts"], "2", "Reviews with two stars.", values::non_negative),
    property(&["RatingCounts"], "3", "Reviews with three stars.", values::non_negative),
    property(&["RatingCounts"], "4", "Reviews with four stars.", values::non_negative),
    property(&["RatingCounts"], "5", "Reviews with the best rating.", values::non_negative),
    property(&["StateCounts"], "treated", "Reviews that are answered or settled.", values::non_negative),
    property(&["StateCounts"], "not_treated", "Reviews that nobody has dealt with yet.", values::non_negative),
    property(&["StateCounts"], "deleted", "Reviews that the partner no longer shows.", values::non_negative),
    property(&["PartnerCounts"], "partner_*", "Reviews on this partner.", values::non_negative),
    property(&["EventPage"], "events", "The events of the page, oldest first.", unconstrained),
    property(&["EventPage"], "next", "Cursor after which the next page begins. It is there at the end of the feed, too.", values::cursor),
    property(&["EventPage"], "has_more", "True if the feed has later events, which a filter may leave out.", unconstrained),
    property(&["Event"], "id", "Id of the event: unique, and the same for ever.", unconstrained),
    property(&["Event"], "type", "Type of the event. Ignore those that you do not know: there may be new ones.", unconstrained),
    property(&["Event"], "at", "Instant of the change, with milliseconds.", values::date_time),
    property(&["Event"], "data", "Ids of what changed and of its organisation, names of fields, and the version. The type says which of them are there.", unconstrained),
    property(&["EventData"], "id", "Id of the user, review, key or webhook. Absent for an invitation.", unconstrained),
    property(&["EventData"], "replaces", "Id of the key that this one replaces. Only in `key.rotated`.", values::key_id),
    property(&["EventData"], "user_id", "User who is invited, or owns the key.", values::decimal_id),
    property(&["EventData"], "org_id", "Organisation; null for a user without one.", values::org_id),
    property(&["EventData"], "business_id", "Business of the review.", values::opaque_id),
    property(&["EventData"], "fields", "Names of the fields that changed, for a user or a review.", unconstrained),
    property(&["EventData"], "version", "Version after the change; for a reply that of the request. Null for a change that has none. Absent for a webhook.", values::at_least_one),
    property(&["EventData"], "at", "Instant of the change, with milliseconds.", values::date_time),
];

/// Returns the schemas of all responses, by name.
pub(crate) fn schemas() -> Vec<(String, RefOr<Schema>)> {
    let users = presence_users::openapi::schemas().into_iter();
    let others = presence_categories::openapi::schemas().into_iter().chain(presence_reviews::openapi::schemas());
    let others = others.chain(presence_feed::openapi::schemas());
    users.chain(others).map(|(name, schema)| (name.clone(), describe_schema(&name, schema))).collect()
}

fn describe_schema(name: &str, schema: RefOr<Schema>) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = schema else {
        assert!(matches!(schema, RefOr::T(Schema::OneOf(_))), "{name} is no object");
        return schema;
    };
    let properties = std::mem::take(&mut object.properties);
    object.properties = properties
        .into_iter()
        .map(|(property, value)| {
            let described = describe_property(name, &property, value);
            (property, described)
        })
        .collect();
    if CLOSED_SCHEMAS.contains(&name) {
        object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    }
    object.into()
}

fn describe_property(schema: &str, name: &str, value: RefOr<Schema>) -> RefOr<Schema> {
    let property = find_property(schema, name).unwrap_or_else(|| panic!("{schema}.{name} is not described"));
    match value {
        RefOr::Ref(mut reference) => {
            property.description.clone_into(&mut reference.description);
            reference.into()
        }
        // The bounds of the domain replace those of the Rust type.
        RefOr::T(Schema::Object(object)) => {
            (property.constraint)(ObjectBuilder::from(object)).description(Some(property.description)).into()
        }
        RefOr::T(Schema::Array(array)) => describe_array(schema, name, property, array).into(),
        RefOr::T(_) => panic!("{schema}.{name} is of a kind that no response has"),
    }
}

/// Describes an array. Its items are described too if the table has a row `name[]`.
fn describe_array(schema: &str, name: &str, property: &Property, mut array: Array) -> Array {
    let items_name = format!("{name}[]");
    let has_items_row = find_property(schema, &items_name).is_some();
    array.items = match array.items {
        ArrayItems::RefOrSchema(items) if has_items_row => {
            ArrayItems::RefOrSchema(Box::new(describe_property(schema, &items_name, *items)))
        }
        other => other,
    };
    array.description = Some(property.description.to_owned());
    array
}

fn find_property(schema: &str, name: &str) -> Option<&'static Property> {
    let is_name = |pattern: &str| {
        pattern.strip_suffix('*').map_or(pattern == name, |prefix| name.starts_with(prefix) && !name.ends_with("[]"))
    };
    PROPERTIES.iter().find(|property| property.schemas.contains(&schema) && is_name(property.name))
}
