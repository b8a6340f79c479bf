//! Settings that change the bill.

use super::assumptions::{
    AUDIT_UNITS, AUDITS, DAYS, INGEST_ALARM_METRICS, LOG_MONTHS, MESSAGE_MS, MESSAGE_REQUESTS, MESSAGE_ROWS,
    MESSAGE_UNITS, MILLION_POLLS, MILLION_REQUESTS, MILLION_TRACES, MOST_LOG_MONTHS, NEW_REVIEWS_A_DAY,
};
use super::{Line, Month, line};
use crate::costs::prices::{
    ALARM, ASSUMED, EDGE_REQUESTS, FIFO_REQUESTS, INVOCATIONS, LOG_STORAGE_GB, READ_UNITS, STORAGE_GB, TRACES, WAF_ACL,
    WAF_REQUESTS, WAF_RULE, WRITE_UNITS, X86_SURCHARGE, lambda,
};
use crate::lambda::memory::Memory;

impl Month {
    /// Returns the settings that change the bill, each with what it adds to it.
    pub(super) fn settings(&self) -> Vec<Line> {
        let retention = self.logged_gb() * (MOST_LOG_MONTHS - LOG_MONTHS) * LOG_STORAGE_GB;
        let edge = WAF_ACL + WAF_RULE + MILLION_REQUESTS * (WAF_REQUESTS + EDGE_REQUESTS);
        let copies = self.writes() * WRITE_UNITS + self.all_gb() * STORAGE_GB;
        let times = self.totals.functions.iter().map(|(_, dollars)| dollars).sum::<f64>();
        let x86 = (times - MILLION_REQUESTS * INVOCATIONS) * X86_SURCHARGE;
        let messages = NEW_REVIEWS_A_DAY * DAYS / 1e6 / MESSAGE_ROWS;
        let of_message =
            MESSAGE_REQUESTS * FIFO_REQUESTS + MESSAGE_UNITS * WRITE_UNITS + lambda(Memory(512), MESSAGE_MS);
        let ingest = messages * of_message + MILLION_POLLS * FIFO_REQUESTS + INGEST_ALARM_METRICS * ALARM;
        let mut settings = vec![
            line("`Ingest=true`", format!("new reviews by the queue, its polls, and three alarms; {ASSUMED}"), ingest),
            line("Global tables", "writes and storage a second time", copies),
            line(
                "CloudFront with WAF in front of the API",
                format!("one rule, all requests; CloudFront's {ASSUMED}"),
                edge,
            ),
            line("`Tracing=Active`", format!("{MILLION_TRACES:.1} million traces"), MILLION_TRACES * TRACES),
            line("`LogRetentionDays=400` instead of 30", format!("once 400 days are kept; {ASSUMED}"), retention),
            line("`Architecture=x86_64`", format!("a quarter more for the time of Lambda; {ASSUMED}"), x86),
            line("`RateLimitPerMinute=0`", "no leases", -Self::leases() * WRITE_UNITS),
            line("`AuditUnits=8000`", "twice as many reads", AUDITS * AUDIT_UNITS / 1e6 * READ_UNITS),
        ];
        settings.sort_by(|one, other| other.dollars.abs().total_cmp(&one.dollars.abs()));
        settings
    }
}
