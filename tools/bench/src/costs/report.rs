//! Report of the costs in Markdown.

use std::fmt::Write as _;

use crate::cost::Cost;

use super::bill::{Bill, BilledTime, OperationUsage};
use super::prices;

/// Sweeps of a month of 30 days: one a minute.
const SWEEPS_OF_A_MONTH: f64 = 43_200.0;

/// Prices of what is not part of an operation.
const BESIDE_OPERATIONS: &str = include_str!("beside_operations.md");

const INTRODUCTION: &str = "\
# Cost of each operation

For operators and developers: what each operation costs, and the bill of a month. Made by \
`cargo run --profile bench -p presence-bench -- costs`. Calls, round trips (`waves`) and units are counted on the sample data, so \
they are exact. The function is warm and knows its caller. A round trip is one call, or several parallel calls, that the next \
calls wait for. The reads of a search over 10 million reviews are in [benchmarks.md](benchmarks.md#searches-of-reviews).

The price is for a million requests, in US dollars (us-east-1, on demand). The constants, their sources and dates are in \
`tools/bench/src/costs/prices.rs`. The free tier of AWS is not deducted. The price has these parts:

- DynamoDB: the units.
- Lambda: one invocation, and the billed time on arm64 with the memory of the template. The time is measured: it is that of warm \
requests with this share of a processor ([benchmarks.md](benchmarks.md#functions-on-lambda)), where each answer of DynamoDB takes \
slightly more than 3 ms. It was measured on x86-64, not on Graviton. Some operations were not measured: a change of an address \
counts as one of a phone number, and `accept_invitation` as a change of a password. Reads of webhooks count as `list_webhooks` and \
changes as `update_webhook`: `test_webhook` also takes the time of its receiver.
- API or mail: one request of the HTTP API, or one mail.
- logs: the lines of the function, which are counted, and the line of the API's access log. The column has the bytes of both. \
Lambda itself logs failures only.
- data out: the answer with its headers, which is counted, as if all callers were outside AWS.

Each part is rounded to a cent, and the last column is the sum of these.

| operation | calls | waves | read units | write units | billed ms | MB | log bytes | answer bytes | DynamoDB $ | Lambda $ \
| API or mail $ | logs $ | data out $ | all $ |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

/// Row of the report.
pub(super) struct ReportRow {
    pub(super) label: String,
    pub(super) usage: OperationUsage,
}

/// Renders the report. `storage` and the bill of a `month` are sections of their own.
pub(super) fn render(rows: &[ReportRow], sweep: BilledTime, storage: &str, month: &str) -> String {
    let mut report = INTRODUCTION.to_owned();
    for ReportRow { label, usage } in rows {
        let Cost { calls, waves, read_units, write_units } = usage.cost;
        let parts = Bill::new(usage).in_cents();
        let _ = writeln!(
            report,
            "| {label} | {calls} | {waves} | {read_units} | {write_units} | {:.1} | {} | {} | {} | {} | {:.2} |",
            usage.time.billed_ms,
            usage.time.memory,
            usage.billed_log_bytes(),
            usage.answer_bytes,
            parts.map(|part| format!("{part:.2}")).join(" | "),
            parts.iter().sum::<f64>(),
        );
    }
    let sweeps = prices::lambda(sweep.memory, sweep.billed_ms) * SWEEPS_OF_A_MONTH / 1e6;
    let _ = writeln!(
        report,
        "\nThe sweep of the outbox runs every minute, also when no mail is due. It takes {:.1} ms and costs ${sweeps:.3} of Lambda \
         in a month of 30 days. The first request of a process takes longer, and Lambda bills the start of the process too: \
         [benchmarks.md](benchmarks.md#functions-on-lambda) has these costs.",
        sweep.billed_ms,
    );
    report.push_str(storage);
    report.push_str(BESIDE_OPERATIONS);
    report.push_str(month);
    report
}
