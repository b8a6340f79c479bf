//! All backends with the same reviews.

use std::path::Path;

use anyhow::Context as _;
use presence_bench::distribution::Distribution;
use presence_domain::ids::OrgId;
use presence_domain::review::Review;
use presence_local::embedded::EmbeddedDynamo;
use tempfile::TempDir;

use super::backend::{Answer, Backend};
use super::ledger::Ledger;
use super::match_counts::searches;
use super::note;
use super::postgres::{Postgres, PreparedStatements};
use super::search::{PagePosition, Search};
use super::thin_index::ThinIndex;

/// Reviews of a month that is written beside the others, at the most, to see what that costs; and how many of them alone.
const IMPORTED: usize = 2_000;
const POSTED_ALONE: usize = 200;

/// What is stored, in bytes by `DynamoDB`'s rules or on `PostgreSQL`'s disk, and what writing costs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StorageSizes {
    /// The reviews themselves.
    pub(super) reviews: usize,
    /// Tallies and slips.
    pub(super) ledger: usize,
    /// The entries of the thin index.
    pub(super) thin: usize,
    /// Table and indexes.
    pub(super) postgres: Option<(i64, i64)>,
    /// Write units of a new review, alone and imported.
    pub(super) write_units: (f64, f64),
}

/// The backends, loaded.
pub(super) struct Backends {
    ledger: Ledger,
    thin: ThinIndex,
    /// None where it is not installed.
    postgres: Option<Postgres>,
    org_id: OrgId,
    last_month: Vec<Review>,
    storage: StorageSizes,
    // Dropped in this order: the database before its file.
    _dynamodb: EmbeddedDynamo,
    _folder: TempDir,
}

/// A search with what is prepared for it.
pub(super) struct PreparedSearch {
    pub(super) search: Search,
    pub(super) prepared: Option<PreparedStatements>,
}

impl Backends {
    /// Loads everything into everyone, month by month.
    pub(super) async fn load(
        reviews: &Distribution,
        with_postgres: bool,
    ) -> anyhow::Result<(Self, Vec<PreparedSearch>)> {
        let folder = tempfile::tempdir()?;
        let dynamodb = embedded(folder.path())?;
        let (ledger, thin) = (Ledger::start(&dynamodb).await?, ThinIndex::start(&dynamodb).await?);
        let postgres = if with_postgres { Some(Postgres::start().await?) } else { None };
        ledger.load_businesses(&reviews.businesses()).await?;
        let (mut storage, mut last_month) = (StorageSizes::default(), Vec::new());
        for month in reviews.months() {
            let (bodies, books) = ledger.load(&dynamodb, &month)?;
            storage.reviews += bodies;
            storage.ledger += books;
            storage.thin += ThinIndex::load(&dynamodb, &month)?;
            if let Some(postgres) = &postgres {
                postgres.load(&month).await?;
            }
            last_month = month;
        }
        note(&format!("{} reviews are loaded", reviews.total()));
        if let Some(postgres) = &postgres {
            postgres.finish_loading().await?;
        }
        let org_id = reviews.org().id;
        let stage = Self { ledger, thin, postgres, org_id, last_month, storage, _dynamodb: dynamodb, _folder: folder };
        let mut ready = Vec::new();
        for search in searches(reviews)? {
            let prepared = match &stage.postgres {
                Some(postgres) => Some(postgres.prepare(org_id, &search).await?),
                None => None,
            };
            ready.push(PreparedSearch { search, prepared });
        }
        Ok((stage, ready))
    }

    /// Who makes a search.
    pub(super) fn backends(&self, search: &Search) -> Vec<Backend> {
        let mut all = vec![Backend::Ledger, Backend::ThinIndex];
        if self.postgres.is_some() {
            all.push(Backend::Postgres);
            all.extend((search.place == PagePosition::First).then_some(Backend::PostgresPageOnly));
            all.extend((search.place == PagePosition::Last).then_some(Backend::PostgresReversed));
        }
        all
    }

    /// The answer of one of them.
    pub(super) async fn ask(&self, who: Backend, ready: &PreparedSearch) -> anyhow::Result<Answer> {
        let found = match who {
            Backend::Ledger => self.ledger.search(self.org_id, &ready.search).await,
            Backend::ThinIndex => self.thin.search(self.org_id, &ready.search).await,
            Backend::Postgres | Backend::PostgresPageOnly | Backend::PostgresReversed => {
                let postgres = self.postgres.as_ref().zip(ready.prepared.as_ref());
                let (postgres, prepared) = postgres.context("PostgreSQL is left out")?;
                postgres.search(prepared, who).await
            }
        };
        found.with_context(|| format!("{who:?}: {}", ready.search.name()))
    }

    /// What is stored, and what writing costs. Writes: no search can be compared any more.
    pub(super) async fn measure_storage(self) -> anyhow::Result<StorageSizes> {
        let postgres = match &self.postgres {
            Some(postgres) => Some(postgres.bytes().await?),
            None => None,
        };
        // Of the same days, cities and cells, but others.
        let another = |review: &Review| Review { partner_id: format!("{}b", review.partner_id), ..review.clone() };
        let month: Vec<Review> = self.last_month.iter().take(IMPORTED).map(another).collect();
        let write_units = self.ledger.write_units(&month, POSTED_ALONE).await?;
        Ok(StorageSizes { postgres, write_units, ..self.storage })
    }
}

/// In a file: in memory it becomes slow with size.
fn embedded(folder: &Path) -> anyhow::Result<EmbeddedDynamo> {
    let dynamodb = EmbeddedDynamo::start(0, Some(folder))?;
    dynamodb.enable_bulk_loading()?;
    Ok(dynamodb)
}
