//! Metrics in the log, the filters that read them, and the alarms.

use std::collections::{BTreeMap, BTreeSet};

use presence_runtime::telemetry::Metric;
use serde_json::{Value, json};

use super::template::{Resource, TEMPLATE, referent};

/// Returns the functions that write a metric.
fn writers(metric: Metric) -> &'static [&'static str] {
    match metric {
        Metric::MailsFailed | Metric::OutboxAgeSeconds => &["mailer"],
        Metric::LedgerDrift => &["auditor", "reviews"],
        Metric::UnfoldedChanges => &["auditor"],
    }
}

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

#[test]
fn each_metric_of_the_code_has_one_filter_on_the_log_of_its_function_and_an_alarm() {
    let filters: Vec<_> = TEMPLATE.of_type("AWS::Logs::MetricFilter").collect();
    let alarms: BTreeSet<_> = alarms().into_values().flatten().collect();
    let functions = TEMPLATE.functions();
    for metric in Metric::ALL {
        let pattern = format!("{{ $.metric = \"{}\" }}", metric.name());
        let matching: Vec<_> = filters.iter().filter(|filter| filter.property("FilterPattern") == &pattern).collect();
        let log = |writer: &&str| referent(&functions[*writer].property("LoggingConfig")["LogGroup"]);
        let read: BTreeSet<_> = matching.iter().map(|filter| referent(filter.property("LogGroupName"))).collect();
        assert_eq!(read, writers(metric).iter().map(log).collect(), "one filter on each log with {}", metric.name());
        assert_eq!(matching.len(), read.len());
        for filter in matching {
            let made = &filter.property("MetricTransformations")[0];
            assert_eq!(made["MetricNamespace"], json!({ "Fn::Sub": "presence/${AWS::StackName}" }));
            assert_eq!((&made["MetricName"], &made["MetricValue"]), (&json!(metric.name()), &json!("$.value")));
        }
        let name = format!("presence/${{AWS::StackName}}/{}", metric.name());
        assert!(alarms.contains(&name), "an alarm on {name}");
    }
    assert_eq!(filters.len(), Metric::ALL.into_iter().map(|metric| writers(metric).len()).sum::<usize>());
}

#[test]
fn everything_that_an_operator_must_hear_of_has_an_alarm() {
    let watched: BTreeSet<_> = alarms().into_values().flatten().collect();
    for metric in [
        "AWS/Lambda/Errors",
        "AWS/Lambda/Throttles",
        "AWS/ApiGateway/5xx",
        "AWS/ApiGateway/Latency",
        "AWS/DynamoDB/ReadThrottleEvents",
        "AWS/DynamoDB/WriteThrottleEvents",
        "AWS/SQS/ApproximateNumberOfMessagesVisible",
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

/// Returns the resources that the metrics of an alarm refer to.
fn subjects(alarm: &str) -> BTreeSet<&'static str> {
    let metrics = TEMPLATE.resource(alarm).property("Metrics").as_array().expect("metrics");
    let metrics = metrics.iter().map(|metric| &metric["MetricStat"]["Metric"]).filter(|metric| metric.is_object());
    metrics.map(|metric| referent(&metric["Dimensions"][0]["Value"])).collect()
}

#[test]
fn alarms_look_at_every_function_and_every_table() {
    let functions: BTreeSet<_> = TEMPLATE.functions().into_values().map(|function| function.name).collect();
    assert_eq!(subjects("ErrorsAlarm"), functions);
    assert_eq!(subjects("ThrottlesAlarm"), functions);
    let tables: BTreeSet<_> = TEMPLATE.of_type("AWS::DynamoDB::Table").map(|table| table.name).collect();
    assert_eq!(subjects("TableThrottlesAlarm"), tables);
}

#[test]
fn the_dashboard_is_json_and_shows_every_alarm() {
    let body = TEMPLATE.resource("Dashboard").property("DashboardBody")["Fn::Sub"].as_str().expect("a body");
    let body: Value = serde_json::from_str(body).expect("JSON");
    let shown: BTreeSet<_> = body["widgets"][0]["properties"]["alarms"]
        .as_array()
        .expect("alarms")
        .iter()
        .map(|one| one.as_str().expect("an ARN"))
        .collect();
    let names: Vec<_> = alarms().into_keys().map(|name| format!("${{{name}.Arn}}")).collect();
    assert_eq!(shown, names.iter().map(String::as_str).collect());
}
