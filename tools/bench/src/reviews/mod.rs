//! Reviews: what a search costs by the ledger, by a filter on a thin index, and by `PostgreSQL`.

mod answer;
mod census;
mod cluster;
mod delay;
mod ledger;
mod postgres;
mod rounds;
mod search;
mod stage;
mod thin;

use std::io::Write as _;
use std::path::Path;

use presence_bench::distribution::Distribution;

use cluster::{Cluster, MISSING};
use stage::Stage;

pub(crate) async fn run(sizes: &[u64], _out: Option<&Path>) -> anyhow::Result<String> {
    let mut report = String::new();
    if !Cluster::is_installed() {
        note(MISSING);
    }
    for size in sizes {
        let reviews = Distribution::of(*size);
        let (stage, ready) = Stage::load(&reviews, Cluster::is_installed()).await?;
        let mut agreed = rounds::agree(&stage, ready).await?;
        rounds::measure(&stage, &mut agreed, *size).await?;
        for (_, measured) in &agreed {
            report.push_str(&format!("{} ({}):", measured.search.name(), measured.search.matching));
            for (who, f) in &measured.figures {
                report.push_str(&format!(" {} {:?} {} {:.2} {:.2};", who.as_str(), f.cost, f.runs(), f.p50(), f.quantile_ms(0.99)));
            }
            report.push('\n');
        }
    }
    Ok(report)
}

/// Tells whoever waits how far it is.
fn note(text: &str) {
    // Nobody may be there to read it.
    let _ = writeln!(std::io::stderr(), "{text}");
}
