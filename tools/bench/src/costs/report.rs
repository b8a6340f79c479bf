//! Report of the costs in Markdown.

use std::fmt::Write as _;

use presence_bench::cost::Cost;

use super::bill::{Bill, BilledTime, OperationUsage};
use super::prices;

/// Sweeps of a month of 30 days: one a minute.
const SWEEPS_OF_A_MONTH: f64 = 43_200.0;

/// Prices of what is not part of an operation.
const LOGS_METRICS_TRACES: &str = include_str!("logs_metrics_traces.md");

const INTRODUCTION: &str = "\
# Cost of each operation

Made by `cargo run --profile bench -p presence-bench -- costs`. Calls, waves and units are counted on the sample data, so they \
are exact. The function is warm and knows its caller. A wave is one call, or several parallel calls, that the next calls wait \
for. The reads of a search over 10 million reviews are in [benchmarks/search-units.md](benchmarks/search-units.md).

The price is for a million requests, in US dollars (us-east-1, on demand). The constants, their sources and dates are in \
`tools/bench/src/costs/prices.rs`. The free tier of AWS is not deducted. The price has these parts:

- DynamoDB: the units.
- Lambda: one invocation, and the billed time on arm64 with the memory of the template. The time is measured: it is that of warm \
requests with this share of a processor ([benchmarks/lambda.md](benchmarks/lambda.md)), where each answer of DynamoDB takes \
slightly more than 3 ms. It was measured on x86-64, not on Graviton. Some operations were not measured: a change of an address \
counts as one of a phone number, and `accept_invitation` as a change of a password.
- API or mail: one request of the HTTP API, or one mail.
- logs: the lines of the function, which are counted; the two lines of Lambda; the line of the API's access log. The column has \
the bytes of all of them.
- data out: the answer with its headers, which is counted, as if all callers were outside AWS.

| operation | calls | waves | read units | write units | billed ms | log bytes | answer bytes | DynamoDB $ | Lambda $ \
| API or mail $ | logs $ | data out $ | all $ |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

/// Searches with the first edition of the ledger, in the words of the rows: read units, and the price of a million in dollars. They
/// were counted on the same data.
const FIRST_EDITION: [(&str, f64, f64); 2] = [("page 1", 34.0, 7.47), ("a city, a rating", 44.0, 8.68)];

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
        let bill = Bill::new(usage);
        let _ = writeln!(
            report,
            "| {label} | {calls} | {waves} | {read_units} | {write_units} | {:.0} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} \
             | {:.2} | {:.2} |",
            usage.time.billed_ms,
            usage.billed_log_bytes(),
            usage.answer_bytes,
            bill.dynamodb,
            bill.lambda,
            bill.api_or_mail,
            bill.logs,
            bill.data_out,
            bill.sum(),
        );
    }
    report.push_str(&first_edition());
    let sweeps = prices::lambda(sweep.memory, sweep.billed_ms) * SWEEPS_OF_A_MONTH / 1e6;
    let _ = writeln!(
        report,
        "\nThe sweep of the outbox runs every minute, also when no mail is due. It takes {:.0} ms and costs ${sweeps:.3} of Lambda \
         in a month of 30 days. The first request of a process takes longer, and Lambda bills the start of the process too: \
         [benchmarks/lambda.md](benchmarks/lambda.md) has these costs.",
        sweep.billed_ms,
    );
    report.push_str(storage);
    report.push_str(LOGS_METRICS_TRACES);
    report.push_str(month);
    report
}

/// Renders the costs of the same searches before.
fn first_edition() -> String {
    let costs = FIRST_EDITION.map(|(search, units, price)| format!("{search}: {units} units, ${price:.2}"));
    format!(
        "\nA million of the same searches of reviews cost more with the first edition of the ledger, all parts included: {}.\n",
        costs.join("; ")
    )
}
