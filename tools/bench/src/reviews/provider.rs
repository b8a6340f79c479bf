//! Searches of a PROVIDER, who sees all organisations.

use std::fmt::Write as _;

use anyhow::ensure;
use presence_domain::access::{Principal, Scope};
use presence_domain::ids::UserId;
use presence_domain::page::PageRequest;
use presence_domain::user::Role;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_store::{Database, Stores};

use super::backends::start_dynamodb;
use super::measured_stores::{MeasuredStores, PREFIX};
use super::note;
use super::report::{grouped, measured_cells};
use super::rounds::Measurement;
use super::search::Filter;
use crate::small_orgs::{REVIEWS, SmallOrgs};

/// Numbers of organisations.
const ORGS: [u64; 2] = [100, 1_500];
/// Largest number of timed runs of a search.
const MAX_ROUNDS: u64 = 10;

/// Measured searches over a number of organisations.
struct ProviderSearches {
    orgs: u64,
    cold: Measurement,
    warm: Measurement,
}

/// Measures page 1 of all reviews, and renders the section of the report.
pub(super) async fn measure(rounds: u64) -> anyhow::Result<String> {
    let rounds = rounds.min(MAX_ROUNDS);
    let folder = tempfile::tempdir()?;
    let dynamodb = start_dynamodb(folder.path())?;
    let store = Stores::new(Database::new(&sdk_config(&dynamodb.endpoint_url()), PREFIX));
    store.database.create_tables().await?;
    let small_orgs = SmallOrgs::new(store);
    let mut measured = Vec::new();
    for orgs in ORGS {
        small_orgs.load(&dynamodb, orgs)?;
        measured.push(measure_orgs(&dynamodb, orgs, rounds).await?);
        note(&format!("a PROVIDER of {orgs} organisations is measured"));
    }
    Ok(render(&measured, rounds))
}

async fn measure_orgs(dynamodb: &EmbeddedDynamo, orgs: u64, rounds: u64) -> anyhow::Result<ProviderSearches> {
    let warm_stores = MeasuredStores::new(dynamodb);
    let mut found = Vec::new();
    for stores in [&warm_stores.with_empty_caches(), &warm_stores, &warm_stores] {
        let (filter, page) = (Filter::default().for_store(), PageRequest::default());
        let answer = stores.search(scope(), &filter, page).await?;
        ensure!(answer.count == Some(orgs * REVIEWS), "a PROVIDER of {orgs} organisations sees {:?}", answer.count);
        found.push(answer.cost);
    }
    let (mut cold, mut warm) = (Measurement::counted(found[0]), Measurement::counted(found[2]));
    for _ in 0..rounds {
        let (filter, page) = (Filter::default().for_store(), PageRequest::default());
        cold.add(&warm_stores.with_empty_caches().search(scope(), &filter, page).await?);
        warm.add(&warm_stores.search(scope(), &filter, page).await?);
    }
    cold.finish();
    warm.finish();
    Ok(ProviderSearches { orgs, cold, warm })
}

fn scope() -> Scope {
    Principal { user_id: UserId::random(), org_id: None, role: Role::Provider }.scope()
}

fn render(measured: &[ProviderSearches], rounds: u64) -> String {
    let mut section = format!(
        "\n## Searches of a PROVIDER\n\nPage 1 of the reviews of all organisations, each with {REVIEWS} reviews, in a database of their \
         own. Each search is timed {rounds} times. The embedded `DynamoDB` answers one call at a time, so that times grow with the calls.\n\n\
         | organisations | found | cold: units, calls, waves | p50, p99 | CPU | warm: units, calls, waves | p50, p99 | CPU |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for ProviderSearches { orgs, cold, warm } in measured {
        let (cold, warm) = (measured_cells(Some(cold)), measured_cells(Some(warm)));
        let _ = writeln!(section, "| {} | {} |{cold}{warm}", grouped(*orgs), grouped(orgs * REVIEWS));
    }
    section
}
