//! Bill of a month for a whole service: its requests, its reviews, and all that runs beside them.

mod assumptions;
mod lines;
mod settings;
mod totals;

use std::fmt::Write as _;

use self::assumptions::{
    CHANGES, DAYS, IMPORT_WRITES, MILLION_REQUESTS, MIX, NEW_REVIEWS_A_DAY, RECORD_DAYS, REQUESTS_OF_A_LEASE, REVIEWS,
    USERS,
};
use self::totals::Totals;
use super::bill::BilledTime;
use super::prices::{GB, LOG_GB};
use super::report::ReportRow;

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
    report.push_str("\nGlobal tables need a template of their own ([restore.md](restore.md#another-region)).\n");
    Ok(report)
}

fn table(report: &mut String, lines: &[Line]) {
    for Line { name, basis, dollars } in lines {
        let _ = writeln!(report, "| {name} | {basis} | {dollars:.2} |");
    }
}

#[cfg(test)]
mod tests;
