//! Numbers behind the bill: the size of the service, and its use.

pub(super) const DAYS: f64 = 30.0;
/// Millions of requests of a month: one a day.
pub(super) const MILLION_REQUESTS: f64 = DAYS;
pub(super) const REVIEWS: f64 = 10e6;
pub(super) const NEW_REVIEWS_A_DAY: f64 = 100e3;
/// Users of the service, an assumption.
pub(super) const USERS: f64 = 100e3;
/// Function, start of the row's label, and share of the requests. The shares are an assumption: nine in ten requests search or
/// read, and one in fifty changes a user.
pub(super) const MIX: [(&str, &str, f64); 13] = [
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
pub(super) const MAIL: &str = "sending the mail";
/// Share of the requests that change a user, and so write a record of the audit trail.
pub(super) const CHANGES: f64 = 0.02;
/// Units of a record: two of the transaction, and one for each index.
pub(super) const RECORD_UNITS: f64 = 4.0;
/// Days for which records are kept.
pub(super) const RECORD_DAYS: f64 = 400.0;
/// Requests of a warm function for one lease.
pub(super) const REQUESTS_OF_A_LEASE: f64 = 20.0;
/// Write units of an imported review of a month that has reviews, and its read units, from `shared/docs/benchmarks.md`.
pub(super) const IMPORT_WRITES: f64 = 4.4;
pub(super) const IMPORT_READS: f64 = 1.2;
/// Runs of the auditor in a month, one in five minutes, and the units of each by default.
pub(super) const AUDITS: f64 = 288.0 * DAYS;
pub(super) const AUDIT_UNITS: f64 = 4_000.0;
/// Seconds of a run on half a GB, an assumption.
pub(super) const AUDIT_SECONDS: f64 = 30.0;
pub(super) const AUDIT_GB: f64 = 0.5;
/// Sweeps of the outbox in a month, one a minute.
pub(super) const SWEEPS: f64 = 1_440.0 * DAYS;
/// Metrics with data: durations of most operations by status, and those without dimensions.
pub(super) const METRICS: f64 = 50.0;
/// Traces of a month with `Tracing=Active`: one a second, and 5 % of the other requests.
pub(super) const MILLION_TRACES: f64 = 0.086_4 * DAYS + 0.05 * (MILLION_REQUESTS - 0.086_4 * DAYS);
/// Months for which logs are kept: `LogRetentionDays` by default, and at most.
pub(super) const LOG_MONTHS: f64 = 1.0;
pub(super) const MOST_LOG_MONTHS: f64 = 400.0 / 30.0;
/// Metrics of the alarms of ingest.
pub(super) const INGEST_ALARM_METRICS: f64 = 4.0;
/// Millions of requests by which Lambda's poller asks an empty queue: five at a time, 20 s each.
pub(super) const MILLION_POLLS: f64 = 5.0 * 3.0 * 60.0 * 24.0 * DAYS / 1e6;
/// Rows in a message: 200 KB of rows of 400 bytes.
pub(super) const MESSAGE_ROWS: f64 = 500.0;
/// Requests of a message: 64 KB each, sent and received, and a deletion.
pub(super) const MESSAGE_REQUESTS: f64 = 4.0 + 4.0 + 1.0;
/// Write units by which ingest notes the rows of a message.
pub(super) const MESSAGE_UNITS: f64 = 3.0;
/// Milliseconds in which ingest writes the rows of a message.
pub(super) const MESSAGE_MS: f64 = 2_000.0;
