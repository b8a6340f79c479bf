//! Counted reads of statistics at sizes that no local database would hold.

use std::fmt::Write as _;

use crate::distribution::Distribution;
use crate::review_database::{ReviewDatabase, count_stats};

use crate::budgets::{BudgetsReport, cell};

/// Counts the reads of statistics at each of the sizes, and compares them with the budgets.
pub(crate) async fn run(sizes: &[u64]) -> anyhow::Result<BudgetsReport> {
    let mut report = BudgetsReport { text: "# Read units of statistics\n".to_owned(), beyond: 0 };
    for size in sizes {
        let database = ReviewDatabase::start(Distribution::new(*size)).await?;
        let (counted, beyond) = count_stats(&database).await?;
        let _ = write!(
            report.text,
            "\n## {size} reviews\n\nUnits, calls and waves, without the key: with empty caches, and repeated.\n\n\
             | statistics | groups | cold | repeated |\n|---|---:|---|---|\n"
        );
        for stats in counted {
            let [cold, repeated] = [stats.cold, stats.repeated].map(cell);
            let groups = stats.groups.map_or_else(|| "-".to_owned(), |groups| groups.to_string());
            let _ = writeln!(report.text, "| {} | {groups} | {cold} | {repeated} |", stats.name);
        }
        report.end_section(&beyond);
    }
    Ok(report)
}
