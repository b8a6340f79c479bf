//! Formats of the keys of all tables. Stored items have these keys: a format must never change.
//!
//! Each table has a module; the ledger, which is in the reviews table, has one of its own. The keys of the
//! items of ingest are in `ingest.rs`.

mod api_keys;
mod audit_trail;
mod businesses;
mod categories;
mod feed;
mod ledger;
mod reviews;
mod users;
mod webhooks;

use presence_domain::ids::{MAX_ID, OrgId};

pub use api_keys::{ANSWER_PREFIX, BUCKET_PREFIX, answer_key, bucket_key};
pub use audit_trail::{audit_since, audit_sk, parse_audit_sk};
pub use businesses::{
    BUSINESS_CHANGES_HEAD_PK, BUSINESS_CHANGES_PK_PREFIX, MOVES_PK, business_changes_pk, business_pk, city_listing,
    org_pk,
};
pub use categories::{DIRECTORY_PK, category_pk, parse_category_pk};
pub use feed::{FEED_HEAD_SK, FEED_PK_PREFIX, chunk_sk, feed_pk};
pub use ledger::{
    DIRECTORY_BUCKETS_PK_PREFIX, DIRECTORY_SK, LOG_PK_PREFIX, LogItemKey, NODE_SK_PREFIX, ROOT_SK, TREE_PK_PREFIX,
    directory_bucket_sk, directory_buckets_pk, log_pk, node_sk, parse_node_sk, root_sk, tree_pk,
};
pub use presence_domain::user_directory::SEPARATOR;
pub use reviews::{
    AUDIT_PK, AUDIT_SK, ORGS_WITH_REVIEWS_PK, PENDING_REPLIES, REVIEW_SK, effective_between, effective_listing,
    parse_effective_listing, parse_review_pk, review_pk,
};
pub(crate) use users::numbered_roster_pk;
pub use users::{
    CHANGES_PK_PREFIX, LOCK_SK, MAIL_SK_PREFIX, MAILBOX_SK, MARK_SK, NOTICE_PK_PREFIX, OUTBOX_FAILED, OUTBOX_HELD,
    OUTBOX_PENDING, OUTBOX_UNREADABLE, ROSTER_PARTITIONS, ROSTERS_PK_PREFIX, USER_PK_PREFIX, USER_SK, change_sk,
    changes_pk, listing, lock_pk, mail_sk, mailbox_pk, mark_pk, name_order, roster_pk, user_pk,
};
pub use webhooks::{
    ATTEMPTS_PK_PREFIX, ORGS_WITH_WEBHOOKS_PK, WEBHOOK_SK_PREFIX, WEBHOOKS_PK_PREFIX, attempt_sk, attempts_below,
    attempts_pk, parse_webhook_target, webhook_sk, webhook_target, webhooks_pk,
};

/// Returns the key of an organisation, or of no organisation, in sort keys and in `status-index`.
///
/// The number is padded with zeros, so that keys sort as numbers do. No organisation comes first.
pub fn org_key(org_id: Option<OrgId>) -> String {
    org_id.map_or_else(|| "-".to_owned(), |org| format!("{:016}", org.get()))
}

/// Reads [`org_key`]; `None` if the text has another form.
pub fn parse_org_key(text: &str) -> Option<Option<OrgId>> {
    match text {
        "-" => Some(None),
        digits if digits.len() == 16 => digits.parse().ok().filter(|n| *n <= MAX_ID).and_then(OrgId::new).map(Some),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn organisations_sort_by_number_and_none_comes_first() {
        let org = |number| org_key(OrgId::new(number));
        let keys = [org_key(None), org(2), org(10), org(MAX_ID)];
        assert!(keys.is_sorted());
        for key in keys {
            assert_eq!(parse_org_key(&key).map(org_key), Some(key));
        }
        assert_eq!(parse_org_key("42"), None);
        assert_eq!(parse_org_key("0000000000000000"), None);
    }
}
