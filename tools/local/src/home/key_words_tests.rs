use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use presence_domain::api_key::ApiKeyHash;
use presence_domain::category::CategoryId;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::ledger::ReviewSet;
use presence_domain::review::ReviewId;
use presence_domain::user::{PersonName, Status};

use super::*;

/// Case: names in `presence_store::keys` that make the key, table, partition key, sort key, words.
type Case = (&'static [&'static str], &'static str, String, String, &'static str);

fn org() -> OrgId {
    OrgId::new(42).expect("an id")
}

fn user() -> UserId {
    UserId::parse("7").expect("an id")
}

fn review() -> ReviewId {
    ReviewId::parse("zzzzzzzzzzzz").expect("an id")
}

fn business() -> BusinessId {
    BusinessId::parse("b1").expect("an id")
}

fn city() -> ReviewSet {
    ReviewSet::City(org(), "saint etienne".to_owned())
}

fn at() -> Timestamp {
    "2025-11-22T20:00:00.5Z".parse().expect("an instant")
}

fn facet_key() -> FacetKey {
    let rating = Rating::new(5).expect("a rating");
    FacetKey::new(ReviewState::Treated, rating, Partner::ALL[0], true)
}

fn user_cases() -> Vec<Case> {
    let (users, none) = (schema::USERS.name, String::new);
    let lock = |text: &str| text.to_owned();
    vec![
        (&["user_pk", "USER_PK_PREFIX", "USER_SK"], users, keys::user_pk(user()), lock(keys::USER_SK), "user 7"),
        (
            &["mail_sk", "MAIL_SK_PREFIX"],
            users,
            keys::user_pk(user()),
            keys::mail_sk(at()),
            "mail to user 7, written at 2025-11-22T20:00:00.5Z",
        ),
        (
            &["lock_pk", "LOCK_SK"],
            users,
            keys::lock_pk("ada@example.org"),
            lock(keys::LOCK_SK),
            "reservation of the address ada@example.org",
        ),
        (
            &["mailbox_pk", "MAILBOX_SK"],
            users,
            keys::mailbox_pk("ada@example.org"),
            lock(keys::MAILBOX_SK),
            "time of the last mail to ada@example.org",
        ),
        (
            &["mark_pk", "MARK_SK"],
            users,
            keys::mark_pk("ada@example.org"),
            lock(keys::MARK_SK),
            "mark of the address ada@example.org: bounce or complaint",
        ),
        (
            &["ROSTERS_PK", "org_key"],
            users,
            lock(keys::ROSTERS_PK),
            keys::org_key(Some(org())),
            "head of the directory of users, organisation 42",
        ),
        (
            &["org_key"],
            users,
            lock(keys::ROSTERS_PK),
            keys::org_key(None),
            "head of the directory of users, no organisation",
        ),
        (
            &["changes_pk", "change_sk", "CHANGES_PK_PREFIX"],
            users,
            keys::changes_pk(Some(org())),
            keys::change_sk(at()),
            "change in the directory of users, organisation 42, at 2025-11-22T20:00:00.5Z",
        ),
        (
            &["audit_sk"],
            schema::AUDIT.name,
            keys::user_pk(user()),
            keys::audit_sk(at()),
            "change of user 7 at 2025-11-22T20:00:00.5Z",
        ),
        (
            &["BUCKET_PREFIX", "bucket_key"],
            schema::API_KEYS.name,
            keys::bucket_key(&digest()),
            none(),
            "requests left to the API key with the digest 010101010101…",
        ),
        (
            &["ANSWER_PREFIX", "answer_key"],
            schema::API_KEYS.name,
            format!("{}{}", keys::ANSWER_PREFIX, digest().as_hex()),
            none(),
            "answer kept under an idempotency key, with the digest 010101010101…",
        ),
        (&[], schema::API_KEYS.name, digest().as_hex(), none(), "API key with the digest 010101010101…"),
    ]
}

fn digest() -> ApiKeyHash {
    ApiKeyHash::from_hex(&"01".repeat(32)).expect("a digest")
}

fn directory_cases() -> Vec<Case> {
    let (businesses, categories, none) = (schema::BUSINESSES.name, schema::CATEGORIES.name, String::new);
    let category = CategoryId::parse("c9").expect("an id");
    vec![
        (&["org_pk"], businesses, keys::org_pk(org()), none(), "organisation 42"),
        (&["business_pk"], businesses, keys::business_pk(&business()), none(), "business b1"),
        (
            &["BUSINESS_CHANGES_HEAD_PK"],
            businesses,
            keys::BUSINESS_CHANGES_HEAD_PK.to_owned(),
            none(),
            "head of the log of changes of businesses",
        ),
        (
            &["BUSINESS_CHANGES_PK_PREFIX", "business_changes_pk"],
            businesses,
            keys::business_changes_pk(12),
            none(),
            "entry 12 of the log of changes of businesses",
        ),
        (&["DIRECTORY_PK"], categories, keys::DIRECTORY_PK.to_owned(), none(), "head of the directory of categories"),
        (&["category_pk"], categories, keys::category_pk(&category), none(), "category c9"),
    ]
}

fn review_cases() -> Vec<Case> {
    let reviews = schema::REVIEWS.name;
    let text = str::to_owned;
    vec![
        (
            &["review_pk", "REVIEW_SK"],
            reviews,
            keys::review_pk(&review()),
            text(keys::REVIEW_SK),
            "review zzzzzzzzzzzz",
        ),
        (
            &["ORGS_WITH_REVIEWS_PK"],
            reviews,
            text(keys::ORGS_WITH_REVIEWS_PK),
            keys::org_key(Some(org())),
            "reviews exist, organisation 42",
        ),
        (
            &["AUDIT_PK", "AUDIT_SK"],
            reviews,
            text(keys::AUDIT_PK),
            text(keys::AUDIT_SK),
            "position of the scheduled audit",
        ),
    ]
}

fn ledger_cases() -> Vec<Case> {
    let reviews = schema::REVIEWS.name;
    let text = str::to_owned;
    let chunk = keys::LogItemKey::Chunk { lane: 3, first: 17 };
    vec![
        (
            &["log_pk", "LOG_PK_PREFIX", "sort_key"],
            reviews,
            keys::log_pk(org()),
            keys::LogItemKey::Lane(3).sort_key(),
            "lane 3 of the log of organisation 42",
        ),
        (
            &["sort_key"],
            reviews,
            keys::log_pk(org()),
            chunk.sort_key(),
            "changes from number 17 on in lane 3 of the log of organisation 42",
        ),
        (
            &["DIRECTORY_SK"],
            reviews,
            keys::log_pk(org()),
            text(keys::DIRECTORY_SK),
            "directory of trees, at the end of the log of organisation 42",
        ),
        (
            &["directory_buckets_pk", "DIRECTORY_BUCKETS_PK_PREFIX", "directory_bucket_sk"],
            reviews,
            keys::directory_buckets_pk(org()),
            keys::directory_bucket_sk(3),
            "bucket 3 of the directory of trees of organisation 42",
        ),
        (
            &["tree_pk", "TREE_PK_PREFIX", "root_sk", "ROOT_SK"],
            reviews,
            keys::tree_pk(&city()),
            keys::root_sk(None),
            "root of the tree of city saint etienne of organisation 42",
        ),
        (
            &["root_sk"],
            reviews,
            keys::tree_pk(&ReviewSet::Org(org())),
            keys::root_sk(Some(facet_key())),
            "root for 5 stars, treated, partner_8, with text of the tree of organisation 42",
        ),
        (
            &["node_sk", "NODE_SK_PREFIX"],
            reviews,
            keys::tree_pk(&ReviewSet::Business(org(), business())),
            keys::node_sk(None, 255),
            "node 255 of the tree of business b1 of organisation 42",
        ),
        (
            &["node_sk"],
            reviews,
            keys::tree_pk(&ReviewSet::Org(org())),
            keys::node_sk(Some(facet_key()), 1),
            "node 1 for 5 stars, treated, partner_8, with text of the tree of organisation 42",
        ),
        (
            &["counts_pk", "COUNTS_PK_PREFIX", "MONTH_SK_PREFIX"],
            reviews,
            keys::counts_pk(&city()),
            format!("{}2025-11", keys::MONTH_SK_PREFIX),
            "counts of month 2025-11 of city saint etienne of organisation 42 (first edition)",
        ),
        (
            &["postings_pk", "POSTINGS_PK_PREFIX"],
            reviews,
            keys::postings_pk(&city(), "2025-11"),
            text("1"),
            "reviews of month 2025-11 of city saint etienne of organisation 42 (first edition)",
        ),
    ]
}

fn ingest_cases() -> Vec<Case> {
    let reviews = schema::REVIEWS.name;
    let text = str::to_owned;
    vec![
        (&[], reviews, text("INGEST#inbox/a.jsonl"), text("OBJECT"), "newest version of the object inbox/a.jsonl"),
        (
            &[],
            reviews,
            text("INGEST#1763841600#mark#inbox/a#1.jsonl"),
            text("PROGRESS"),
            "progress of the object inbox/a#1.jsonl",
        ),
        (
            &[],
            reviews,
            text("INGEST#1763841600#mark#inbox/a.jsonl"),
            text("SEGMENT#000000002"),
            "rows done in segment 2 of the object inbox/a.jsonl",
        ),
    ]
}

/// Attributes that are keys of indexes: names in `presence_store::keys`, attribute, value, words.
fn attribute_cases() -> Vec<(&'static [&'static str], &'static str, String, &'static str)> {
    let name = |text| PersonName::parse(text).expect("a name");
    let order = keys::name_order(&name("Noël"), &name("Zoé"), user());
    vec![
        (&["org_key"], "org", keys::org_key(Some(org())), "organisation 42"),
        (&["name_order", "listing"], "listing", keys::listing(Status::Invited, &order), "invited, noel, zoe, user 7"),
        (
            &["effective_listing"],
            "effective_listing",
            keys::effective_listing(0, &review()),
            "review zzzzzzzzzzzz of 1970-01-01T00:00:00Z",
        ),
        (&["city_listing"], "city_listing", keys::city_listing("paris", &business()), "business b1 in the city paris"),
        (&["OUTBOX_PENDING"], "outbox", keys::OUTBOX_PENDING.to_owned(), "waits to be sent"),
        (&["OUTBOX_FAILED"], "outbox", keys::OUTBOX_FAILED.to_owned(), "failed for good"),
        (&["OUTBOX_HELD"], "outbox", keys::OUTBOX_HELD.to_owned(), "held back after a restore"),
        (&["OUTBOX_UNREADABLE"], "outbox", keys::OUTBOX_UNREADABLE.to_owned(), "could not be read"),
    ]
}

fn cases() -> Vec<Case> {
    [user_cases(), directory_cases(), review_cases(), ledger_cases(), ingest_cases()].concat()
}

#[test]
fn each_key_has_words() {
    for (_, table, partition, sort, words) in cases() {
        assert_eq!(words_of_key(table, &partition, &sort).as_deref(), Some(words), "{table}: {partition} {sort}");
    }
    for (_, attribute, value, words) in attribute_cases() {
        assert_eq!(words_of_attribute(attribute, &value).as_deref(), Some(words), "{attribute}: {value}");
    }
}

#[test]
fn each_format_in_the_store_is_one_of_the_tested_keys() {
    let keys = cases();
    let attributes = attribute_cases();
    let tested = keys.iter().flat_map(|case| case.0).chain(attributes.iter().flat_map(|case| case.0));
    let tested: BTreeSet<String> = tested.map(|name| (*name).to_owned()).collect();
    let untested: Vec<_> = formats().difference(&tested).cloned().collect();
    assert!(untested.is_empty(), "these formats of keys need words in key_words.rs, and a case here: {untested:?}");
    let unknown: Vec<_> = tested.difference(&formats()).cloned().collect();
    assert!(unknown.is_empty(), "these are no formats of keys: {unknown:?}");
}

/// Returns the names of all constants and of all functions that make a key, in the sources of the keys.
fn formats() -> BTreeSet<String> {
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/store/src");
    let modules = fs::read_dir(store.join("keys")).expect("a folder").map(|module| module.expect("a file").path());
    let sources = modules.chain([store.join("keys.rs")]).map(|file| fs::read_to_string(file).expect("a source"));
    let declared = |source: String| source.lines().filter_map(format_of_declaration).collect::<Vec<_>>();
    sources.flat_map(declared).collect()
}

fn format_of_declaration(line: &str) -> Option<String> {
    let line = line.trim();
    if let Some((name, _)) = line.strip_prefix("pub const ").and_then(|rest| rest.split_once(": &str")) {
        return Some(name.to_owned());
    }
    let (name, _) = line.strip_prefix("pub fn ")?.split_once('(')?;
    line.ends_with("-> String {").then(|| name.to_owned())
}

#[test]
fn keys_of_another_form_have_no_words() {
    for (table, partition, sort) in [
        ("users", "USER#7", "OTHER"),
        ("users", "OTHER#7", "USER"),
        ("users", "ROSTERS", "42"),
        ("users", "USER#7", "MAIL#x"),
        ("api-keys", "zz", ""),
        ("businesses", "CHANGES#x", ""),
        ("categories", "OTHER", ""),
        ("reviews", "LOG#42", "9"),
        ("reviews", "TREE#x:1", "ROOT"),
        ("reviews", "TREE#o:1", "ROOT#99"),
        ("reviews", "INGEST#a", "PROGRESS"),
        ("audit", "USER#7", "x"),
        ("other", "USER#7", "USER"),
    ] {
        assert_eq!(words_of_key(table, partition, sort), None, "{table}: {partition} {sort}");
    }
}
