//! Kinds of stored items, by the forms of their keys.

use presence_store::keys::{
    ANSWER_PREFIX, ATTEMPTS_PK_PREFIX, AUDIT_PK, AUDIT_SK, BUCKET_PREFIX, BUSINESS_CHANGES_HEAD_PK,
    BUSINESS_CHANGES_PK_PREFIX, CHANGES_PK_PREFIX, DIRECTORY_BUCKETS_PK_PREFIX, DIRECTORY_PK, DIRECTORY_SK,
    FEED_HEAD_SK, FEED_PK_PREFIX, LOCK_SK, LOG_PK_PREFIX, MAIL_SK_PREFIX, MAILBOX_SK, MARK_SK, MOVES_PK,
    NODE_SK_PREFIX, NOTICE_PK_PREFIX, ORGS_WITH_REVIEWS_PK, ORGS_WITH_WEBHOOKS_PK, REVIEW_SK, ROOT_SK,
    ROSTERS_PK_PREFIX, TREE_PK_PREFIX, USER_PK_PREFIX, USER_SK, WEBHOOK_SK_PREFIX, WEBHOOKS_PK_PREFIX,
};
use presence_store::schema::{API_KEYS, AUDIT, BUSINESSES, CATEGORIES, EVENTS, REVIEWS, USERS};

/// Starts of the partition key and of the sort key, and the kind of the items that have both.
type Rule = (&'static str, &'static str, &'static str);

/// Rules of each table. The first rule that fits an item names its kind.
const KINDS: [(&str, &[Rule]); 7] = [
    (
        USERS.name,
        &[
            (USER_PK_PREFIX, USER_SK, "user"),
            (USER_PK_PREFIX, MAIL_SK_PREFIX, "mail to a user"),
            (NOTICE_PK_PREFIX, MAIL_SK_PREFIX, "notice of a webhook that was disabled"),
            ("EMAIL#", LOCK_SK, "reservation of an address"),
            ("MAILBOX#", MAILBOX_SK, "time of the last mail to an address"),
            ("MARK#", MARK_SK, "mark of an address: bounce or complaint"),
            (ROSTERS_PK_PREFIX, "", "head of a directory of users"),
            (CHANGES_PK_PREFIX, "", "change in a directory of users"),
        ],
    ),
    (
        API_KEYS.name,
        &[
            (BUCKET_PREFIX, "", "requests left to an API key"),
            (ANSWER_PREFIX, "", "answer kept under an idempotency key"),
            ("", "", "API key, by its digest"),
        ],
    ),
    (
        BUSINESSES.name,
        &[
            ("ORG#", "", "organisation"),
            ("BUSINESS#", "", "business"),
            (BUSINESS_CHANGES_PK_PREFIX, "", "entry of the log of changes of businesses"),
            (MOVES_PK, "", "register of unfinished moves of businesses"),
            (BUSINESS_CHANGES_HEAD_PK, "", "head of the log of changes of businesses"),
        ],
    ),
    (CATEGORIES.name, &[(DIRECTORY_PK, "", "head of the directory of categories"), ("CATEGORY#", "", "category")]),
    (
        REVIEWS.name,
        &[
            ("R#", REVIEW_SK, "review"),
            (ORGS_WITH_REVIEWS_PK, "", "organisation with reviews"),
            (AUDIT_PK, AUDIT_SK, "position of the scheduled audit"),
            (LOG_PK_PREFIX, DIRECTORY_SK, "directory of the trees of an organisation"),
            (LOG_PK_PREFIX, "", "lane of a log of changes, or chunk of a lane"),
            (DIRECTORY_BUCKETS_PK_PREFIX, "", "bucket of a directory of trees"),
            (TREE_PK_PREFIX, ROOT_SK, "root of a tree"),
            (TREE_PK_PREFIX, NODE_SK_PREFIX, "node of a tree"),
            ("INGEST#", "OBJECT", "newest version of an object of ingest"),
            ("INGEST#", "SEGMENT#", "rows done in a segment of an object of ingest"),
            ("INGEST#", "PROGRESS", "progress of an object of ingest"),
        ],
    ),
    (AUDIT.name, &[(USER_PK_PREFIX, "", "change of a user"), (WEBHOOK_SK_PREFIX, "", "change of a webhook")]),
    (
        EVENTS.name,
        &[
            (FEED_PK_PREFIX, FEED_HEAD_SK, "head of a feed of events"),
            (FEED_PK_PREFIX, "", "chunk of a feed of events"),
            (WEBHOOKS_PK_PREFIX, "", "webhook"),
            (ATTEMPTS_PK_PREFIX, "", "attempt to deliver an event"),
            (ORGS_WITH_WEBHOOKS_PK, "", "organisation with webhooks"),
        ],
    ),
];

/// Returns the kind of an item by its key; `None` if no item of the table has a key of this form.
///
/// `table` is the name without the prefix. `sort` is empty in a table without a sort key.
pub(super) fn kind_of(table: &str, partition: &str, sort: &str) -> Option<&'static str> {
    let (_, rules) = KINDS.iter().find(|(name, _)| *name == table)?;
    let fits = |rule: &&Rule| partition.starts_with(rule.0) && sort.starts_with(rule.1);
    rules.iter().find(fits).map(|(_, _, kind)| *kind)
}

/// Returns the kinds of a table's items.
pub(super) fn kinds(table: &str) -> Vec<&'static str> {
    let rules = KINDS.iter().filter(|(name, _)| *name == table).flat_map(|(_, rules)| *rules);
    rules.map(|(_, _, kind)| *kind).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn kind_follows_from_the_start_of_both_keys() {
        for (table, partition, sort, kind) in [
            ("users", "USER#7", "USER", Some("user")),
            ("users", "USER#7", "MAIL#0001", Some("mail to a user")),
            ("users", "USER#7", "OTHER", None),
            ("users", "OTHER#7", "USER", None),
            ("businesses", "CHANGES", "", Some("head of the log of changes of businesses")),
            ("businesses", "CHANGES#0001", "", Some("entry of the log of changes of businesses")),
            ("categories", "OTHER", "", None),
            ("reviews", "LOG#42", "~", Some("directory of the trees of an organisation")),
            ("reviews", "LOG#42", "3#000000000017", Some("lane of a log of changes, or chunk of a lane")),
            ("reviews", "TREE#o:42", "OTHER", None),
            ("audit", "USER#7", "1763841600000#1", Some("change of a user")),
            ("other", "USER#7", "USER", None),
        ] {
            assert_eq!(kind_of(table, partition, sort), kind, "{table}: {partition} {sort}");
        }
    }

    /// Constants of keys that are not starts of the keys of items, but values of a key of an index.
    const OF_AN_INDEX: [&str; 5] =
        ["OUTBOX_PENDING", "OUTBOX_FAILED", "OUTBOX_HELD", "OUTBOX_UNREADABLE", "PENDING_REPLIES"];

    #[test]
    fn each_constant_of_a_key_is_in_the_table_of_kinds() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/store/src/keys");
        let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
        let sources: String = files.map(|file| fs::read_to_string(file).expect("a source")).collect();
        let constants = sources.lines().filter_map(|line| line.strip_prefix("pub const ")?.split_once(": &str"));
        let table = include_str!("item_kinds.rs").split("mod tests").next().expect("the code");
        let named = |constant: &str| table.matches(constant).count() > 1 || OF_AN_INDEX.contains(&constant);
        let unnamed: Vec<_> = constants.map(|(name, _)| name).filter(|name| !named(name)).collect();
        assert!(unnamed.is_empty(), "items with these keys need a kind in item_kinds.rs: {unnamed:?}");
    }
}
