//! The shapes of answers: the types say names, order, and what is always there; the rest is said here, a row a property.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Array, ArrayItems, Object, ObjectBuilder, Schema};

use crate::values::{self, Refine, plain};

/// Schemas, property, words, and what the type does not bound.
type Row = (&'static [&'static str], &'static str, &'static str, Refine);

const USERS: &[&str] = &["User", "FoundUser"];
const PAGES: &[&str] = &["UserPage", "CategoryPage", "ReviewPage"];
const ONLY_IDS: &str = "Ids there; empty when none is known.";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (USERS, "id", "Identifier: a decimal number up to 2^53 − 1, as a string.", values::decimal_id),
    (USERS, "status", "`invited` until the person has chosen a password, or was made `active`.", values::status),
    (USERS, "first_name", "First name.", values::person_name),
    (USERS, "last_name", "Last name.", values::person_name),
    (USERS, "business_ids", "Businesses that the user may WRITE, in the order given. Left out with `display_business_ids=False`.", plain),
    (USERS, "business_ids[]", "A business of the user's organisation.", values::opaque_id),
    (USERS, "org_id", "The organisation whose businesses the user may READ; null for a PROVIDER without one.", values::org_id),
    (USERS, "phone", "Phone number; null when there is none.", values::phone),
    (USERS, "role", "What the user may do: see each operation.", values::role),
    (USERS, "email", "E-mail address as it was typed; no two users have the same one.", values::email),
    (PAGES, "page", "The page, as asked; below 1 it is 1.", values::from_one),
    (PAGES, "max_page", "The last page that has anything; 1 when nothing was found.", values::from_one),
    (PAGES, "count", "How many were found, on all pages: exact, always.", values::from_zero),
    (&["UserPage"], "users", "The users of the page; empty past the last one.", plain),
    (&["CategoryPage"], "categories", "The categories of the page; empty past the last one.", plain),
    (&["ReviewPage"], "reviews", "The reviews of the page; empty past the last one.", plain),
    (&["UserStats"], "count", "All users that an unfiltered search with the same key lists.", values::from_zero),
    (&["UserStats"], "invited_count", "Those of them who are `invited`.", values::from_zero),
    (&["UserStats"], "activate_count", "Those of them who are `active`.", values::from_zero),
    (&["Success"], "status", "Always `success`.", values::success),
    (&["Success"], "id", "The user that was created, changed or deleted. Left out by invite.", values::decimal_id),
    (&["Category"], "id", "Identifier: opaque text.", values::opaque_id),
    (&["Category"], "code", "A readable code.", plain),
    (&["Category"], "name", "Name in the language asked for; in English, or else the code, where that language has none.", plain),
    (&["Category"], "ancestors", "Names of the groups that it belongs to, the topmost first, in the language asked for or in English.", plain),
    (&["Category"], "ancestors[]", "The name of a group.", plain),
    (&["Category"], "partners", "What the listing partners call it.", plain),
    (&["Partners"], "partner_1", ONLY_IDS, plain),
    (&["Partners"], "partner_2", ONLY_IDS, plain),
    (&["Partners"], "partner_3", ONLY_IDS, plain),
    (&["Partners"], "partner_4", "Categories there, with their names; empty when none is known.", plain),
    (&["Partners"], "partner_5", ONLY_IDS, plain),
    (&["Partners"], "partner_6", ONLY_IDS, plain),
    (&["Partners"], "partner_7", ONLY_IDS, plain),
    (&["Partners"], "partner_8", ONLY_IDS, plain),
    (&["Partners"], "partner_9", ONLY_IDS, plain),
    (&["Partners"], "partner_10", ONLY_IDS, plain),
    (&["Partners"], "partner_11", ONLY_IDS, plain),
    (&["Partners"], "partner_12", ONLY_IDS, plain),
    (&["PartnerCategory"], "id", "Its id there.", plain),
    (&["PartnerCategory"], "name", "Its name there.", plain),
    (&["Review"], "id", "Identifier of the service: it never changes.", values::review_id),
    (&["Review"], "org_id", "The organisation that owns the business: a string here.", values::decimal_id),
    (&["Review"], "business_id", "The business that was reviewed.", values::opaque_id),
    (&["Review"], "partner", "Where it was left.", values::partner),
    (&["Review"], "partner_id", "Its id there.", plain),
    (&["Review"], "author_name", "Who wrote it; null when unknown.", plain),
    (&["Review"], "date", "When it was written: UTC, whole seconds.", values::second),
    (&["Review"], "update_date", "When it was last changed, else when it was written: UTC, whole seconds. Always there.", values::second),
    (&["Review"], "delete_date", "The day since which it is gone, about; only of a `deleted` review, where known.", values::day),
    (&["Review"], "rating", "1, the worst, to 5.", values::rating),
    (&["Review"], "title", "Title; null when there is none.", plain),
    (&["Review"], "content", "Text; null when there is none, or a blank one.", plain),
    (&["Review"], "reply_comment", "The answer of the business; null when there is none.", plain),
    (&["Review"], "state", "`not_treated` until it was answered or settled; `deleted` when the partner shows it no more.", values::state),
    (&["Review"], "link", "Where it can be read; null when unknown.", plain),
    (&["Review"], "key", "Its id there, as its key.", plain),
];

/// Every schema of an answer, by name.
pub(crate) fn schemas() -> Vec<(String, RefOr<Schema>)> {
    let users = presence_users::openapi::schemas().into_iter();
    let others = presence_categories::openapi::schemas().into_iter().chain(presence_reviews::openapi::schemas());
    users.chain(others).map(|(name, schema)| (name.clone(), described(&name, schema))).collect()
}

fn described(name: &str, schema: RefOr<Schema>) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = schema else { panic!("{name} is no object") };
    let properties = std::mem::take(&mut object.properties);
    object.properties =
        properties.into_iter().map(|(property, value)| (property.clone(), with_row(name, &property, value))).collect();
    if name == "Partners" {
        // Files may leave a partner out, answers do not.
        object.required = object.properties.keys().cloned().collect();
    }
    object.into()
}

fn with_row(schema: &str, property: &str, value: RefOr<Schema>) -> RefOr<Schema> {
    let row = ROWS.iter().find(|(schemas, name, ..)| schemas.contains(&schema) && *name == property);
    let (_, _, words, refine) = row.unwrap_or_else(|| panic!("{schema}.{property} is not described"));
    match value {
        RefOr::Ref(mut reference) => {
            (*words).clone_into(&mut reference.description);
            reference.into()
        }
        RefOr::T(Schema::Object(object)) => refined(object, *refine).description(Some(*words)).into(),
        RefOr::T(Schema::Array(array)) => of_items(schema, property, array, words).into(),
        RefOr::T(_) => panic!("{schema}.{property} is of a kind that no answer has"),
    }
}

/// Items that are something of their own have a row of their own, `property[]`.
fn of_items(schema: &str, property: &str, mut array: Array, words: &str) -> Array {
    let items = format!("{property}[]");
    let has_row = ROWS.iter().any(|(schemas, name, ..)| schemas.contains(&schema) && *name == items);
    array.items = match array.items {
        ArrayItems::RefOrSchema(item) if has_row => ArrayItems::RefOrSchema(Box::new(with_row(schema, &items, *item))),
        other => other,
    };
    array.description = Some(words.to_owned());
    // What reading files puts in the place of nothing; an answer always has it.
    array.default = None;
    array
}

/// Bounds of the Rust type give way to those of the domain.
fn refined(object: Object, refine: Refine) -> ObjectBuilder {
    refine(ObjectBuilder::from(object))
}
