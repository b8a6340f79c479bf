//! Events of `events/`: they are complete, and equal to those that AWS sends for the routes of the template.

use std::collections::{BTreeMap, BTreeSet};

use presence_local::gateway::RouteTable;
use presence_tests::routes as operations;
use serde_json::{Map, Value, json};

use super::fixture::{BACKGROUND, Event, events};
use super::routes::of_the_template;

/// Account in the events: the example of AWS.
const ACCOUNT: &str = "123456789012";

fn requests() -> impl Iterator<Item = Event> {
    events().into_iter().filter(|event| !BACKGROUND.contains(&event.function))
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(' ').collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}"))
}

#[test]
fn every_operation_has_an_event_that_succeeds() {
    let successes: BTreeSet<_> = requests()
        .filter(|event| event.name.rsplit('_').next().is_some_and(|word| word.parse::<u16>().is_err()))
        .map(|event| text(&event.document, "routeKey").to_owned())
        .collect();
    for route in operations() {
        assert!(successes.contains(&format!("{} {}", route.method, route.path)), "{}", route.name);
    }
}

#[test]
fn every_event_takes_the_route_that_the_gateway_would_choose() {
    let table = RouteTable::new(of_the_template()).expect("the template's routes");
    for Event { function, name, document } in requests() {
        let method = text(&document["requestContext"]["http"], "method").parse().expect("a method");
        let path = text(&document, "rawPath").replace(' ', "%20");
        let found = table.find(&method, path.as_bytes()).unwrap_or_else(|| panic!("{name} has a route"));
        assert_eq!(found.key, text(&document, "routeKey"), "{name}");
        assert_eq!(*found.function, function, "{name}");
        let parameters = document["pathParameters"].as_object().cloned().unwrap_or_default();
        let expected: Map<_, _> = found.path_parameters.into_iter().map(|(name, value)| (name, json!(value))).collect();
        assert_eq!(parameters, expected, "{name}");
    }
}

#[test]
fn every_request_has_the_fields_of_payload_2_0_and_they_agree() {
    let always = ["headers", "isBase64Encoded", "rawPath", "rawQueryString", "requestContext", "routeKey", "version"];
    let sometimes = ["body", "cookies", "pathParameters", "queryStringParameters"];
    let of_context = words("accountId apiId domainName domainPrefix http requestId routeKey stage time timeEpoch");
    let of_headers = words(
        "accept content-length host user-agent x-amzn-trace-id x-forwarded-for x-forwarded-port x-forwarded-proto",
    );
    for Event { name, document, .. } in requests() {
        let (fields, context) = (keys(&document), &document["requestContext"]);
        assert!(always.into_iter().all(|field| fields.contains(field)), "{name}");
        assert!(fields.iter().all(|field| always.contains(field) || sometimes.contains(field)), "{name}");
        assert_eq!(keys(context), of_context, "{name}");
        assert_eq!(keys(&context["http"]), ["method", "path", "protocol", "sourceIp", "userAgent"].into(), "{name}");
        assert!(keys(&document["headers"]).is_superset(&of_headers), "{name}");
        assert_eq!(
            (text(&document, "version"), text(context, "stage"), text(context, "accountId")),
            ("2.0", "$default", ACCOUNT)
        );
        assert_eq!(context["routeKey"], document["routeKey"], "{name}");
        assert_eq!(context["http"]["path"], document["rawPath"], "{name}");
        assert_eq!(document["headers"]["host"], context["domainName"], "{name}");
        assert_eq!(document["headers"]["user-agent"], context["http"]["userAgent"], "{name}");
        assert_eq!(joined(text(&document, "rawQueryString")), document["queryStringParameters"], "{name}");
    }
}

/// Returns the query parameters as the gateway joins them: repeats with commas, invalid UTF-8 as U+FFFD.
fn joined(query: &str) -> Value {
    let mut joined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let parse = reqwest::Url::parse(&format!("http://localhost/?{query}")).expect("a query");
    for (name, value) in parse.query_pairs() {
        joined.entry(name.into_owned()).or_default().push(value.into_owned());
    }
    if joined.is_empty() {
        Value::Null
    } else {
        joined.into_iter().map(|(name, all)| (name, json!(all.join(",")))).collect()
    }
}

#[test]
fn every_record_of_a_stream_has_all_its_fields() {
    let fields = ["awsRegion", "dynamodb", "eventID", "eventName", "eventSource", "eventSourceARN", "eventVersion"];
    let mut kinds = BTreeSet::new();
    let events = events();
    let of_streams = |event: &&Event| BACKGROUND.contains(&event.function) && event.name.starts_with("stream");
    for event in events.iter().filter(of_streams) {
        for record in event.document["Records"].as_array().expect("records") {
            assert_eq!(keys(record), fields.into(), "{}", event.name);
            let kind = text(record, "eventName");
            let change = keys(&record["dynamodb"]);
            let mut expected: BTreeSet<_> =
                ["ApproximateCreationDateTime", "Keys", "SequenceNumber", "SizeBytes", "StreamViewType"].into();
            if kind != "REMOVE" {
                expected.insert("NewImage");
            }
            if kind != "INSERT" && text(&record["dynamodb"], "StreamViewType") == "NEW_AND_OLD_IMAGES" {
                expected.insert("OldImage");
            }
            assert_eq!(change, expected, "{}", event.name);
            assert!(text(record, "eventSourceARN").contains(ACCOUNT));
            kinds.insert(kind);
        }
    }
    assert_eq!(kinds, ["INSERT", "MODIFY", "REMOVE"].into());
}
