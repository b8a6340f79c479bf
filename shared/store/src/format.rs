//! Formats of stored items.
//!
//! Old items keep their form until they are written again. So each kind of item numbers its formats. The attribute `format`
//! holds the number; without it the item has the first format. This version reads every format up to the present one, and
//! refuses newer ones, which a later version wrote. `ops migrate` rewrites older ones.
//!
//! Facet counts and postings are written by `ADD` and `SET`, not from a type: they have the first format until the ledger changes.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};

use crate::client::read::{Item, number};
use crate::keys::{
    ANSWER_PREFIX, BUCKET_PREFIX, BUSINESS_CHANGES_HEAD_PK, BUSINESS_CHANGES_PK_PREFIX, CHANGES_PK_PREFIX,
    COUNTS_PK_PREFIX, DIRECTORY_PK, LOCK_SK, MAIL_SK_PREFIX, MAILBOX_SK, MARK_SK, ORGS_WITH_REVIEWS_PK,
    POSTINGS_PK_PREFIX, REVIEW_SK, ROSTERS_PK, USER_SK, parse_category_pk,
};
use crate::schema::{API_KEYS, AUDIT, BUSINESSES, CATEGORIES, REVIEWS, Table, USERS};
use presence_domain::error::Error;

/// Attribute that holds the format.
pub(super) const FORMAT: &str = "format";

/// Format of items without the attribute.
const FIRST: u64 = 1;

/// Kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Name in error messages.
    pub(super) name: &'static str,
    /// Latest format that this version writes.
    pub(super) format: u64,
    /// Earliest format of items that need no migration.
    pub(super) current_from: u64,
}

impl Kind {
    const fn first(name: &'static str) -> Self {
        Self { name, format: FIRST, current_from: FIRST }
    }
}

/// Any kind that has one format.
pub(super) const ANY: Kind = Kind::first("item");
/// Item of a user. Format 2 has `email_domain`, for `email-index`.
pub(super) const USER: Kind = Kind { name: "user", format: 2, current_from: 2 };
/// Reservation of an address.
pub(super) const LOCK: Kind = Kind::first("lock");
/// Head of a user directory: counts and digest.
pub(super) const DIRECTORY_HEAD: Kind = Kind::first("roster");
/// Mail in the outbox.
pub(super) const MAIL: Kind = Kind::first("mail");
/// Quiet window of an address.
pub(super) const MAILBOX: Kind = Kind::first("mailbox");
/// Mark of an address: bounced, or complained about.
pub(super) const MARK: Kind = Kind::first("mark");
/// Entry in the change log of a user directory.
pub(super) const CHANGES: Kind = Kind::first("changes");
/// API key by hash.
pub(super) const KEY: Kind = Kind::first("key");
/// Bucket of the limit of an API key.
pub(super) const BUCKET: Kind = Kind::first("bucket");
/// Answer that is kept under an idempotency key.
pub(super) const ANSWER: Kind = Kind::first("answer");
/// Organisation that owns businesses.
pub(super) const ORG: Kind = Kind::first("organisation");
/// Business of an organisation.
pub(super) const BUSINESS: Kind = Kind::first("business");
/// Entry in the log of changes of businesses.
pub(super) const BUSINESS_CHANGES: Kind = Kind::first("changes of businesses");
/// Head of the log of changes of businesses.
pub(super) const BUSINESS_CHANGES_HEAD: Kind = Kind::first("head of the changes of businesses");
/// Category of businesses. Format 2 holds its states as text; format 1 holds them as maps, or, in versions between, as text too.
pub(super) const CATEGORY: Kind = Kind { name: "category", format: 2, current_from: 2 };
/// Head of the category directory.
pub(super) const CATEGORY_HEAD: Kind = Kind::first("category head");
/// Review of a business. Format 3 has its fields in one binary attribute. Formats 1 and 2 have an attribute for each; they stay
/// until the review is written again. Format 2 has `seen_at`.
pub(super) const REVIEW: Kind = Kind { name: "review", format: 3, current_from: 1 };
/// Facet counts of a month or a day.
pub(super) const FACET_COUNTS: Kind = Kind::first("tally");
/// Postings of a day.
pub(super) const POSTINGS: Kind = Kind::first("slips");
/// An organisation in the list of those with reviews.
pub(super) const ORG_WITH_REVIEWS: Kind = Kind::first("organisation with reviews");
/// Record of the audit trail.
pub(super) const AUDIT_RECORD: Kind = Kind::first("audit record");

/// Returns the kinds of items in a table.
pub(super) fn kinds(table: &Table) -> &'static [Kind] {
    match table.name {
        name if name == USERS.name => &[USER, LOCK, DIRECTORY_HEAD, MAIL, MAILBOX, MARK, CHANGES],
        name if name == API_KEYS.name => &[KEY, BUCKET, ANSWER],
        name if name == BUSINESSES.name => &[ORG, BUSINESS, BUSINESS_CHANGES, BUSINESS_CHANGES_HEAD],
        name if name == CATEGORIES.name => &[CATEGORY, CATEGORY_HEAD],
        name if name == REVIEWS.name => &[REVIEW, FACET_COUNTS, POSTINGS, ORG_WITH_REVIEWS],
        name if name == AUDIT.name => &[AUDIT_RECORD],
        _ => &[],
    }
}

/// Returns the kind of an item by its key; [`ANY`] for an unknown one.
pub(super) fn kind_of(table: &Table, item: &Item) -> Kind {
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
    let (pk, sk) = (text("pk"), text("sk"));
    match table.name {
        name if name == USERS.name => match sk {
            USER_SK => USER,
            LOCK_SK => LOCK,
            MAILBOX_SK => MAILBOX,
            MARK_SK => MARK,
            _ if pk == ROSTERS_PK => DIRECTORY_HEAD,
            _ if pk.starts_with(CHANGES_PK_PREFIX) => CHANGES,
            sk if sk.starts_with(MAIL_SK_PREFIX) => MAIL,
            _ => ANY,
        },
        name if name == API_KEYS.name => match text("key_hash") {
            key if key.starts_with(BUCKET_PREFIX) => BUCKET,
            key if key.starts_with(ANSWER_PREFIX) => ANSWER,
            _ => KEY,
        },
        name if name == BUSINESSES.name => {
            if pk.starts_with("ORG#") {
                ORG
            } else if pk == BUSINESS_CHANGES_HEAD_PK {
                BUSINESS_CHANGES_HEAD
            } else if pk.starts_with(BUSINESS_CHANGES_PK_PREFIX) {
                BUSINESS_CHANGES
            } else {
                BUSINESS
            }
        }
        name if name == CATEGORIES.name => match pk {
            DIRECTORY_PK => CATEGORY_HEAD,
            pk if parse_category_pk(pk).is_some() => CATEGORY,
            _ => ANY,
        },
        name if name == REVIEWS.name => match pk {
            ORGS_WITH_REVIEWS_PK => ORG_WITH_REVIEWS,
            _ if sk == REVIEW_SK => REVIEW,
            pk if pk.starts_with(COUNTS_PK_PREFIX) => FACET_COUNTS,
            pk if pk.starts_with(POSTINGS_PK_PREFIX) => POSTINGS,
            _ => ANY,
        },
        name if name == AUDIT.name => AUDIT_RECORD,
        _ => ANY,
    }
}

/// Returns the format of an item; 0 if the attribute is not a number.
pub(super) fn format_of(item: &Item) -> u64 {
    let parse = |value: &AttributeValue| value.as_n().ok()?.parse().ok();
    item.get(FORMAT).map_or(FIRST, |value| parse(value).unwrap_or_default())
}

/// Checks that this version knows the format of an item. Returns [`Error::Unavailable`] otherwise: during a deployment, a retry
/// may reach a function of the version that wrote the item.
pub(super) fn check(kind: Kind, item: &Item) -> Result<(), Error> {
    match format_of(item) {
        format if (FIRST..=kind.format).contains(&format) => Ok(()),
        format => {
            let Kind { name, format: known, .. } = kind;
            let text = format!("a stored {name} has format {format}, and this version knows those up to {known}");
            Err(Error::Unavailable(text.into()))
        }
    }
}

/// Writes the present format of a kind into an item. The first format needs no attribute.
pub(super) fn mark(kind: Kind, item: &mut Item) {
    if kind.format > FIRST {
        item.insert(FORMAT.to_owned(), number(kind.format));
    }
}

/// Parses an item of a kind that has one format. An item that does not fit its type is [`Error::Internal`].
pub(crate) fn parse<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    parse_as(ANY, item)
}

/// Parses an item of a kind. Returns [`Error::Unavailable`] for a format that this version does not know.
pub(crate) fn parse_as<T: DeserializeOwned>(kind: Kind, item: Item) -> Result<T, Error> {
    check(kind, &item)?;
    let attributes = item.into_iter().map(|(name, value)| (name, StoredAttribute(value)));
    T::deserialize(MapDeserializer::new(attributes)).map_err(Error::internal)
}

/// Attribute that is parsed where it lies. `serde_dynamo::from_item` would first copy the whole item into a map of its own, which
/// takes longer than to parse it.
struct StoredAttribute(AttributeValue);

impl IntoDeserializer<'_, serde_dynamo::Error> for StoredAttribute {
    type Deserializer = serde_dynamo::Deserializer;

    fn into_deserializer(self) -> Self::Deserializer {
        serde_dynamo::Deserializer::from_attribute_value(self.0.into())
    }
}

/// Serialises a value as an item of a kind that has one format.
pub(crate) fn item<T: serde::Serialize>(value: &T) -> Result<Item, Error> {
    item_as(ANY, value)
}

/// Serialises a value as an item of a kind, in its present format.
pub(crate) fn item_as<T: serde::Serialize>(kind: Kind, value: &T) -> Result<Item, Error> {
    let mut item = serde_dynamo::to_item(value).map_err(Error::internal)?;
    mark(kind, &mut item);
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct EachAttribute {
        text: String,
        number: i64,
        share: f64,
        flag: bool,
        list: Vec<u8>,
        map: HashMap<String, String>,
        missing: Option<u64>,
        null: Option<u64>,
        present: Option<u64>,
        #[serde(default)]
        defaulted: Vec<String>,
    }

    fn each_attribute() -> Item {
        HashMap::from([
            ("text".to_owned(), AttributeValue::S("Ada".to_owned())),
            ("number".to_owned(), number(i64::MIN)),
            ("share".to_owned(), AttributeValue::N("0.25".to_owned())),
            ("flag".to_owned(), AttributeValue::Bool(true)),
            ("list".to_owned(), AttributeValue::L(vec![number(1), number(255)])),
            ("map".to_owned(), AttributeValue::M(crate::client::read::pk_sk("a", "b"))),
            ("null".to_owned(), AttributeValue::Null(true)),
            ("present".to_owned(), number(u64::MAX)),
            ("unknown".to_owned(), AttributeValue::Ss(vec!["c".to_owned()])),
        ])
    }

    #[test]
    fn attributes_of_every_type_are_parsed_and_unknown_ones_are_ignored() {
        let parsed: EachAttribute = parse(each_attribute()).expect("an item");
        let map = HashMap::from([("pk", "a"), ("sk", "b")].map(|(name, text)| (name.to_owned(), text.to_owned())));
        let expected = EachAttribute {
            text: "Ada".to_owned(),
            number: i64::MIN,
            share: 0.25,
            flag: true,
            list: vec![1, 255],
            map,
            missing: None,
            null: None,
            present: Some(u64::MAX),
            defaulted: Vec::new(),
        };
        assert_eq!(parsed, expected);
    }

    #[test]
    fn attribute_that_is_missing_or_of_another_type_is_an_error_without_its_text() {
        for (name, value) in [
            ("text", number(1)),
            ("number", AttributeValue::S("Ada".to_owned())),
            ("list", AttributeValue::L(vec![number(256)])),
            ("map", AttributeValue::S("Ada".to_owned())),
            ("present", AttributeValue::Bool(true)),
        ] {
            let (mut other, mut without) = (each_attribute(), each_attribute());
            other.insert(name.to_owned(), value);
            let error = parse::<EachAttribute>(other).expect_err(name);
            assert!(matches!(&error, Error::Internal(_)) && !format!("{error:?}").contains("Ada"), "{name}: {error:?}");
            without.remove(name);
            assert_eq!(parse::<EachAttribute>(without).is_err(), name != "present", "{name}");
        }
    }

    #[test]
    fn formats_up_to_the_present_one_are_read_and_newer_ones_are_named() {
        let of = |format: i128| HashMap::from([(FORMAT.to_owned(), number(format))]);
        for item in [HashMap::new(), of(1), of(2)] {
            assert!(check(USER, &item).is_ok(), "{item:?}");
        }
        for (kind, format, expected) in [
            (USER, 3, "a stored user has format 3, and this version knows those up to 2"),
            (REVIEW, 4, "a stored review has format 4, and this version knows those up to 3"),
            (ANY, 0, "a stored item has format 0, and this version knows those up to 1"),
        ] {
            match check(kind, &of(format)) {
                Err(Error::Unavailable(source)) => assert_eq!(source.to_string(), expected),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn an_item_is_marked_where_its_format_is_not_the_first() {
        for (kind, format) in [(USER, Some(2)), (DIRECTORY_HEAD, None)] {
            let mut item = HashMap::new();
            mark(kind, &mut item);
            assert_eq!(item.get(FORMAT).cloned(), format.map(|format: i128| number(format)));
            assert_eq!(format_of(&item), kind.format);
        }
    }
}
