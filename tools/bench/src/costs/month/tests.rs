use crate::cost::Cost;

use super::assumptions::MAIL;
use super::*;
use crate::costs::bill::{OperationUsage, Trigger};
use crate::costs::prices::ASSUMED;
use crate::lambda::memory::Memory;

fn rows() -> Vec<ReportRow> {
    let time = BilledTime { memory: Memory(512), billed_ms: 10.0 };
    let usage = |trigger| OperationUsage {
        cost: Cost { calls: 2, waves: 1, read_units: 2.0, write_units: 8.0 },
        trigger,
        log_bytes: 700,
        answer_bytes: 1_000,
        time,
    };
    let requests = MIX.map(|(_, label, _)| ReportRow { label: label.to_owned(), usage: usage(Trigger::ApiRequest) });
    let mail = ReportRow { label: MAIL.to_owned(), usage: usage(Trigger::OutboxStream) };
    requests.into_iter().chain([mail]).collect()
}

fn amount(report: &str, name: &str) -> f64 {
    let row = report.lines().find(|row| row.starts_with(&format!("| {name} |"))).expect("a row");
    row.rsplit('|').nth(1).expect("a cell").trim().trim_matches('*').parse().expect("a number")
}

#[test]
fn shares_of_the_requests_are_a_whole() {
    assert!((MIX.iter().map(|(_, _, share)| share).sum::<f64>() - 1.0).abs() < 1e-9);
    let changes = ["`create", "`update", "`delete", "`accept"];
    let changing = MIX.iter().filter(|(_, label, _)| changes.iter().any(|change| label.starts_with(change)));
    assert!((changing.map(|(_, _, share)| share).sum::<f64>() - CHANGES).abs() < 1e-9);
}

#[test]
fn bill_is_the_sum_of_its_lines() {
    let sweep = BilledTime { memory: Memory(256), billed_ms: 8.0 };
    let bytes = ItemBytes { review: 1_322.0, user: 1_188.0, record: 810.0 };
    let report = render(&rows(), sweep, bytes).expect("every row is there");
    let bill = report.split("| setting |").next().expect("the bill");
    let lines = bill.lines().filter(|row| row.starts_with("| ") && !row.contains("---") && !row.contains("line |"));
    let amounts: Vec<f64> = lines
        .map(|row| row.rsplit('|').nth(1).expect("a cell").trim().trim_matches('*').parse().expect("a number"))
        .collect();
    let (all, lines) = amounts.split_last().expect("the sum");
    assert!((all - lines.iter().sum::<f64>()).abs() < 0.2, "{amounts:?}");
    assert!((amount(&report, "API Gateway") - 30.0).abs() < 1e-9);
    assert!((amount(&report, "DynamoDB: reads of requests") - 60.06 * 0.125).abs() < 0.01);
    assert!((amount(&report, "DynamoDB: imports") - (13.2 * 0.625 + 3.6 * 0.125)).abs() < 0.01);
    assert!((amount(&report, "SES") - 3.0).abs() < 1e-9);
    // Nine alarms on one metric, and ten on 43.
    assert!((amount(&report, "Alarms") - 5.2).abs() < 1e-9);
}

#[test]
fn lines_with_an_assumed_price_say_so() {
    let sweep = BilledTime { memory: Memory(256), billed_ms: 8.0 };
    let report = render(&rows(), sweep, ItemBytes::default()).expect("every row is there");
    let marked = report.lines().filter(|row| row.contains(ASSUMED)).filter_map(|row| row.split(" | ").next());
    let mut marked: Vec<_> = marked.map(|name| name.trim_start_matches("| ")).collect();
    marked.sort_unstable();
    let expected = [
        "Alarms",
        "CloudFront with WAF in front of the API",
        "Logs: kept",
        "`Architecture=x86_64`",
        "`Ingest=true`",
        "`LogRetentionDays=400` instead of 30",
    ];
    assert_eq!(marked, expected);
    let prices = include_str!("../prices.rs").split("#[cfg(test)]").next().expect("the prices");
    let documented = prices.lines().filter(|line| line.starts_with("/// ") && line.contains(", assumed"));
    assert_eq!(documented.count(), 5, "log storage, alarms, x86-64, CloudFront, FIFO queues");
}

#[test]
fn row_that_is_missing_is_named() {
    let mut rows = rows();
    rows.remove(0);
    let sweep = BilledTime { memory: Memory(256), billed_ms: 8.0 };
    let error = render(&rows, sweep, ItemBytes::default()).expect_err("a row is missing");
    assert!(error.to_string().contains("get_me"), "{error}");
}
