//! Formats of all keys of all tables. Stored items have these keys: a format must never change.

mod ledger;

use std::fmt::Display;

use jiff::Timestamp;

use presence_domain::api_key::ApiKeyHash;
use presence_domain::category::CategoryId;
use presence_domain::idempotency::AnswerId;
use presence_domain::ids::{BusinessId, MAX_ID, OrgId, UserId, random_u64};
use presence_domain::ledger::ReviewSet;
use presence_domain::review::ReviewId;
use presence_domain::user::{PersonName, Status};

pub use ledger::{
    DIRECTORY_BUCKETS_PK_PREFIX, DIRECTORY_SK, LOG_PK_PREFIX, LogItemKey, NODE_SK_PREFIX, ROOT_SK, TREE_PK_PREFIX,
    directory_bucket_sk, directory_buckets_pk, log_pk, node_sk, parse_directory_bucket_sk, parse_node_sk, root_sk,
    tree_pk,
};
pub use presence_domain::user_directory::SEPARATOR;

/// Prefix of the partitions of users.
pub const USER_PK_PREFIX: &str = "USER#";
/// Sort key of a user item.
pub const USER_SK: &str = "USER";
/// Sort key of the reservation of an e-mail address.
pub const LOCK_SK: &str = "EMAIL";
/// Partition of the heads of all user directories.
pub const ROSTERS_PK: &str = "ROSTERS";
/// Prefix of the partitions with the logs of changes.
pub const CHANGES_PK_PREFIX: &str = "CHANGES#";
/// Prefix of the sort keys of outbox rows. They sort before [`USER_SK`].
pub const MAIL_SK_PREFIX: &str = "MAIL#";
/// Sort key of the sending window of an address.
pub const MAILBOX_SK: &str = "MAILBOX";
/// Sort key of the mark of an address.
pub const MARK_SK: &str = "MARK";
/// Partition of `outbox-index` with the mails to be sent.
pub const OUTBOX_PENDING: &str = "pending";
/// Partition of `outbox-index` with the mails that failed for good.
pub const OUTBOX_FAILED: &str = "failed";
/// Partition of `outbox-index` with the mails that a restore of the tables held back.
pub const OUTBOX_HELD: &str = "held";
/// Partition of `outbox-index` with the rows that could not be read.
pub const OUTBOX_UNREADABLE: &str = "unreadable";

/// Prefix of the keys of buckets, in the table of API keys.
pub const BUCKET_PREFIX: &str = "BUCKET#";

/// Returns the key of the bucket of an API key.
#[must_use]
pub fn bucket_key(hash: &ApiKeyHash) -> String {
    format!("{BUCKET_PREFIX}{}", hash.as_hex())
}

/// Prefix of the keys of kept answers, in the table of API keys.
pub const ANSWER_PREFIX: &str = "ANSWER#";

/// Returns the key of the answer that is kept for a request.
#[must_use]
pub fn answer_key(id: AnswerId) -> String {
    format!("{ANSWER_PREFIX}{}", id.as_hex())
}

/// Returns the partition of a user and its outbox rows.
#[must_use]
pub fn user_pk(id: UserId) -> String {
    format!("{USER_PK_PREFIX}{id}")
}

/// Returns the partition of the reservation of an e-mail address.
#[must_use]
pub fn lock_pk(email_key: &str) -> String {
    format!("EMAIL#{email_key}")
}

/// Returns the partition of the sending window of an address.
#[must_use]
pub fn mailbox_pk(email_key: &str) -> String {
    format!("MAILBOX#{email_key}")
}

/// Returns the partition of the mark of an address.
#[must_use]
pub fn mark_pk(email_key: &str) -> String {
    format!("MARK#{email_key}")
}

/// Returns the key of an organisation, or of no organisation, in sort keys and in `status-index`.
///
/// The number is padded with zeros, so that keys sort as numbers do. No organisation comes first.
#[must_use]
pub fn org_key(org_id: Option<OrgId>) -> String {
    org_id.map_or_else(|| "-".to_owned(), |org| format!("{:016}", org.get()))
}

/// Reads [`org_key`]; `None` if the text has another form.
#[must_use]
pub fn parse_org_key(text: &str) -> Option<Option<OrgId>> {
    match text {
        "-" => Some(None),
        digits if digits.len() == 16 => digits.parse().ok().filter(|n| *n <= MAX_ID).and_then(OrgId::new).map(Some),
        _ => None,
    }
}

/// Returns the key by which a user search is sorted: folded last name, folded first name, id by number.
#[must_use]
pub fn name_order(last_name: &PersonName, first_name: &PersonName, id: UserId) -> String {
    presence_domain::user_directory::name_order(last_name.as_str(), first_name.as_str(), id)
}

/// Returns the sort key of `status-index`: the status, then [`name_order`].
#[must_use]
pub fn listing(status: Status, name_order: &str) -> String {
    format!("{}{SEPARATOR}{name_order}", status.as_str())
}

/// Returns a new sort key for an outbox row: the time, then a random number.
#[must_use]
pub fn mail_sk(now: Timestamp) -> String {
    format!("{MAIL_SK_PREFIX}{:013}-{:016x}", now.as_millisecond(), random_u64())
}

/// Returns the partition with the log of changes of an organisation's users.
#[must_use]
pub fn changes_pk(org_id: Option<OrgId>) -> String {
    format!("{CHANGES_PK_PREFIX}{}", org_key(org_id))
}

/// Returns a new sort key for an entry of the log of changes: the time, then a random number.
#[must_use]
pub fn change_sk(now: Timestamp) -> String {
    format!("{:013}-{:016x}", now.as_millisecond(), random_u64())
}

/// Returns a new sort key for a record of the audit trail: milliseconds in 13 digits, then a random number.
#[must_use]
pub fn audit_sk(at: Timestamp) -> String {
    format!("{:013}#{:016x}", at.as_millisecond().max(0), random_u64())
}

/// Returns the least and the largest sort key of the records from an instant on.
#[must_use]
pub fn audit_since(from: Timestamp) -> (String, String) {
    // `~` sorts after every digit.
    (format!("{:013}", from.as_millisecond().max(0)), "~".to_owned())
}

/// Reads the instant in [`audit_sk`]; `None` if the text has another form.
#[must_use]
pub fn parse_audit_sk(text: &str) -> Option<Timestamp> {
    let (milliseconds, _) = text.split_once('#')?;
    Timestamp::from_millisecond(milliseconds.parse().ok()?).ok()
}

/// Returns the key of an organisation in the businesses table.
#[must_use]
pub fn org_pk(org_id: OrgId) -> String {
    format!("ORG#{org_id}")
}

/// Key of the head of the log of changes, in the businesses table.
pub const BUSINESS_CHANGES_HEAD_PK: &str = "CHANGES";
/// Prefix of the keys of its slots.
pub const BUSINESS_CHANGES_PK_PREFIX: &str = "CHANGES#";

/// Returns the key of a slot of the log of changes in the businesses table.
#[must_use]
pub fn business_changes_pk(slot: u64) -> String {
    format!("{BUSINESS_CHANGES_PK_PREFIX}{slot:04}")
}

/// Returns the key of a business in the businesses table.
#[must_use]
pub fn business_pk(id: &BusinessId) -> String {
    format!("BUSINESS#{}", id.as_str())
}

/// Returns the sort key of `city-index`: the city key, then the business.
#[must_use]
pub fn city_listing(city_key: &str, id: &BusinessId) -> String {
    format!("{city_key}#{}", id.as_str())
}

/// First second of the year 0. Counted from it, every accepted second is positive and has at most 12 digits.
const YEAR_0: i64 = -62_167_219_200;

/// Sort key of a review.
pub const REVIEW_SK: &str = "R";
/// Partition with one item for each organisation that has, or had, reviews. The sort key is the [`org_key`].
pub const ORGS_WITH_REVIEWS_PK: &str = "BOOKS";
/// Partition of the position of the scheduled audit.
pub const AUDIT_PK: &str = "AUDIT";
/// Sort key of the position of the scheduled audit.
pub const AUDIT_SK: &str = "POSITION";
/// Prefix of the partitions with facet counts.
pub const COUNTS_PK_PREFIX: &str = "T#";
/// Prefix of the sort keys of facet counts of a month; the month follows.
pub const MONTH_SK_PREFIX: &str = "M#";
/// Prefix of the partitions with postings.
pub const POSTINGS_PK_PREFIX: &str = "L#";

/// Prefix of the partitions of reviews.
const REVIEW_PK_PREFIX: &str = "R#";

/// Returns the partition of a review.
#[must_use]
pub fn review_pk(id: &ReviewId) -> String {
    format!("{REVIEW_PK_PREFIX}{}", id.as_str())
}

/// Reads the partition of a review; `None` if the text has another form.
#[must_use]
pub fn parse_review_pk(pk: &str) -> Option<ReviewId> {
    pk.strip_prefix(REVIEW_PK_PREFIX).and_then(ReviewId::parse)
}

/// Returns the sort key of `listing-index`: the effective second, then the id.
///
/// Seconds are counted from the year 0, because then all of them are positive and have the same number of digits.
#[must_use]
pub fn effective_listing(second: i64, id: &ReviewId) -> String {
    format!("{:012}#{}", second - YEAR_0, id.as_str())
}

/// Reads [`effective_listing`]; `None` if the text has another form.
#[must_use]
pub fn parse_effective_listing(text: &str) -> Option<(i64, ReviewId)> {
    let (second, id) = text.split_once('#')?;
    Some((second.parse::<i64>().ok()? + YEAR_0, ReviewId::parse(id)?))
}

/// Returns the first and the last sort key of `listing-index` for a range of effective seconds, both ends included.
/// `None` if the range has no end, and a query reads the whole partition.
#[must_use]
pub fn effective_between(from: Option<i64>, to: Option<i64>) -> Option<(String, String)> {
    if from.is_none() && to.is_none() {
        return None;
    }
    // A sort key must not be empty, so the lowest bound is `0`. `~` sorts after every character of an id.
    let first = from.map_or_else(|| "0".to_owned(), |second| format!("{:012}#", second - YEAR_0));
    let last = to.map_or_else(|| "~".to_owned(), |second| format!("{:012}#~", second - YEAR_0));
    Some((first, last))
}

/// Returns the partition with the facet counts of a review set.
#[must_use]
pub fn counts_pk(set: &ReviewSet) -> String {
    format!("{COUNTS_PK_PREFIX}{set}")
}

/// Returns the partition with the postings of a review set in one month, such as `2025-11`.
#[must_use]
pub fn postings_pk(set: &ReviewSet, month: impl Display) -> String {
    format!("{POSTINGS_PK_PREFIX}{set}#{month}")
}

/// Key of the head of the category directory.
pub const DIRECTORY_PK: &str = "DIRECTORY";

/// Returns the key of a category.
#[must_use]
pub fn category_pk(id: &CategoryId) -> String {
    format!("CATEGORY#{}", id.as_str())
}

/// Reads [`category_pk`]; `None` if the text has another form.
#[must_use]
pub fn parse_category_pk(text: &str) -> Option<CategoryId> {
    text.strip_prefix("CATEGORY#").and_then(CategoryId::parse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use presence_domain::instant::{FIRST_SECOND, LAST_SECOND};

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

    #[test]
    fn a_short_name_sorts_before_its_extension() {
        let id = UserId::parse("1").expect("a valid id");
        let name = |text| PersonName::parse(text).expect("a valid name");
        let (short, long) =
            (name_order(&name("Martin"), &name("Zoé"), id), name_order(&name("Martin Luc"), &name("Ann"), id));
        assert!(short < long);
    }

    #[test]
    fn effective_seconds_lie_between_the_keys_of_their_range() {
        let id = ReviewId::parse("zzzzzzzzzzzz").expect("an id");
        for second in [FIRST_SECOND, -1, 0, 1_709_294_400, LAST_SECOND] {
            let key = effective_listing(second, &id);
            assert_eq!(parse_effective_listing(&key), Some((second, id.clone())));
            let inside = |from, to| {
                let (first, last) = effective_between(from, to).expect("a range");
                first <= key && key <= last
            };
            assert!(inside(Some(second), Some(second)) && inside(Some(second), None) && inside(None, Some(second)));
            assert!(!inside(Some(second + 1), None) && !inside(None, Some(second - 1)));
        }
        assert_eq!(effective_between(None, None), None);
    }

    #[test]
    fn the_longest_names_fit_a_sort_key() {
        let name = PersonName::parse(&"\u{fdfa}".repeat(100)).expect("100 characters");
        let id = UserId::parse("1").expect("a valid id");
        assert!(listing(Status::Invited, &name_order(&name, &name, id)).len() <= 1024);
    }
}
