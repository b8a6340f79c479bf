//! Metrics that the functions write, the alarms on them, and the dashboard.

use std::collections::{BTreeMap, BTreeSet};

use presence_runtime::telemetry::{Metric, REQUEST_DIMENSIONS, REQUEST_METRIC};
use presence_store::schema::TABLES;
use presence_tests::routes;
use serde_json::{Value, json};

use super::template::{Resource, TEMPLATE, referent, root};

/// Metrics and expressions that one alarm may have.
const MOST_METRICS: usize = 10;

/// Returns the alarms, each with its metrics as `namespace/name`.
fn alarms() -> BTreeMap<&'static str, BTreeSet<String>> {
    let alarms = TEMPLATE.of_type("AWS::CloudWatch::Alarm");
    alarms.map(|alarm| (alarm.name, watched(alarm))).collect()
}

fn watched(alarm: Resource<'_>) -> BTreeSet<String> {
    let name = |namespace: &Value, metric: &Value| {
        let namespace = TEMPLATE.text(namespace);
        format!("{namespace}/{}", metric.as_str().expect("a metric"))
    };
    match alarm.property("Metrics").as_array() {
        Some(metrics) => {
            let metrics =
                metrics.iter().map(|metric| &metric["MetricStat"]["Metric"]).filter(|metric| metric.is_object());
            metrics.map(|metric| name(&metric["Namespace"], &metric["MetricName"])).collect()
        }
        None => [name(alarm.property("Namespace"), alarm.property("MetricName"))].into(),
    }
}

/// Functions of nested stacks, which have no globals.
const NESTED: [&str; 4] = ["deliverer", "ingest", "publisher", "replies"];
/// Namespace of the metrics that the functions write.
const NAMESPACE: &str = "presence/${AWS::StackName}";

/// Returns the metrics of the functions on the dashboard, each with its dimensions: names and values by turns.
fn shown() -> Vec<(String, Vec<String>)> {
    let body = dashboard();
    let widgets = body["widgets"].as_array().expect("widgets").iter();
    let rows = widgets.flat_map(|widget| widget["properties"]["metrics"].as_array().into_iter().flatten());
    let texts =
        |row: &Value| row.as_array().expect("a row").iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
    let rows = rows.map(texts).filter(|row: &Vec<String>| row.first().is_some_and(|first| first == NAMESPACE));
    rows.map(|row| (row[1].clone(), row[2..].to_vec())).collect()
}

fn dashboard() -> Value {
    let body = TEMPLATE.resource("Dashboard").property("DashboardBody")["Fn::Sub"].as_str().expect("a body");
    serde_json::from_str(body).expect("JSON")
}

#[test]
fn functions_write_their_metrics_in_the_namespace_that_alarms_and_dashboard_read() {
    let variable = TEMPLATE.at(&["Globals", "Function", "Environment", "Variables", "METRIC_NAMESPACE"]);
    assert_eq!(variable, &json!({ "Fn::Sub": NAMESPACE }));
    for (name, function) in TEMPLATE.functions() {
        let own = &function.property("Environment")["Variables"]["METRIC_NAMESPACE"];
        let expected = if NESTED.contains(&name) { variable } else { &Value::Null };
        assert_eq!(own, expected, "{name}");
    }
}

#[test]
fn the_metric_of_requests_is_read_from_the_lines_of_each_function_of_the_api() {
    let is_of_api = |function: &Resource<'_>| {
        let mut events = function.property("Events").as_object().into_iter().flat_map(|events| events.values());
        events.any(|event| event["Type"] == "HttpApi")
    };
    let functions = TEMPLATE.functions().into_values().filter(is_of_api);
    let logs: BTreeSet<_> =
        functions.map(|function| referent(&function.property("LoggingConfig")["LogGroup"])).collect();
    let filters: Vec<_> = TEMPLATE.of_type("AWS::Logs::MetricFilter").collect();
    assert_eq!(filters.len(), logs.len(), "one filter for each log");
    assert_eq!(filters.iter().map(|filter| referent(filter.property("LogGroupName"))).collect::<BTreeSet<_>>(), logs);
    for filter in filters {
        assert_eq!(filter.property("FilterPattern"), r#"{ $.message = "request" }"#, "{}", filter.name);
        let metrics = filter.property("MetricTransformations").as_array().expect("metrics");
        let [metric] = metrics.as_slice() else { panic!("{}: one metric", filter.name) };
        assert_eq!(TEMPLATE.text(&metric["MetricNamespace"]), NAMESPACE);
        let dimensions = REQUEST_DIMENSIONS.map(|name| json!({ "Key": name, "Value": format!("$.{name}") }));
        let names = (&metric["MetricName"], &metric["MetricValue"], &metric["Unit"], &metric["Dimensions"]);
        let value = format!("$.{REQUEST_METRIC}");
        assert_eq!(names, (&json!(REQUEST_METRIC), &json!(value), &json!("Milliseconds"), &json!(dimensions)));
    }
}

#[test]
fn each_metric_of_the_functions_is_on_the_dashboard_or_has_an_alarm_and_each_such_metric_exists() {
    let alarms: BTreeSet<_> = alarms().into_values().flatten().collect();
    let watched: BTreeSet<_> = alarms.iter().filter_map(|name| name.strip_prefix(&format!("{NAMESPACE}/"))).collect();
    let shown = shown();
    let plain: BTreeSet<_> = shown.iter().filter(|(_, of)| of.is_empty()).map(|(name, _)| name.as_str()).collect();
    let seen: BTreeSet<_> = watched.union(&plain).copied().collect();
    assert_eq!(seen, Metric::ALL.map(Metric::name).into());
    for metric in [
        Metric::MailsFailed,
        Metric::OutboxAgeSeconds,
        Metric::LedgerDrift,
        Metric::UnfoldedChanges,
        Metric::ChangesUnreadable,
        Metric::PendingReplySeconds,
        Metric::WebhooksDisabled,
        Metric::WebhookOverdueSeconds,
    ] {
        assert!(watched.contains(metric.name()), "an alarm on {}", metric.name());
    }
}

#[test]
fn dashboard_shows_requests_by_the_dimensions_of_their_metric() {
    let operations: BTreeSet<_> = routes().into_iter().map(|route| route.name).collect();
    let shown = shown();
    let of_requests: Vec<_> = shown.iter().filter(|(_, of)| !of.is_empty()).collect();
    for (metric, of) in &of_requests {
        assert_eq!(metric, REQUEST_METRIC);
        assert_eq!([of[0].as_str(), &of[2]], REQUEST_DIMENSIONS);
    }
    let counted: BTreeSet<_> = of_requests.iter().map(|(_, of)| of[1].as_str()).collect();
    let searches = operations.iter().copied().filter(|name| name.starts_with("search_"));
    assert_eq!(counted, searches.chain(["accept_invitation"]).collect());
    let text = dashboard().to_string();
    let dimensions = REQUEST_DIMENSIONS.join(",");
    // Quotation marks are escaped: in the expression, and again in the JSON of the dashboard.
    let schema = format!(r#"SEARCH('{{\"{NAMESPACE}\",{dimensions}}} MetricName=\"{REQUEST_METRIC}\""#);
    assert_eq!(text.matches(&schema).count(), 2, "{text}");
}

#[test]
fn everything_that_an_operator_must_hear_of_has_an_alarm() {
    let watched: BTreeSet<_> = alarms().into_values().flatten().collect();
    for metric in [
        "AWS/Lambda/Errors",
        "AWS/Lambda/IteratorAge",
        "AWS/Lambda/Throttles",
        "AWS/Lambda/ClaimedAccountConcurrency",
        "AWS/ApiGateway/5xx",
        "AWS/ApiGateway/Latency",
        "AWS/DynamoDB/ReadThrottleEvents",
        "AWS/DynamoDB/WriteThrottleEvents",
        "AWS/SQS/ApproximateNumberOfMessagesVisible",
        "AWS/SQS/ApproximateAgeOfOldestMessage",
        "AWS/SES/Reputation.BounceRate",
        "AWS/SES/Reputation.ComplaintRate",
    ] {
        assert!(watched.contains(metric), "{metric}");
    }
    for alarm in TEMPLATE.of_type("AWS::CloudWatch::Alarm") {
        let topic = json!([{ "Ref": "AlarmTopic" }]);
        assert_eq!((alarm.property("AlarmActions"), alarm.property("OKActions")), (&topic, &topic), "{}", alarm.name);
        // The sweep measures the age each minute: only there is silence bad news.
        let missing = if alarm.name == "OutboxAgeAlarm" { "breaching" } else { "notBreaching" };
        assert_eq!(alarm.property("TreatMissingData"), missing, "{}", alarm.name);
        assert!(alarm.property("AlarmDescription").is_string(), "{}", alarm.name);
    }
}

/// Returns the metrics of an alarm on several: name, and dimensions in their order.
fn metrics(alarm: Resource<'static>) -> Vec<(&'static str, Vec<&'static Value>)> {
    let metrics = alarm.property("Metrics").as_array().expect("metrics");
    let metrics = metrics.iter().map(|metric| &metric["MetricStat"]["Metric"]).filter(|metric| metric.is_object());
    let dimensions = |metric: &'static Value| metric["Dimensions"].as_array().into_iter().flatten();
    metrics
        .map(|metric| {
            let values = dimensions(metric).map(|one| &one["Value"]).collect();
            (metric["MetricName"].as_str().expect("a name"), values)
        })
        .collect()
}

/// Returns the names of what the metrics of an alarm are about.
fn subjects(alarm: &str) -> BTreeSet<String> {
    metrics(TEMPLATE.resource(alarm)).into_iter().map(|(_, values)| TEMPLATE.name_of(values[0])).collect()
}

#[test]
fn alarms_look_at_every_function() {
    let name_of = |function: Resource<'_>| TEMPLATE.text(function.property("FunctionName"));
    let mut functions: BTreeSet<_> = TEMPLATE.functions().into_values().map(name_of).collect();
    // Not every deployment has them, so they have alarms of their own. Their throttles only let a queue or a stream wait.
    for alarm in ["IngestErrorsAlarm", "EventsErrorsAlarm", "RepliesErrorsAlarm", "WebhooksErrorsAlarm"] {
        let dimensions = TEMPLATE.resource(alarm).property("Dimensions");
        assert!(functions.remove(&TEMPLATE.name_of(&dimensions[0]["Value"])), "{alarm}");
    }
    assert_eq!(subjects("ErrorsAlarm"), functions);
    assert_eq!(subjects("ThrottlesAlarm"), functions);
}

#[test]
fn each_table_has_an_alarm_on_throttled_reads_and_writes_of_it_and_its_indexes() {
    for table in &TABLES {
        let alarm = TEMPLATE.of_type("AWS::CloudWatch::Alarm").find(|alarm| {
            let name = TEMPLATE.text(alarm.property("AlarmName"));
            name == format!("${{AWS::StackName}}-alarm-{}-table-throttles", table.name)
        });
        let alarm = alarm.unwrap_or_else(|| panic!("an alarm on {}", table.name));
        let named = |of: &[&Value]| -> Vec<String> { of.iter().map(|value| TEMPLATE.name_of(value)).collect() };
        let watched: BTreeSet<_> = metrics(alarm).iter().map(|(metric, of)| (*metric, named(of))).collect();
        let name = format!("${{AWS::StackName}}-{}", table.name);
        let indexes = table.indexes.iter().map(|index| vec![name.clone(), index.name.to_owned()]);
        let parts: Vec<_> = indexes.chain([vec![name.clone()]]).collect();
        let kinds = ["ReadThrottleEvents", "WriteThrottleEvents"];
        let expected = kinds.into_iter().flat_map(|kind| parts.iter().map(move |part| (kind, part.clone())));
        assert_eq!(watched, expected.collect(), "{}", table.name);
    }
}

#[test]
fn no_alarm_has_more_metrics_than_cloudwatch_accepts() {
    for alarm in TEMPLATE.of_type("AWS::CloudWatch::Alarm") {
        let metrics = alarm.property("Metrics").as_array().map_or(1, Vec::len);
        assert!(metrics <= MOST_METRICS, "{}: {metrics}", alarm.name);
    }
}

/// Returns the names of the alarms without that of the stack.
fn short_names() -> BTreeSet<String> {
    let names = TEMPLATE.of_type("AWS::CloudWatch::Alarm").map(|alarm| TEMPLATE.text(alarm.property("AlarmName")));
    names.map(|name| name.strip_prefix("${AWS::StackName}-alarm-").expect("a name of the stack").to_owned()).collect()
}

#[test]
fn each_alarm_has_a_row_in_the_operators_guide_and_each_row_an_alarm() {
    let guide = std::fs::read_to_string(root().join("shared/docs/runbooks.md")).expect("the runbooks");
    let (_, table) = guide.split_once("| alarm | means | do |\n").expect("the table of the alarms");
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let rows: BTreeSet<_> = rows.map(|row| row.split('|').nth(1).expect("a column").trim().to_owned()).collect();
    // One row for the tables.
    let of_a_table = |name: &String| TABLES.iter().any(|table| *name == format!("{}-table-throttles", table.name));
    let expected =
        short_names().into_iter().map(|name| if of_a_table(&name) { "TABLE-table-throttles".into() } else { name });
    assert_eq!(rows, expected.collect());
}

#[test]
fn a_release_is_taken_back_when_a_request_fails_meanwhile() {
    let preference = TEMPLATE.at(&["Globals", "Function", "DeploymentPreference"]);
    assert_eq!(preference["Type"], json!({ "Ref": "Release" }));
    assert_eq!(TEMPLATE.at(&["Parameters", "Release", "Default"]), "Canary10Percent5Minutes");
    let named = preference["Alarms"].as_array().expect("alarms").iter().map(|name| TEMPLATE.text(name));
    let named: BTreeSet<_> = named.map(|name| name.rsplit_once("-alarm-").expect("an alarm").1.to_owned()).collect();
    assert_eq!(named, ["errors", "server-errors"].map(str::to_owned).into());
    assert!(named.is_subset(&short_names()), "alarms that exist");
}

#[test]
fn the_dashboard_is_json_and_shows_every_alarm_that_every_deployment_has() {
    let body = dashboard();
    let shown: BTreeSet<_> = body["widgets"][0]["properties"]["alarms"]
        .as_array()
        .expect("alarms")
        .iter()
        .map(|one| one.as_str().expect("an ARN"))
        .collect();
    // Not every deployment has those of the options. That of the table of events is in each.
    let of_options = ["Ingest", "Events", "Replies", "Webhooks"];
    let is_option =
        |name: &&str| *name != "EventsTableThrottlesAlarm" && of_options.iter().any(|start| name.starts_with(start));
    let every = alarms().into_keys().filter(|name| !is_option(name));
    let names: Vec<_> = every.map(|name| format!("${{{name}.Arn}}")).collect();
    assert_eq!(shown, names.iter().map(String::as_str).collect());
}
