//! Metrics in the log, the filters that read them, and the alarms.

use std::collections::{BTreeMap, BTreeSet};

use presence_runtime::telemetry::Metric;
use presence_store::schema::TABLES;
use serde_json::{Value, json};

use super::template::{Resource, TEMPLATE, referent, root};

/// Metrics and expressions that one alarm may have.
const MOST_METRICS: usize = 10;

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
        "AWS/Lambda/ClaimedAccountConcurrency",
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

/// Returns the resources that the metrics of an alarm refer to.
fn subjects(alarm: &str) -> BTreeSet<&'static str> {
    metrics(TEMPLATE.resource(alarm)).into_iter().map(|(_, values)| referent(values[0])).collect()
}

#[test]
fn alarms_look_at_every_function() {
    let functions: BTreeSet<_> = TEMPLATE.functions().into_values().map(|function| function.name).collect();
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
        let watched = metrics(alarm);
        let resource = TEMPLATE.resource(referent(watched[0].1[0]));
        let name = format!("${{AWS::StackName}}-{}", table.name);
        assert_eq!(TEMPLATE.text(resource.property("TableName")), name);
        let watched: BTreeSet<_> = watched.iter().map(|(metric, of)| (*metric, json!(of).to_string())).collect();
        let reference = json!({ "Ref": resource.name });
        let indexes = table.indexes.iter().map(|index| json!([reference, index.name]));
        let parts: Vec<_> = indexes.chain([json!([reference])]).collect();
        let kinds = ["ReadThrottleEvents", "WriteThrottleEvents"];
        let expected = kinds.into_iter().flat_map(|kind| parts.iter().map(move |part| (kind, part.to_string())));
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
    let guide = std::fs::read_to_string(root().join("shared/docs/deploy.md")).expect("the guide");
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
    assert_eq!(TEMPLATE.at(&["Globals", "Function", "AutoPublishAlias"]), "live");
    for (name, function) in TEMPLATE.functions() {
        assert_eq!(function.property("AutoPublishAliasAllProperties"), true, "{name}: settings reach the alias");
    }
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
