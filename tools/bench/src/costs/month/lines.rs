//! Lines of the bill.

use super::assumptions::{
    AUDIT_GB, AUDIT_SECONDS, AUDIT_UNITS, AUDITS, CHANGES, DAYS, IMPORT_READS, IMPORT_WRITES, LOG_MONTHS, METRICS,
    MILLION_REQUESTS, NEW_REVIEWS_A_DAY, RECORD_UNITS, SWEEPS,
};
use super::totals::share_of;
use super::{Line, Month, line};
use crate::costs::prices::{
    ALARM, ASSUMED, DASHBOARD, GB_SECOND, INVOCATIONS, LOG_STORAGE_GB, METRIC, READ_UNITS, RECOVERY_GB, STORAGE_GB,
    WRITE_UNITS, lambda,
};

const MONITORING: &str = include_str!("../../../../../shared/stacks/monitoring.yaml");

impl Month {
    /// Returns all lines.
    pub(super) fn lines(&self) -> Vec<Line> {
        [self.requests(), self.database(), self.observation()].into_iter().flatten().collect()
    }

    fn requests(&self) -> Vec<Line> {
        let totals = &self.totals;
        let mut lines = vec![line("API Gateway", format!("{MILLION_REQUESTS:.0} million requests"), totals.api)];
        let functions = totals.functions.iter();
        lines.extend(
            functions.map(|(name, dollars)| line(format!("Lambda: {name}"), "requests, at their time", *dollars)),
        );
        let sweeps = lambda(self.sweep.memory, self.sweep.billed_ms) * SWEEPS / 1e6;
        lines.push(line("Lambda: mailer", "mails, and a sweep a minute", totals.mailer + sweeps));
        let audits = AUDITS * (AUDIT_SECONDS * AUDIT_GB * GB_SECOND + INVOCATIONS / 1e6);
        let basis = format!("{AUDITS:.0} runs of {AUDIT_SECONDS:.0} s with {AUDIT_GB} GB, assumed");
        lines.push(line("Lambda: auditor", basis, audits));
        lines.push(line(
            "SES",
            format!("{:.0} mails", share_of("`create_user`: invited") * MILLION_REQUESTS * 1e6),
            totals.mails,
        ));
        lines.push(line("Data out", "answers, as if all callers were outside AWS", totals.data_out));
        lines
    }

    fn database(&self) -> Vec<Line> {
        let totals = &self.totals;
        let units = |millions: f64| format!("{millions:.1} million units");
        let records = CHANGES * MILLION_REQUESTS * RECORD_UNITS;
        let other_writes = totals.million_write_units - records;
        let imported = NEW_REVIEWS_A_DAY * DAYS / 1e6;
        let import = format!("{imported:.0} million reviews: {IMPORT_WRITES} write and {IMPORT_READS} read units each");
        let audits = AUDITS * AUDIT_UNITS / 1e6;
        vec![
            line(
                "DynamoDB: reads of requests",
                units(totals.million_read_units),
                totals.million_read_units * READ_UNITS,
            ),
            line("DynamoDB: writes of requests and mails", units(other_writes), other_writes * WRITE_UNITS),
            line("DynamoDB: writes of the audit trail", units(records), records * WRITE_UNITS),
            line("DynamoDB: rate limits", format!("{} of leases", units(Self::leases())), Self::leases() * WRITE_UNITS),
            line(
                "DynamoDB: imports",
                import,
                Self::import_writes() * WRITE_UNITS + imported * IMPORT_READS * READ_UNITS,
            ),
            line("DynamoDB: auditor", format!("at most {} of reads", units(audits)), audits * READ_UNITS),
            line("DynamoDB: storage", format!("{:.1} GB", self.stored_gb), self.stored_gb * STORAGE_GB),
            line(
                "DynamoDB: storage of the audit trail",
                format!("{:.1} GB, after 400 days", self.trail_gb),
                self.trail_gb * STORAGE_GB,
            ),
            line("DynamoDB: point-in-time recovery", format!("{:.1} GB", self.all_gb()), self.all_gb() * RECOVERY_GB),
        ]
    }

    fn observation(&self) -> Vec<Line> {
        let alarms = MONITORING.matches("Type: AWS::CloudWatch::Alarm").count();
        // A metric of an alarm on several has a `MetricStat`, and the one of any other alarm a `Statistic` or an `ExtendedStatistic`.
        let metrics = (MONITORING.matches("MetricStat:").count() + MONITORING.matches("Statistic:").count()) as f64;
        let stored = format!("{:.1} GB for 30 days, as if not compressed; {ASSUMED}", self.logged_gb());
        vec![
            line("Logs: written", format!("{:.1} GB of lines", self.logged_gb()), self.totals.logs),
            line("Logs: kept", stored, self.logged_gb() * LOG_MONTHS * LOG_STORAGE_GB),
            line("Metrics", format!("{METRICS:.0} of the functions"), METRICS * METRIC),
            line("Alarms", format!("{alarms}, on {metrics:.0} metrics; {ASSUMED}"), metrics * ALARM),
            line("Dashboard", "one", DASHBOARD),
        ]
    }
}
