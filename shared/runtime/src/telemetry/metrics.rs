//! Background metrics: those of no request. Each measurement is a line of the log in the embedded metric format, from which
//! `CloudWatch` makes the metric. So a function makes no call for its metrics.

use std::collections::BTreeMap;

use serde::Serialize;

use super::lines::{self, Head};
use crate::config::metric_namespace;

/// Metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Number of invitations that SES has taken.
    InvitationsSent,
    /// Number of mails that were given up.
    MailsFailed,
    /// Number of addresses that were marked because a mail to them bounced.
    MailsBounced,
    /// Number of addresses that were marked because a mail to them was reported as spam.
    MailsComplained,
    /// Age of the mail that has been due for the longest time, in seconds. Measured at each sweep.
    OutboxAgeSeconds,
    /// Number of searches that found counts of reviews that do not add up.
    LedgerDrift,
    /// Number of changes in the longest log of reviews that the schedule could not fold.
    UnfoldedChanges,
    /// Number of leases of a key's limit that the database did not grant, so that requests passed without a limit.
    LeasesFailed,
    /// Number of events that the bus has taken.
    EventsSent,
    /// Number of events that batches of the streams have brought into the feeds.
    EventsAppended,
    /// Number of changes that could not be read, so that no event tells of them.
    ChangesUnreadable,
    /// Number of requests to publish or remove a reply that the queue has taken.
    RepliesSent,
    /// Age of the oldest reply or removal without an outcome, in seconds. Measured by each run of the auditor.
    PendingReplySeconds,
    /// Number of webhooks that were disabled, since they were gone or took nothing for five days.
    WebhooksDisabled,
    /// Time for which a delivery to a webhook has been due, in seconds: the longest one. Measured at each sweep that finds one.
    WebhookOverdueSeconds,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Self; 15] = [
        Self::InvitationsSent,
        Self::MailsFailed,
        Self::MailsBounced,
        Self::MailsComplained,
        Self::OutboxAgeSeconds,
        Self::LedgerDrift,
        Self::UnfoldedChanges,
        Self::LeasesFailed,
        Self::EventsSent,
        Self::EventsAppended,
        Self::ChangesUnreadable,
        Self::RepliesSent,
        Self::PendingReplySeconds,
        Self::WebhooksDisabled,
        Self::WebhookOverdueSeconds,
    ];

    /// Returns the name in `CloudWatch` and in the log.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvitationsSent => "invitations_sent",
            Self::MailsFailed => "mails_failed",
            Self::MailsBounced => "mails_bounced",
            Self::MailsComplained => "mails_complained",
            Self::OutboxAgeSeconds => "outbox_age_seconds",
            Self::LedgerDrift => "ledger_drift",
            Self::UnfoldedChanges => "unfolded_changes",
            Self::LeasesFailed => "leases_failed",
            Self::EventsSent => "events_sent",
            Self::EventsAppended => "events_appended",
            Self::ChangesUnreadable => "changes_unreadable",
            Self::RepliesSent => "replies_sent",
            Self::PendingReplySeconds => "pending_reply_seconds",
            Self::WebhooksDisabled => "webhooks_disabled",
            Self::WebhookOverdueSeconds => "webhook_overdue_seconds",
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::OutboxAgeSeconds | Self::PendingReplySeconds | Self::WebhookOverdueSeconds => "Seconds",
            _ => "Count",
        }
    }
}

/// Line of a measurement.
#[derive(Serialize)]
struct MetricLine {
    #[serde(rename = "_aws")]
    directive: Directive,
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    value: BTreeMap<&'static str, f64>,
}

/// Member of a line that tells `CloudWatch` which metric to make of it:
/// <https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Directive {
    cloud_watch_metrics: [MetricDirective; 1],
    /// Milliseconds since 1970.
    timestamp: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct MetricDirective {
    namespace: String,
    /// One set of dimensions, which has none.
    dimensions: [[&'static str; 0]; 1],
    metrics: [MetricDefinition; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct MetricDefinition {
    name: &'static str,
    unit: &'static str,
}

impl MetricLine {
    fn new(metric: Metric, value: f64) -> Self {
        let head = Head::now("metric");
        let metrics = [MetricDefinition { name: metric.name(), unit: metric.unit() }];
        let directive = MetricDirective { namespace: metric_namespace(), dimensions: [[]], metrics };
        Self {
            directive: Directive { cloud_watch_metrics: [directive], timestamp: head.milliseconds },
            head,
            value: [(metric.name(), value)].into(),
        }
    }
}

/// Logs a measurement.
pub fn log_metric(metric: Metric, value: f64) {
    let line = lines::text(&MetricLine::new(metric, value));
    tracing::info!(target: lines::METRIC_TARGET, line = &*line);
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn line_of_each_metric_has_the_embedded_format() {
        for metric in Metric::ALL {
            let text = lines::text(&MetricLine::new(metric, 3.0));
            assert!(text.ends_with("}\n") && text.matches('\n').count() == 1, "{text}");
            let line: Value = serde_json::from_str(&text).expect("JSON");
            let unit = if metric.name().ends_with("_seconds") { "Seconds" } else { "Count" };
            let directive = json!([{
                "Namespace": metric_namespace(), "Dimensions": [[]], "Metrics": [{ "Name": metric.name(), "Unit": unit }],
            }]);
            assert_eq!(line["_aws"]["CloudWatchMetrics"], directive);
            let timestamp: Timestamp = line["timestamp"].as_str().expect("a text").parse().expect("an instant");
            assert_eq!(line["_aws"]["Timestamp"], timestamp.as_millisecond());
            assert_eq!(
                (&line[metric.name()], &line["message"], &line["level"]),
                (&json!(3.0), &json!("metric"), &json!("INFO"))
            );
            assert_eq!(line.as_object().expect("an object").len(), 5, "{text}");
        }
    }
}
