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
const PAGES: &[&str] = &["UserPage", "CategoryPage", "ReviewPage"];
/// Schemas without additional properties. Clients may rely on the listed partners being all.
const CLOSED_SCHEMAS: [&str; 2] = ["Partners", "PartnerCategory"];
const ONLY_IDS: &str = "Ids there; empty when none is known.";

/// Table of all properties.
#[rustfmt::skip]
const PROPERTIES: &[Property] = &[
    property(USERS, "id", "Identifier: a decimal number up to 2^53 − 1, as a string.", values::decimal_id),
    property(USERS, "status", "`invited` until the person has chosen a password, or was made `active`.", values::status),
    property(USERS, "first_name", "First name.", values::person_name),
    property(USERS, "last_name", "Last name.", values::person_name),
    property(USERS, "business_ids", "Businesses that the user may WRITE, in the order given. Left out with `display_business_ids=False`.", unconstrained),
    property(USERS, "business_ids[]", "A business of the user's organisation.", values::opaque_id),
    property(USERS, "org_id", "The organisation whose businesses the user may READ; null for a PROVIDER without one.", values::org_id),
    property(USERS, "phone", "Phone number; null when there is none.", values::phone),
    property(USERS, "role", "What the user may do: see each operation.", values::role),
    property(USERS, "email", "E-mail address as it was typed; no two users have the same one.", values::email),
    property(PAGES, "page", "The page, as asked; below 1 it is 1.", values::at_least_one),
    property(PAGES, "max_page", "The last page that has anything; 1 when nothing was found.", values::at_least_one),
    property(PAGES, "count", "How many were found, on all pages: exact, always.", values::non_negative),
    property(&["UserPage"], "users", "The users of the page; empty past the last one.", unconstrained),
    property(&["CategoryPage"], "categories", "The categories of the page; empty past the last one.", unconstrained),
    property(&["ReviewPage"], "reviews", "The reviews of the page; empty past the last one.", unconstrained),
    property(&["UserStats"], "count", "All users that an unfiltered search with the same key lists.", values::non_negative),
    property(&["UserStats"], "invited_count", "Those of them who are `invited`.", values::non_negative),
    property(&["UserStats"], "activate_count", "Those of them who are `active`.", values::non_negative),
    property(&["Success"], "status", "Always `success`.", values::success),
    property(&["Success"], "id", "The user that was created, changed or deleted. Left out by invite.", values::decimal_id),
    property(&["Category"], "id", "Identifier: opaque text.", values::opaque_id),
    property(&["Category"], "code", "A readable code.", unconstrained),
    property(&["Category"], "name", "Name in the language asked for; in English, or else the code, where that language has none.", unconstrained),
    property(&["Category"], "ancestors", "Names of the groups that it belongs to, the topmost first, in the language asked for or in English.", unconstrained),
    property(&["Category"], "ancestors[]", "The name of a group.", unconstrained),
    property(&["Category"], "partners", "What the listing partners call it.", unconstrained),
    property(&["Partners"], "partner_1", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_2", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_3", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_4", "Categories there, with their names; empty when none is known.", unconstrained),
    property(&["Partners"], "partner_5", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_6", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_7", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_8", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_9", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_10", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_11", ONLY_IDS, unconstrained),
    property(&["Partners"], "partner_12", ONLY_IDS, unconstrained),
    property(&["PartnerCategory"], "id", "Its id there.", unconstrained),
    property(&["PartnerCategory"], "name", "Its name there.", unconstrained),
    property(&["Review"], "id", "Identifier of the service: it never changes.", values::review_id),
    property(&["Review"], "org_id", "The organisation that owns the business: a string here.", values::decimal_id),
    property(&["Review"], "business_id", "The business that was reviewed.", values::opaque_id),
    property(&["Review"], "partner", "Where it was left.", values::partner),
    property(&["Review"], "partner_id", "Its id there.", unconstrained),
    property(&["Review"], "author_name", "Who wrote it; null when unknown.", unconstrained),
    property(&["Review"], "date", "When it was written: UTC, whole seconds.", values::date_time),
    property(&["Review"], "update_date", "When it was last changed, else when it was written: UTC, whole seconds. Always there.", values::date_time),
    property(&["Review"], "delete_date", "The day since which it is gone, about; only of a `deleted` review, where known.", values::date),
    property(&["Review"], "rating", "1, the worst, to 5.", values::rating),
    property(&["Review"], "title", "Title; null when there is none.", unconstrained),
    property(&["Review"], "content", "Text; null when there is none, or a blank one.", unconstrained),
    property(&["Review"], "reply_comment", "The answer of the business; null when there is none.", unconstrained),
    property(&["Review"], "state", "`not_treated` until it was answered or settled; `deleted` when the partner shows it no more.", values::review_state),
    property(&["Review"], "link", "Where it can be read; null when unknown.", unconstrained),
    property(&["Review"], "key", "Its id there, as its key.", unconstrained),
];

/// Returns the schemas of all responses, by name.
pub(crate) fn schemas() -> Vec<(String, RefOr<Schema>)> {
    let users = presence_users::openapi::schemas().into_iter();
    let others = presence_categories::openapi::schemas().into_iter().chain(presence_reviews::openapi::schemas());
    users.chain(others).map(|(name, schema)| (name.clone(), describe_schema(&name, schema))).collect()
}

fn describe_schema(name: &str, schema: RefOr<Schema>) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = schema else { panic!("{name} is no object") };
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
        RefOr::T(Schema::Array(array)) => describe_array(schema, property, array).into(),
        RefOr::T(_) => panic!("{schema}.{name} is of a kind that no response has"),
    }
}

/// Describes an array. Its items are described too if the table has a row `name[]`.
fn describe_array(schema: &str, property: &Property, mut array: Array) -> Array {
    let items_name = format!("{}[]", property.name);
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
    PROPERTIES.iter().find(|property| property.schemas.contains(&schema) && property.name == name)
}
