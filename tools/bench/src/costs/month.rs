//! Bill of a month for a whole service: its requests, its reviews, and all that runs beside them.

use std::fmt::Write as _;

use anyhow::Context as _;

use super::bill::{Bill, BilledTime, OperationUsage};
use super::prices::{
    ALARM, ASSUMED, DASHBOARD, EDGE_REQUESTS, FIFO_REQUESTS, GB, GB_SECOND, INVOCATIONS, LOG_GB, LOG_STORAGE_GB,
    METRIC, READ_UNITS, RECOVERY_GB, STORAGE_GB, TRACES, WAF_ACL, WAF_REQUESTS, WAF_RULE, WRITE_UNITS, X86_SURCHARGE,
    lambda,
};
use super::report::ReportRow;
use crate::lambda::memory::Memory;

const DAYS: f64 = 30.0;
/// Millions of requests of a month: one a day.
const MILLION_REQUESTS: f64 = DAYS;
const REVIEWS: f64 = 10e6;
const NEW_REVIEWS_A_DAY: f64 = 100e3;
/// Users of the service, an assumption.
const USERS: f64 = 100e3;
/// Function, start of the row's label, and share of the requests. The shares are an assumption: nine in ten requests search or
/// read, and one in fifty changes a user.
const MIX: [(&str, &str, f64); 13] = [
    ("users", "`get_me`", 0.15),
    ("users", "`get_user`", 0.10),
    ("users", "`get_user_stats`", 0.05),
    ("users", "`search_users`: without", 0.08),
    ("users", "`search_users`: a page of 9", 0.02),
    ("users", "`create_user`: invited", 0.001),
    ("users", "`update_user`: a phone number", 0.017),
    ("users", "`delete_user`", 0.001),
    ("users", "`accept_invitation`", 0.001),
    ("categories", "`search_categories`", 0.05),
    ("categories", "`get_category`", 0.03),
    ("reviews", "`search_reviews`: page 1", 0.40),
    ("reviews", "`search_reviews`: a city", 0.10),
];
const MAIL: &str = "sending the mail";
/// Share of the requests that change a user, and so write a record of the audit trail.
const CHANGES: f64 = 0.02;
/// Units of a record: two of the transaction, and one for each index.
const RECORD_UNITS: f64 = 4.0;
/// Days for which records are kept.
const RECORD_DAYS: f64 = 400.0;
/// Requests of a warm function for one lease.
const REQUESTS_OF_A_LEASE: f64 = 20.0;
/// Write units of an imported review of a month that has reviews, from `shared/docs/benchmarks/write-units.md`, and read units from
/// `shared/docs/benchmarks/imports.md`.
const IMPORT_WRITES: f64 = 4.4;
const IMPORT_READS: f64 = 1.2;
/// Runs of the auditor in a month, one in five minutes, and the units of each by default.
const AUDITS: f64 = 288.0 * DAYS;
const AUDIT_UNITS: f64 = 4_000.0;
/// Seconds of a run on half a GB, an assumption.
const AUDIT_SECONDS: f64 = 30.0;
const AUDIT_GB: f64 = 0.5;
/// Sweeps of the outbox in a month, one a minute.
const SWEEPS: f64 = 1_440.0 * DAYS;
/// Metrics with data: durations of most operations by status, and those without dimensions.
const METRICS: f64 = 50.0;
/// Traces of a month with `Tracing=Active`: one a second, and 5 % of the other requests.
const MILLION_TRACES: f64 = 0.086_4 * DAYS + 0.05 * (MILLION_REQUESTS - 0.086_4 * DAYS);
/// Months for which logs are kept: `LogRetentionDays` by default, and at most.
const LOG_MONTHS: f64 = 1.0;
const MOST_LOG_MONTHS: f64 = 400.0 / 30.0;
const MONITORING: &str = include_str!("../../../../shared/stacks/monitoring.yaml");
/// Metrics of the alarms of ingest.
const INGEST_ALARM_METRICS: f64 = 4.0;
/// Millions of requests by which Lambda's poller asks an empty queue: five at a time, 20 s each.
const MILLION_POLLS: f64 = 5.0 * 3.0 * 60.0 * 24.0 * DAYS / 1e6;
/// Rows in a message: 200 KB of rows of 400 bytes.
const MESSAGE_ROWS: f64 = 500.0;
/// Requests of a message: 64 KB each, sent and received, and a deletion.
const MESSAGE_REQUESTS: f64 = 4.0 + 4.0 + 1.0;
/// Write units by which ingest notes the rows of a message.
const MESSAGE_UNITS: f64 = 3.0;
/// Milliseconds in which ingest writes the rows of a message.
const MESSAGE_MS: f64 = 2_000.0;

/// Bytes of stored items, with their entries in indexes and the overhead of both.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ItemBytes {
    /// Bytes of a review, with its part of the trees.
    pub(super) review: f64,
    /// Bytes of a user, with the reservation of the address.
    pub(super) user: f64,
    /// Bytes of a record of the audit trail.
    pub(super) record: f64,
}

/// Line of the bill.
struct Line {
    name: String,
    /// Reason for the price.
    basis: String,
    dollars: f64,
}

fn line(name: impl Into<String>, basis: impl Into<String>, dollars: f64) -> Line {
    Line { name: name.into(), basis: basis.into(), dollars }
}

/// Use of the service in a month, summed over its requests.
#[derive(Default)]
struct Totals {
    /// Name of each function, and its price of Lambda.
    functions: Vec<(&'static str, f64)>,
    api: f64,
    million_read_units: f64,
    million_write_units: f64,
    logs: f64,
    data_out: f64,
    mails: f64,
    mailer: f64,
}

impl Totals {
    fn of(rows: &[ReportRow]) -> anyhow::Result<Self> {
        let mut totals = Self::default();
        for (function, label, share) in MIX {
            totals.add(function, find(rows, label)?, share * MILLION_REQUESTS);
        }
        // Each created user is invited once.
        let invited = share_of("`create_user`: invited") * MILLION_REQUESTS;
        let mail = find(rows, MAIL)?;
        let bill = Bill::new(mail);
        totals.mails = invited * bill.api_or_mail;
        totals.mailer = invited * bill.lambda;
        totals.logs += invited * bill.logs;
        totals.million_read_units += invited * mail.cost.read_units;
        totals.million_write_units += invited * mail.cost.write_units;
        Ok(totals)
    }

    fn add(&mut self, function: &'static str, usage: &OperationUsage, millions: f64) {
        let bill = Bill::new(usage);
        match self.functions.iter_mut().find(|(name, _)| *name == function) {
            Some((_, dollars)) => *dollars += millions * bill.lambda,
            None => self.functions.push((function, millions * bill.lambda)),
        }
        self.api += millions * bill.api_or_mail;
        self.million_read_units += millions * usage.cost.read_units;
        self.million_write_units += millions * usage.cost.write_units;
        self.logs += millions * bill.logs;
        self.data_out += millions * bill.data_out;
    }
}

fn find<'a>(rows: &'a [ReportRow], label: &str) -> anyhow::Result<&'a OperationUsage> {
    let row = rows.iter().find(|row| row.label.starts_with(label));
    Ok(&row.with_context(|| format!("no row {label}"))?.usage)
}

fn share_of(label: &str) -> f64 {
    MIX.iter().filter(|(_, name, _)| *name == label).map(|(_, _, share)| share).sum()
}

/// Prices that several lines of the bill and the settings need.
struct Month {
    totals: Totals,
    sweep: BilledTime,
    /// GB of the tables without the audit trail.
    stored_gb: f64,
    trail_gb: f64,
}

impl Month {
    fn import_writes() -> f64 {
        NEW_REVIEWS_A_DAY * DAYS / 1e6 * IMPORT_WRITES
    }

    fn leases() -> f64 {
        MILLION_REQUESTS / REQUESTS_OF_A_LEASE
    }

    fn all_gb(&self) -> f64 {
        self.stored_gb + self.trail_gb
    }

    /// Millions of write units of the month.
    fn writes(&self) -> f64 {
        self.totals.million_write_units + Self::import_writes() + Self::leases()
    }

    fn logged_gb(&self) -> f64 {
        self.totals.logs / LOG_GB
    }

    fn lines(&self) -> Vec<Line> {
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
        let alarms = MONITORING.matches("Type: AWS::CloudWatch::Alarm").count() as f64;
        let stored = format!("{:.1} GB for 30 days, as if not compressed; {ASSUMED}", self.logged_gb());
        vec![
            line("Logs: written", format!("{:.1} GB of lines", self.logged_gb()), self.totals.logs),
            line("Logs: kept", stored, self.logged_gb() * LOG_MONTHS * LOG_STORAGE_GB),
            line("Metrics", format!("{METRICS:.0} in the embedded format"), METRICS * METRIC),
            line("Alarms", format!("{alarms:.0}, of one metric each at least; {ASSUMED}"), alarms * ALARM),
            line("Dashboard", "one", DASHBOARD),
        ]
    }

    /// Settings that change the bill, each with what it adds to it.
    fn settings(&self) -> Vec<Line> {
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

/// Renders the bill.
///
/// # Errors
/// An operation of the mix has no row.
pub(super) fn render(rows: &[ReportRow], sweep: BilledTime, bytes: ItemBytes) -> anyhow::Result<String> {
    let records = CHANGES * MILLION_REQUESTS * 1e6 / DAYS * RECORD_DAYS;
    let month = Month {
        totals: Totals::of(rows)?,
        sweep,
        stored_gb: (REVIEWS * bytes.review + USERS * bytes.user) / GB,
        trail_gb: records * bytes.record / GB,
    };
    let lines = month.lines();
    let mut report = "\n## Bill of a month\n\nA service with 1 million requests a day, 10 million reviews and 100,000 new ones a \
        day, in a month of 30 days. The prices of the rows above and the sizes of items make it. Assumed are 100,000 users, and \
        these requests:\n\n"
        .to_owned();
    let mix = MIX.map(|(_, label, share)| format!("{label} {:.1} %", share * 100.0));
    let _ = writeln!(report, "{}.\n\n| line | basis | $ a month |\n|---|---|---:|", mix.join(", "));
    table(&mut report, &lines);
    let sum: f64 = lines.iter().map(|line| line.dollars).sum();
    let _ = writeln!(report, "| **all** | | **{sum:.2}** |");
    report.push_str(
        "\nSQS, SNS and EventBridge cost some cents. Cold starts, retries and the free tier are left out. A price marked \
         as assumed was not confirmed on the pages of AWS.\n\nThree settings change \
         the bill most: the first three of this table.\n\n| setting | basis | $ a month |\n|---|---|---:|\n",
    );
    table(&mut report, &month.settings());
    report.push_str("\nGlobal tables need a template of their own ([deploy.md](deploy.md#another-region)).\n");
    Ok(report)
}

fn table(report: &mut String, lines: &[Line]) {
    for Line { name, basis, dollars } in lines {
        let _ = writeln!(report, "| {name} | {basis} | {dollars:.2} |");
    }
}

#[cfg(test)]
mod tests {
    use presence_bench::cost::Cost;

    use super::super::bill::Trigger;
    use super::*;

    fn rows() -> Vec<ReportRow> {
        let time = BilledTime { memory: Memory(512), billed_ms: 10.0 };
        let usage = |trigger| OperationUsage {
            cost: Cost { calls: 2, waves: 1, read_units: 2.0, write_units: 8.0 },
            trigger,
            log_bytes: 700,
            answer_bytes: 1_000,
            time,
        };
        let requests =
            MIX.map(|(_, label, _)| ReportRow { label: label.to_owned(), usage: usage(Trigger::ApiRequest) });
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
        let prices = include_str!("prices.rs").split("#[cfg(test)]").next().expect("the prices");
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
}
