//! Kinds of items, with the formats of each.

use super::FIRST;
use crate::client::read::Item;
use crate::keys::{
    ANSWER_PREFIX, ATTEMPTS_PK_PREFIX, BUCKET_PREFIX, BUSINESS_CHANGES_HEAD_PK, BUSINESS_CHANGES_PK_PREFIX,
    CHANGES_PK_PREFIX, DIRECTORY_PK, FEED_HEAD_SK, FEED_PK_PREFIX, LOCK_SK, MAIL_SK_PREFIX, MAILBOX_SK, MARK_SK,
    MOVES_PK, NOTICE_PK_PREFIX, ORGS_WITH_REVIEWS_PK, REVIEW_SK, ROSTERS_PK_PREFIX, USER_SK, WEBHOOKS_PK_PREFIX,
    parse_category_pk,
};
use crate::schema::{API_KEYS, AUDIT, BUSINESSES, CATEGORIES, EVENTS, REVIEWS, Table, USERS};

/// Kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Name in error messages.
    pub(crate) name: &'static str,
    /// Latest format that this version writes.
    pub(crate) format: u64,
}

impl Kind {
    const fn first(name: &'static str) -> Self {
        Self { name, format: FIRST }
    }
}

/// Any kind that has one format.
pub(crate) const ANY: Kind = Kind::first("item");
/// Item of a user.
pub(crate) const USER: Kind = Kind::first("user");
/// Reservation of an address.
pub(crate) const LOCK: Kind = Kind::first("lock");
/// Head of a user directory: counts and digest.
pub(crate) const DIRECTORY_HEAD: Kind = Kind::first("roster");
/// Mail in the outbox.
pub(crate) const MAIL: Kind = Kind::first("mail");
/// Notice that a webhook was disabled, before its mails are in the outbox.
pub(crate) const NOTICE: Kind = Kind::first("notice");
/// Quiet window of an address.
pub(crate) const MAILBOX: Kind = Kind::first("mailbox");
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
/// Register of unfinished moves of businesses.
pub(crate) const MOVE_REGISTER: Kind = Kind::first("register of moves");
/// Category of businesses.
pub(crate) const CATEGORY: Kind = Kind::first("category");
/// Head of the category directory.
pub(crate) const CATEGORY_HEAD: Kind = Kind::first("category head");
/// Review of a business.
pub(crate) const REVIEW: Kind = Kind::first("review");
/// An organisation in the list of those with reviews.
const ORG_WITH_REVIEWS: Kind = Kind::first("organisation with reviews");
/// Head of a feed of events.
pub(crate) const FEED_HEAD: Kind = Kind::first("head of a feed");
/// Chunk of a feed of events.
pub(crate) const FEED_CHUNK: Kind = Kind::first("chunk of a feed");
/// Webhook.
pub(crate) const WEBHOOK: Kind = Kind::first("webhook");
/// Attempt to deliver an event to a webhook.
pub(crate) const ATTEMPT: Kind = Kind::first("attempt");
/// Record of the audit trail.
pub(crate) const AUDIT_RECORD: Kind = Kind::first("audit record");

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
            _ if pk.starts_with(ROSTERS_PK_PREFIX) => DIRECTORY_HEAD,
            _ if pk.starts_with(CHANGES_PK_PREFIX) => CHANGES,
            _ if pk.starts_with(NOTICE_PK_PREFIX) => NOTICE,
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
            } else if pk == MOVES_PK {
                MOVE_REGISTER
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
            _ => ANY,
        },
        name if name == AUDIT.name => AUDIT_RECORD,
        name if name == EVENTS.name && pk.starts_with(FEED_PK_PREFIX) => match sk {
            FEED_HEAD_SK => FEED_HEAD,
            _ => FEED_CHUNK,
        },
        name if name == EVENTS.name && pk.starts_with(WEBHOOKS_PK_PREFIX) => WEBHOOK,
        name if name == EVENTS.name && pk.starts_with(ATTEMPTS_PK_PREFIX) => ATTEMPT,
        _ => ANY,
    }
}
