//! Write units of reviews, counted: by the number in a fold, of reviews that arrive at a rate, and of a full day.

use std::fmt::Write as _;
use std::time::Duration;

use presence_store::FoldLimits;

use crate::distribution::Distribution;
use crate::review_database::{
    Arrivals, ArrivalsOutcome, FullDay, ReviewDatabase, WriteCase, count_write_units, fill_day, play_arrivals,
};

/// Number of reviews that are written for each row of the table.
const WRITTEN: usize = 4_096;
/// Number of imported reviews in one call of the store.
const PORTION: usize = 1_024;
/// Reviews of each second, and seconds.
const ARRIVALS: Arrivals = Arrivals {
    a_second: 1_000,
    seconds: 60,
    is_newest: true,
    fold_limits: FoldLimits { fold_from: 512, pass_changes: 20_000, facets_from: 5_000 },
};
/// Reviews of the full day, and those of them that are imported.
const DAY: (u64, usize) = (3_000_000, 20_480);

/// Settings of the benchmark.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Settings {
    /// Numbers of reviews of the organisation that is written to
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000])]
    sizes: Vec<u64>,
    /// Numbers of single reviews after which a fold follows
    #[arg(long, value_delimiter = ',', default_values_t = [512, 1_024, 2_048])]
    alone: Vec<usize>,
    /// Numbers of imported reviews after which a fold follows
    #[arg(long, value_delimiter = ',', default_values_t = [2_048, 4_096, 10_240])]
    imported: Vec<usize>,
    /// Number of reviews of the organisation at which others arrive
    #[arg(long, default_value_t = 100_000)]
    arrivals_at: u64,
    /// Leave out the full day
    #[arg(long)]
    without_day: bool,
}

/// Counts everything and renders the report.
pub(crate) async fn run(settings: &Settings) -> anyhow::Result<String> {
    let mut report = "# Write units of reviews\n".to_owned();
    for size in &settings.sizes {
        report.push_str(&count_size(*size, settings).await?);
    }
    if settings.arrivals_at > 0 {
        let database = ReviewDatabase::start(Distribution::new(settings.arrivals_at)).await?;
        report.push_str(&render_arrivals(settings.arrivals_at, &play_arrivals(&database, ARRIVALS).await?));
    }
    if !settings.without_day {
        let (reviews, imported) = DAY;
        let database = ReviewDatabase::start(Distribution::of_one_day(reviews - imported as u64)).await?;
        report.push_str(&render_day(&fill_day(&database, imported, FoldLimits::default()).await?));
    }
    Ok(report)
}

/// Counts the write units of new reviews of an organisation with so many.
async fn count_size(size: u64, settings: &Settings) -> anyhow::Result<String> {
    let mut section = format!(
        "\n## {size} reviews\n\nWrite units of a review, folds included.\n\n\
         | reviews | fold after | newest | of a stored month |\n|---|---:|---:|---:|\n"
    );
    let alone = settings.alone.iter().map(|fold_after| ("alone", 1, *fold_after));
    let imported = settings.imported.iter().map(|fold_after| ("imported", PORTION, *fold_after));
    for (label, portion, fold_after) in alone.chain(imported) {
        // Another database for each number: the first fold would cost less than later ones.
        let database = ReviewDatabase::start(Distribution::new(size)).await?;
        let _ = write!(section, "| {label} | {fold_after} |");
        for is_newest in [true, false] {
            let case = WriteCase { is_newest, portion, fold_after, folds: (WRITTEN / fold_after).max(1) };
            let _ = write!(section, " {:.2} |", count_write_units(&database, case).await?);
        }
        section.push('\n');
    }
    Ok(section)
}

fn render_arrivals(size: u64, outcome: &ArrivalsOutcome) -> String {
    let mut section = format!(
        "\n## {} reviews a second\n\nAn organisation with {size} reviews gets {} more of one month in {} seconds. All are written after \
         {}; the reviews of a second are written at most {} after it. A review costs {:.2} write units, folds included.\n\n\
         | units of | most of one partition in a second | all | throttled calls |\n|---|---:|---:|---:|\n",
        ARRIVALS.a_second,
        ARRIVALS.a_second * ARRIVALS.seconds,
        ARRIVALS.seconds,
        seconds(outcome.written_after),
        seconds(outcome.longest_delay),
        outcome.write_units,
    );
    for (kind, load) in &outcome.loads {
        let _ = writeln!(section, "| {kind} | {:.1} | {:.0} | {} |", load.most_in_second, load.units, load.throttled);
    }
    let rank = |share: usize| outcome.searches.get((outcome.searches.len() * share / 100).saturating_sub(1));
    let mean = outcome.searches.iter().sum::<f64>() / outcome.searches.len().max(1) as f64;
    let _ = writeln!(
        section,
        "\n{} searches of page 1 meanwhile read {mean:.1} units in the mean, {:.1} in the median and {:.1} at most.",
        outcome.searches.len(),
        rank(50).copied().unwrap_or_default(),
        outcome.searches.last().copied().unwrap_or_default(),
    );
    section
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn render_day(day: &FullDay) -> String {
    let mut section = format!(
        "\n## {} reviews of one day\n\nThe last {} of them are imported, the others are built as `ops reviews build` does. An imported \
         review costs {:.2} write units, folds included. Count and page of each search are those of the ordered list.\n\n\
         | search | found | units, calls, waves |\n|---|---:|---|\n",
        day.reviews, day.imported, day.write_units,
    );
    for search in &day.searches {
        let cost = search.cost;
        let _ = writeln!(
            section,
            "| {} | {} | {}, {}, {} |",
            search.name, search.count, cost.read_units, cost.calls, cost.waves
        );
    }
    section
}
