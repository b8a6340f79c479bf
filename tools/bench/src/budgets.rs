//! Budgets of searches at sizes that no local database would hold.

use std::fmt::Write as _;

use crate::cost::Cost;
use crate::distribution::Distribution;
use crate::review_database::{ReviewDatabase, check_budgets, fill_log};

/// Report of all sizes.
pub(crate) struct BudgetsReport {
    /// Cost of each search.
    pub(crate) text: String,
    /// Number of searches that cost more than they may.
    pub(crate) beyond: usize,
}

impl BudgetsReport {
    /// Ends the section of a size with what costs more than it may there.
    pub(crate) fn end_section(&mut self, beyond: &[String]) {
        let _ = writeln!(self.text, "\nBeyond their budgets: {}.", beyond.len());
        for line in beyond {
            let _ = writeln!(self.text, "- {line}");
        }
        self.beyond += beyond.len();
    }
}

/// Counts the reads of searches at each of the sizes, with so many changes in the log, and compares them with the budgets.
pub(crate) async fn run(sizes: &[u64], unfolded: usize) -> anyhow::Result<BudgetsReport> {
    let mut report = BudgetsReport { text: "# Budgets of searches\n".to_owned(), beyond: 0 };
    for size in sizes {
        let database = ReviewDatabase::start(Distribution::new(*size)).await?;
        fill_log(&database, unfolded).await?;
        let (counted, beyond) = check_budgets(&database).await?;
        let _ = write!(
            report.text,
            "\n## {size} reviews\n\nUnits, calls and waves, without the key: with empty caches, repeated, and of the next page.\n\n\
             | search | cold | repeated | next page |\n|---|---|---|---|\n"
        );
        for search in counted {
            let [cold, repeated, next] = [search.cold, search.repeated, search.neighbour].map(cell);
            let _ = writeln!(report.text, "| {} | {cold} | {repeated} | {next} |", search.name);
        }
        report.end_section(&beyond);
    }
    Ok(report)
}

/// Returns the cell of a table with the units, calls and waves of a request.
pub(crate) fn cell(cost: Cost) -> String {
    format!("{}, {}, {}", cost.read_units, cost.calls, cost.waves)
}
