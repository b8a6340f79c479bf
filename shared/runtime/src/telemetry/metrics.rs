//! Metrics that are no metrics of requests. Each measurement is a line of the log, from which `CloudWatch` makes the metric. So a
//! function makes no call for its metrics.

use metrique_writer_core::{Entry, EntryWriter};

use super::lines::{self, Measurement, write_head};

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
    /// Number of changes that could not be read, so that no event tells of them.
    ChangesUnreadable,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Self; 10] = [
        Self::InvitationsSent,
        Self::MailsFailed,
        Self::MailsBounced,
        Self::MailsComplained,
        Self::OutboxAgeSeconds,
        Self::LedgerDrift,
        Self::UnfoldedChanges,
        Self::LeasesFailed,
        Self::EventsSent,
        Self::ChangesUnreadable,
    ];

    /// Returns the name in `CloudWatch` and in the log.
    #[must_use]
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
            Self::ChangesUnreadable => "changes_unreadable",
        }
    }

    fn measure(self, value: f64) -> Measurement {
        match self {
            Self::OutboxAgeSeconds => Measurement::seconds(value),
            _ => Measurement::count(value),
        }
    }
}

/// Measurement of a metric.
pub(super) struct MetricLog {
    metric: Metric,
    value: f64,
}

impl Entry for MetricLog {
    fn write<'a>(&'a self, writer: &mut impl EntryWriter<'a>) {
        write_head(writer, "metric");
        writer.value(self.metric.name(), &self.metric.measure(self.value));
    }
}

/// Logs a measurement.
pub fn log_metric(metric: Metric, value: f64) {
    let line = lines::of_metric(&MetricLog { metric, value });
    tracing::info!(target: lines::METRIC_TARGET, line = &*line);
}
