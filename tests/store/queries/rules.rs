//! Rules that every request obeys.

use std::collections::HashSet;

use presence_store::keys::{DIRECTORY_BUCKETS_PK_PREFIX, TREE_PK_PREFIX};
use presence_store::schema::{API_KEYS, Index, REVIEWS, TABLES, Table};
use presence_tests::{Attempt, AttemptOutcome};
use serde_json::{Value, json};

use super::PREFIX;
use super::expression::{attributes, longest_in, loose_ends};

/// Items of one transaction, and keys of one `BatchGetItem`, and operands of one `IN`: `DynamoDB`'s limits.
const LIMIT: usize = 100;
/// The largest item, in bytes. The document is longer than the item that it stands for.
const MAX_ITEM_BYTES: usize = 400 << 10;

/// Tables whose batches read whole items: every attribute of a key and of a review is used. A user's item has more than its
/// readers may see, so its batches name the attributes.
const READ_WHOLE: [&str; 2] = [API_KEYS.name, REVIEWS.name];

/// Starts of the partitions whose items may be read eventually: reviews, trees and buckets. A version, stamp or edition proves each
/// of them, and what is too old is read again.
const READ_EVENTUALLY: [&str; 3] = ["R#", TREE_PK_PREFIX, DIRECTORY_BUCKETS_PK_PREFIX];

type Broken = Vec<String>;

/// Returns the rules that a request breaks.
pub(super) fn broken_by(attempt: &Attempt) -> Broken {
    let request = &attempt.request;
    let mut broken = Broken::new();
    if request["ReturnConsumedCapacity"] != "TOTAL" {
        broken.push("the capacity is not asked for".to_owned());
    }
    match attempt.operation.as_str() {
        "GetItem" => with_table(request, &mut broken, |table, broken| {
            has_exactly_the_key(table, &request["Key"], broken);
            if !may_be_old(table, &request["Key"]) {
                reads_strongly(request, broken);
            }
        }),
        "Query" => with_table(request, &mut broken, |table, broken| query(table, request, broken)),
        "Scan" => with_table(request, &mut broken, |table, broken| {
            has_a_limit(request, broken);
            index_of(table, request, broken);
        }),
        "BatchGetItem" => batch_get(request, &mut broken),
        "PutItem" | "UpdateItem" => write(request, &mut broken),
        "TransactWriteItems" => transaction(request, &mut broken),
        "TransactGetItems" => transaction_of_reads(request, &mut broken),
        other => broken.push(format!("{other} is no operation that the store uses")),
    }
    broken
}

fn with_table(request: &Value, broken: &mut Broken, rules: impl FnOnce(&'static Table, &mut Broken)) {
    broken.extend(loose_ends(request).into_iter().map(|name| format!("{name} is a loose end")));
    if longest_in(request) > LIMIT {
        broken.push("an IN has too many operands".to_owned());
    }
    match table(request["TableName"].as_str().unwrap_or_default()) {
        Some(table) => rules(table, broken),
        None => broken.push("there is no such table".to_owned()),
    }
}

fn table(name: &str) -> Option<&'static Table> {
    let name = name.strip_prefix(PREFIX)?;
    TABLES.iter().find(|table| table.name == name)
}

fn query(table: &Table, request: &Value, broken: &mut Broken) {
    has_a_limit(request, broken);
    let key = index_of(table, request, broken).map_or(&table.key, |index| &index.key);
    let keys: Vec<&str> = key.attributes().map(|(name, _)| name).collect();
    let named = attributes(request, "KeyConditionExpression");
    if named.first().map(String::as_str) != Some(key.partition.0)
        || named.iter().any(|name| !keys.contains(&name.as_str()))
    {
        broken.push(format!("the key condition names {named:?}, not {keys:?}"));
    }
    if attributes(request, "FilterExpression").iter().any(|name| keys.contains(&name.as_str())) {
        broken.push("the filter names a key attribute".to_owned());
    }
}

/// The index that is read, if it is one; without one, the table is read, strongly.
fn index_of<'a>(table: &'a Table, request: &Value, broken: &mut Broken) -> Option<&'a Index> {
    let Some(name) = request["IndexName"].as_str() else {
        reads_strongly(request, broken);
        return None;
    };
    let index = table.indexes.iter().find(|index| index.name == name);
    match index {
        None => broken.push("there is no such index".to_owned()),
        Some(index) => held_by_the_index(table, index, request, broken),
    }
    index
}

fn held_by_the_index(table: &Table, index: &Index, request: &Value, broken: &mut Broken) {
    if request["ConsistentRead"] == true {
        broken.push("an index cannot be read strongly".to_owned());
    }
    let named = ["FilterExpression", "ProjectionExpression"].iter().flat_map(|part| attributes(request, part));
    let missing = named.filter(|name| !index.holds(table, name));
    broken.extend(missing.map(|name| format!("the index does not hold {name}")));
}

fn batch_get(request: &Value, broken: &mut Broken) {
    for (name, wanted) in request["RequestItems"].as_object().into_iter().flatten() {
        let Some(table) = table(name) else {
            broken.push("there is no such table".to_owned());
            continue;
        };
        let keys = wanted["Keys"].as_array().map(Vec::as_slice).unwrap_or_default();
        if !(1..=LIMIT).contains(&keys.len()) {
            broken.push(format!("a batch of {} keys", keys.len()));
        }
        if keys.iter().map(ToString::to_string).collect::<HashSet<_>>().len() < keys.len() {
            broken.push("a key comes twice".to_owned());
        }
        for key in keys {
            has_exactly_the_key(table, key, broken);
        }
        if !keys.iter().all(|key| may_be_old(table, key)) {
            reads_strongly(wanted, broken);
        }
        if attributes(wanted, "ProjectionExpression").is_empty() && !READ_WHOLE.contains(&table.name) {
            broken.push("a batch reads whole items".to_owned());
        }
        broken.extend(loose_ends(wanted).into_iter().map(|name| format!("{name} is a loose end")));
    }
}

fn transaction(request: &Value, broken: &mut Broken) {
    let items = request["TransactItems"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !(1..=LIMIT).contains(&items.len()) {
        broken.push(format!("a transaction of {} items", items.len()));
    }
    if request["ClientRequestToken"].as_str().is_none_or(str::is_empty) {
        broken.push("a transaction without a token".to_owned());
    }
    let actions = items.iter().filter_map(|item| item.as_object()?.values().next());
    let mut seen = HashSet::new();
    for action in actions {
        write(action, broken);
        if !seen.insert(item_key(action)) {
            broken.push("an item comes twice".to_owned());
        }
    }
}

/// One item, in no transaction that writes.
fn transaction_of_reads(request: &Value, broken: &mut Broken) {
    let items = request["TransactItems"].as_array().map(Vec::as_slice).unwrap_or_default();
    if items.len() != 1 {
        broken.push(format!("a transaction that reads {} items", items.len()));
    }
    for item in items {
        let get = &item["Get"];
        with_table(get, broken, |table, broken| has_exactly_the_key(table, &get["Key"], broken));
    }
}

/// A put, an update or a delete, by itself or in a transaction.
fn write(request: &Value, broken: &mut Broken) {
    with_table(request, broken, |table, broken| {
        if request["Key"].is_object() {
            has_exactly_the_key(table, &request["Key"], broken);
        } else {
            let missing = |name: &str| request["Item"][name].is_null();
            let missing = table.key.attributes().map(|(name, _)| name).filter(|name| missing(name));
            broken.extend(missing.map(|name| format!("the item has no {name}")));
        }
        if request["Item"].to_string().len() > MAX_ITEM_BYTES {
            broken.push("an item is too large".to_owned());
        }
        let keys = table.key.attributes().map(|(name, _)| name);
        let changed = attributes(request, "UpdateExpression");
        broken.extend(keys.filter(|key| changed.iter().any(|name| name == key)).map(|key| format!("{key} is updated")));
    });
}

fn item_key(action: &Value) -> Option<(String, Vec<String>)> {
    let name = action["TableName"].as_str()?;
    let from = if action["Key"].is_object() { &action["Key"] } else { &action["Item"] };
    let key = table(name)?.key.attributes().map(|(attribute, _)| from[attribute].to_string()).collect();
    Some((name.to_owned(), key))
}

fn has_exactly_the_key(table: &Table, key: &Value, broken: &mut Broken) {
    let mut wanted: Vec<&str> = table.key.attributes().map(|(name, _)| name).collect();
    let mut given: Vec<&str> = key.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    wanted.sort_unstable();
    given.sort_unstable();
    if wanted != given {
        broken.push(format!("the key has {given:?}, not {wanted:?}"));
    }
}

/// True if an item may be read eventually.
fn may_be_old(table: &Table, key: &Value) -> bool {
    let partition = key["pk"]["S"].as_str().unwrap_or_default();
    table.name == REVIEWS.name && READ_EVENTUALLY.iter().any(|start| partition.starts_with(start))
}

fn reads_strongly(request: &Value, broken: &mut Broken) {
    if request["ConsistentRead"] != true {
        broken.push("a table is not read strongly".to_owned());
    }
}

fn has_a_limit(request: &Value, broken: &mut Broken) {
    if request["Limit"].as_u64().is_none_or(|limit| limit == 0) {
        broken.push("there is no limit".to_owned());
    }
}

/// An attempt that was never made.
pub(super) fn attempt(operation: &str, request: Value) -> Attempt {
    Attempt { number: 1, operation: operation.to_owned(), tables: Vec::new(), request, outcome: AttemptOutcome::Passed }
}

/// Part of a rule's text, and a request that breaks it.
pub(super) fn broken_examples() -> Vec<(&'static str, &'static str, Value)> {
    let (users, reviews) = (format!("{PREFIX}users"), format!("{PREFIX}reviews"));
    let operands = (0..=LIMIT).map(|number| format!(":v{number}")).collect::<Vec<_>>().join(", ");
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    let delete = json!({"Delete": {"TableName": &users, "Key": &key}});
    let on_index = |part: &str, text: &str| json!({"TableName": &users, "IndexName": "status-index", "KeyConditionExpression": "org = :o", part: text});
    vec![
        ("capacity", "GetItem", json!({})),
        ("no such table", "GetItem", json!({"TableName": "presence-users"})),
        ("no such index", "Query", json!({"TableName": &users, "IndexName": "name-index"})),
        ("no such index", "Scan", json!({"TableName": &users, "IndexName": "name-index"})),
        (
            "does not hold lang",
            "Scan",
            json!({"TableName": &users, "IndexName": "email-index", "FilterExpression": "lang = :l"}),
        ),
        ("not read strongly", "GetItem", json!({"TableName": &users, "Key": &key})),
        (
            "not read strongly",
            "GetItem",
            json!({"TableName": &reviews, "Key": {"pk": {"S": "LOG#1"}, "sk": {"S": "~"}}}),
        ),
        ("not read strongly", "Query", json!({"TableName": &users})),
        ("not read strongly", "Scan", json!({"TableName": &users})),
        ("no limit", "Query", json!({"TableName": &users})),
        ("no limit", "Scan", json!({"TableName": &users})),
        ("the key has", "GetItem", json!({"TableName": &users, "Key": {"pk": {"S": "a"}}})),
        ("key condition", "Query", on_index("KeyConditionExpression", "email = :o")),
        ("does not hold lang", "Query", on_index("FilterExpression", "lang = :l")),
        ("does not hold password_hash", "Query", on_index("ProjectionExpression", "id, password_hash")),
        ("IN has too many", "Query", on_index("FilterExpression", &format!("id IN ({operands})"))),
        (":l is a loose end", "Query", on_index("FilterExpression", "phone = :l")),
        ("a key comes twice", "BatchGetItem", json!({"RequestItems": {&users: {"Keys": [&key, &key]}}})),
        ("whole items", "BatchGetItem", json!({"RequestItems": {&users: {"Keys": [&key]}}})),
        ("101 keys", "BatchGetItem", json!({"RequestItems": {&users: {"Keys": vec![&key; 101]}}})),
        ("a transaction that reads 0 items", "TransactGetItems", json!({"TransactItems": []})),
        ("101 items", "TransactWriteItems", json!({"TransactItems": vec![&delete; 101]})),
        ("an item comes twice", "TransactWriteItems", json!({"TransactItems": [&delete, &delete]})),
        ("without a token", "TransactWriteItems", json!({"TransactItems": [&delete]})),
        ("no operation", "DeleteTable", json!({})),
    ]
}
