//! Streams that invoke functions: their filters, and how many read each.

use std::collections::{BTreeMap, BTreeSet};

use presence_domain::api_key::ApiKeyId;
use presence_domain::audit::{AuditAction, WebhookAction};
use presence_domain::event::EventKind;
use presence_domain::webhook::progress::CLAIM_TIME;
use presence_store::keys::{ATTEMPTS_PK_PREFIX, FEED_PK_PREFIX, WEBHOOKS_PK_PREFIX};
use serde_json::{Value, json};

use super::template::TEMPLATE;
use crate::events::fixture::EventFixture;

/// Number of readers that may read a shard of a stream at a time.
const MOST_READERS: usize = 2;

/// Returns the event sources of the publisher: the table, and the properties.
fn sources() -> Vec<(&'static str, &'static Value)> {
    let events = TEMPLATE.resource("PublisherFunction").property("Events").as_object().expect("events");
    let sources = events.values().map(|event| {
        assert_eq!(event["Type"], "DynamoDB");
        let properties = &event["Properties"];
        assert_eq!(properties["Stream"]["Fn::GetAtt"][1], "StreamArn");
        (properties["Stream"]["Fn::GetAtt"][0].as_str().expect("a table"), properties)
    });
    sources.collect()
}

/// Returns the pattern of a source.
fn pattern(properties: &Value) -> Value {
    let [pattern]: [Value; 1] = patterns(properties).try_into().expect("one pattern");
    pattern
}

/// Returns the patterns of a source. A record passes that fits any of them.
fn patterns(properties: &Value) -> Vec<Value> {
    let filters = properties["FilterCriteria"]["Filters"].as_array().expect("filters").iter();
    filters.map(|one| serde_json::from_str(one["Pattern"].as_str().expect("a pattern")).expect("JSON")).collect()
}

/// True if a record fits a pattern, by the rules of Lambda that the patterns use: a list has values, `exists` or `prefix`.
fn fits(pattern: &Value, record: Option<&Value>) -> bool {
    match pattern {
        Value::Object(members) => {
            members.iter().all(|(name, pattern)| fits(pattern, record.and_then(|record| record.get(name))))
        }
        Value::Array(rules) => rules.iter().any(|rule| match (rule.get("exists"), rule["prefix"].as_str()) {
            (Some(exists), _) => record.is_some() == *exists,
            (_, Some(prefix)) => record.and_then(Value::as_str).is_some_and(|text| text.starts_with(prefix)),
            _ => record == Some(rule),
        }),
        other => panic!("no rule: {other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_let_through_the_records_that_have_events_and_of_others_only_reviews() {
    let mut fixture = EventFixture::new().await;
    fixture.change_everything().await;
    let batches = fixture.batches().await;
    let (mut told, mut left_out) = (0, 0);
    for record in batches.iter().flat_map(|batch| batch["Records"].as_array().expect("records")) {
        let arn = record["eventSourceARN"].as_str().expect("an ARN");
        let (_, table) = arn.split_once(&format!("table/{}", fixture.stack.table_prefix())).expect("a table");
        let (table, _) = table.split_once('/').expect("a stream");
        let logical = format!("{}Table", table[..1].to_uppercase() + &table[1..]);
        let (_, source) = sources().into_iter().find(|(name, _)| *name == logical).expect("a source of the table");
        let is_told = !presence_store::streamed_change::events_of(record).expect("a record").is_empty();
        let passes = fits(&pattern(source), Some(record));
        // A review that is written without a change looks like any other.
        let is_review = record["dynamodb"]["Keys"]["sk"]["S"] == "R";
        assert_eq!(passes, is_told || is_review, "{}", record["dynamodb"]["Keys"]);
        told += usize::from(is_told);
        left_out += usize::from(!passes);
    }
    assert_eq!(told, 21);
    assert!(left_out > 10, "{left_out} records of other items");
}

#[test]
fn the_filter_of_the_audit_trail_lets_through_the_actions_that_have_events() {
    use AuditAction::{Activate, Create, Delete, Invite, IssueKey, Restore, RevokeKey, Secure, SetKeyLimit, Update};
    let (_, source) = sources().into_iter().find(|(table, _)| *table == "AuditTable").expect("a source");
    let key = ApiKeyId::parse("7-0a0a0a0a0a0a").expect("an id");
    let on_keys = [IssueKey(key), AuditAction::RotateKey(key, Some(key)), RevokeKey(key), SetKeyLimit(key)];
    let on_reviews =
        [AuditAction::SetReviewState, AuditAction::Reply, AuditAction::RemoveReply, AuditAction::ReplyOutcome];
    let on_users = [Create, Update, Delete, Invite, Activate, Restore(1), Secure(1)];
    let on_webhooks = WebhookAction::ALL.map(AuditAction::Webhook);
    for action in on_users.into_iter().chain(on_keys).chain(on_reviews).chain(on_webhooks) {
        let image = json!({ "action": { "S": action.as_str() } });
        let record = json!({ "eventName": "INSERT", "dynamodb": { "NewImage": image } });
        assert_eq!(fits(&pattern(source), Some(&record)), EventKind::of_action(action).is_some(), "{action:?}");
    }
}

#[test]
fn no_stream_has_more_readers_than_dynamodb_allows() {
    let mut readers: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (name, function) in TEMPLATE.functions() {
        let events = function.property("Events").as_object().into_iter().flat_map(|events| events.values());
        for event in events.filter(|event| event["Type"] == "DynamoDB") {
            assert!(readers.entry(event["Properties"]["Stream"].to_string()).or_default().insert(name), "{name}");
        }
    }
    let stream = |table: &str| json!({ "Fn::GetAtt": [table, "StreamArn"] }).to_string();
    let expected = [
        ("UsersTable", &["mailer", "publisher"][..]),
        ("AuditTable", &["publisher"]),
        ("ReviewsTable", &["publisher", "replies"]),
        ("EventsTable", &["deliverer"]),
    ];
    assert_eq!(readers, expected.map(|(table, names)| (stream(table), names.iter().copied().collect())).into());
    assert!(readers.values().all(|names| names.len() <= MOST_READERS));
}

#[test]
fn deliverer_hears_of_new_chunks_and_of_changed_webhooks_and_of_nothing_else() {
    let patterns = patterns(&TEMPLATE.resource("DelivererFunction").property("Events")["Feeds"]["Properties"]);
    for (event, pk, is_changed, passes) in [
        ("INSERT", FEED_PK_PREFIX, false, true),
        // The head, with each append.
        ("MODIFY", FEED_PK_PREFIX, false, false),
        ("REMOVE", FEED_PK_PREFIX, false, false),
        ("INSERT", WEBHOOKS_PK_PREFIX, true, true),
        ("MODIFY", WEBHOOKS_PK_PREFIX, true, true),
        // The progress of a deliverer, which would wake the next one.
        ("MODIFY", WEBHOOKS_PK_PREFIX, false, false),
        ("INSERT", ATTEMPTS_PK_PREFIX, false, false),
    ] {
        let image = if is_changed { json!({ "resume": { "N": "1" } }) } else { json!({}) };
        let keys = json!({ "pk": { "S": format!("{pk}42") } });
        let record = json!({ "eventName": event, "dynamodb": { "Keys": keys, "NewImage": image } });
        let found = patterns.iter().any(|pattern| fits(pattern, Some(&record)));
        assert_eq!(found, passes, "{record}");
    }
}

#[test]
fn deliverer_and_its_queue_have_the_times_of_the_code() {
    let (function, queue) = (TEMPLATE.resource("DelivererFunction"), TEMPLATE.resource("WebhookQueue"));
    let seconds = function.property("Timeout").as_i64().expect("seconds");
    // A deliverer that is still at work holds its claim.
    assert_eq!(seconds, CLAIM_TIME.as_secs());
    assert!(queue.property("VisibilityTimeout").as_i64().expect("seconds") >= seconds);
}
