//! Kinds of items, with the formats of each.

use super::FIRST;
use crate::client::read::Item;
use crate::keys::{
    ANSWER_PREFIX, BUCKET_PREFIX, BUSINESS_CHANGES_HEAD_PK, BUSINESS_CHANGES_PK_PREFIX, CHANGES_PK_PREFIX,
    COUNTS_PK_PREFIX, DIRECTORY_PK, LOCK_SK, MAIL_SK_PREFIX, MAILBOX_SK, MARK_SK, ORGS_WITH_REVIEWS_PK,
    POSTINGS_PK_PREFIX, REVIEW_SK, ROSTERS_PK, USER_SK, parse_category_pk,
};
use crate::schema::{API_KEYS, AUDIT, BUSINESSES, CATEGORIES, REVIEWS, Table, USERS};

/// Kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Name in error messages.
    pub(crate) name: &'static str,
    /// Latest format that this version writes.
    pub(crate) format: u64,
    /// Earliest format of items that need no migration.
    pub(crate) current_from: u64,
}

impl Kind {
    const fn first(name: &'static str) -> Self {
        Self { name, format: FIRST, current_from: FIRST }
    }
}

/// Any kind that has one format.
pub(crate) const ANY: Kind = Kind::first("item");
/// Item of a user. Format 2 has `email_domain`, for `email-index`.
pub(crate) const USER: Kind = Kind { name: "user", format: 2, current_from: 2 };
/// Reservation of an address.
pub(crate) const LOCK: Kind = Kind::first("lock");
/// Head of a user directory: counts and digest.
pub(crate) const DIRECTORY_HEAD: Kind = Kind::first("roster");
/// Mail in the outbox.
pub(crate) const MAIL: Kind = Kind::first("mail");
/// Quiet window of an address.
const MAILBOX: Kind = Kind::first("mailbox");
/// Mark of an address: bounced, or complained about.
pub(crate) const MARK: Kind = Kind::first("mark");
/// Entry in the change log of a user directory.
const CHANGES: Kind = Kind::first("changes");
/// API key by hash.
pub(crate) const KEY: Kind = Kind::first("key");
/// Bucket of the limit of an API key.
const BUCKET: Kind = Kind::first("bucket");
/// Answer that is kept under an idempotency key.
pub(crate) const ANSWER: Kind = Kind::first("answer");
/// Organisation that owns businesses.
pub(crate) const ORG: Kind = Kind::first("organisation");
/// Business of an organisation.
pub(crate) const BUSINESS: Kind = Kind::first("business");
/// Entry in the log of changes of businesses.
pub(crate) const BUSINESS_CHANGES: Kind = Kind::first("changes of businesses");
/// Head of the log of changes of businesses.
pub(crate) const BUSINESS_CHANGES_HEAD: Kind = Kind::first("head of the changes of businesses");
/// Category of businesses. Format 2 holds its states as text; format 1 holds them as maps, or, in versions between, as text too.
pub(crate) const CATEGORY: Kind = Kind { name: "category", format: 2, current_from: 2 };
/// Head of the category directory.
pub(crate) const CATEGORY_HEAD: Kind = Kind::first("category head");
/// Review of a business. Format 3 has its fields in one binary attribute. Formats 1 and 2 have an attribute for each; they stay
/// until the review is written again. Format 2 has `seen_at`.
pub(crate) const REVIEW: Kind = Kind { name: "review", format: 3, current_from: 1 };
/// Facet counts of a month or a day.
const FACET_COUNTS: Kind = Kind::first("tally");
/// Postings of a day.
const POSTINGS: Kind = Kind::first("slips");
/// An organisation in the list of those with reviews.
const ORG_WITH_REVIEWS: Kind = Kind::first("organisation with reviews");
/// Record of the audit trail.
pub(crate) const AUDIT_RECORD: Kind = Kind::first("audit record");

/// Returns the kinds of items in a table.
pub(crate) fn kinds(table: &Table) -> &'static [Kind] {
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
pub(crate) fn kind_of(table: &Table, item: &Item) -> Kind {
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
