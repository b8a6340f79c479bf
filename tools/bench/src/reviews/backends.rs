//! Backends of the comparison, loaded with the same reviews.

use std::path::Path;

use anyhow::Context as _;
use presence_bench::distribution::Distribution;
use presence_domain::ids::OrgId;
use presence_domain::ledger::SECONDS_OF_DAY;
use presence_domain::review::{Review, ReviewId};
use presence_local::embedded::EmbeddedDynamo;
use presence_store::OrgPostings;
use tempfile::TempDir;

use super::backend::{Answer, Backend};
use super::group_by::{StatsAnswer, StatsBackend, StatsCase};
use super::ledger::{IMPORTED, Ledger, WRITTEN_ALONE, WriteUnits};
use super::note;
use super::postgres::{Postgres, PostgresSizes, PreparedStatements};
use super::search::{PagePosition, Search, searches};
use super::thin_index::ThinIndex;

/// Days between a stored review and its newest copy: more than a month has.
const COPY_DAYS: i64 = 31;

/// Write units of new reviews, by their dates.
pub(super) struct WriteUnitsByDate {
    /// Reviews that are newer than all stored ones.
    pub(super) newest: WriteUnits,
    /// Reviews of a month that has stored ones.
    pub(super) stored_month: WriteUnits,
}

/// Sizes of the stored data of each backend in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StorageSizes {
    /// Reviews in `DynamoDB`.
    pub(super) reviews: usize,
    /// Trees and directory.
    pub(super) ledger: usize,
    /// Entries of the thin index.
    pub(super) thin_index: usize,
    pub(super) postgres: Option<PostgresSizes>,
}

/// Loaded backends.
pub(super) struct Backends {
    ledger: Ledger,
    thin_index: ThinIndex,
    /// Absent if `PostgreSQL` is not installed.
    postgres: Option<Postgres>,
    org_id: OrgId,
    last_month: Vec<Review>,
    sizes: StorageSizes,
    // Dropped in this order: the database before its file.
    _dynamodb: EmbeddedDynamo,
    _folder: TempDir,
}

/// Search with its prepared statements.
pub(super) struct PreparedSearch {
    pub(super) search: Search,
    statements: Option<PreparedStatements>,
}

impl Backends {
    /// Starts all backends, and loads the reviews month by month.
    pub(super) async fn load(reviews: &Distribution, with_postgres: bool) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let dynamodb = start_dynamodb(folder.path())?;
        let (ledger, thin_index) = (Ledger::start(&dynamodb).await?, ThinIndex::start(&dynamodb).await?);
        let postgres = if with_postgres { Some(Postgres::start().await?) } else { None };
        ledger.load_businesses(&reviews.businesses()).await?;
        let (mut sizes, mut last_month) = (StorageSizes::default(), Vec::new());
        let mut postings = OrgPostings::new(reviews.org().id);
        for month in reviews.months() {
            sizes.reviews += ledger.load(&dynamodb, &month)?;
            for review in &month {
                postings.add(review);
            }
            sizes.thin_index += ThinIndex::load(&dynamodb, &month)?;
            if let Some(postgres) = &postgres {
                postgres.load(&month).await?;
            }
            last_month = month;
        }
        sizes.ledger = ledger.load_trees(&dynamodb, postings)?;
        if let Some(postgres) = &postgres {
            postgres.finish_loading().await?;
        }
        note(&format!("{} reviews are loaded", reviews.total()));
        let org_id = reviews.org().id;
        Ok(Self { ledger, thin_index, postgres, org_id, last_month, sizes, _dynamodb: dynamodb, _folder: folder })
    }

    /// Prepares the searches of the comparison.
    pub(super) async fn prepare(&self, reviews: &Distribution) -> anyhow::Result<Vec<PreparedSearch>> {
        let mut prepared = Vec::new();
        for search in searches(reviews)? {
            let statements = match &self.postgres {
                Some(postgres) => Some(postgres.prepare(self.org_id, &search).await?),
                None => None,
            };
            prepared.push(PreparedSearch { search, statements });
        }
        Ok(prepared)
    }

    /// Returns the backends that answer a search.
    pub(super) fn for_search(&self, search: &Search) -> Vec<Backend> {
        let mut backends = vec![Backend::ColdLedger, Backend::WarmLedger, Backend::ThinIndex];
        if self.postgres.is_some() {
            backends.push(Backend::Postgres);
            backends.extend((search.position == PagePosition::First).then_some(Backend::PostgresPageOnly));
            backends.extend((search.position == PagePosition::Last).then_some(Backend::PostgresReversed));
        }
        backends
    }

    /// Returns the answer of a backend.
    pub(super) async fn search(&self, backend: Backend, prepared: &PreparedSearch) -> anyhow::Result<Answer> {
        let answer = match backend {
            Backend::ColdLedger => self.ledger.search_cold(self.org_id, &prepared.search).await,
            Backend::WarmLedger => self.ledger.search_warm(self.org_id, &prepared.search).await,
            Backend::ThinIndex => self.thin_index.search(self.org_id, &prepared.search).await,
            Backend::Postgres | Backend::PostgresPageOnly | Backend::PostgresReversed => {
                let postgres = self.postgres.as_ref().zip(prepared.statements.as_ref());
                let (postgres, statements) = postgres.context("PostgreSQL is not installed")?;
                postgres.search(statements, backend).await
            }
        };
        answer.with_context(|| format!("{backend:?}: {}", prepared.search.name()))
    }

    /// Prepares the statistics.
    pub(super) async fn prepare_statistics(&self) -> anyhow::Result<()> {
        match &self.postgres {
            Some(postgres) => postgres.prepare_statistics().await,
            None => Ok(()),
        }
    }

    /// Returns the statistics of a backend.
    pub(super) async fn statistics(&self, backend: StatsBackend, case: &StatsCase) -> anyhow::Result<StatsAnswer> {
        match backend {
            StatsBackend::ColdLedger => self.ledger.statistics(self.org_id, case, false).await,
            StatsBackend::WarmLedger => self.ledger.statistics(self.org_id, case, true).await,
            StatsBackend::EveryEntry => self.thin_index.statistics(self.org_id, case).await,
            StatsBackend::Postgres => {
                let postgres = self.postgres.as_ref().context("PostgreSQL is not installed")?;
                postgres.statistics(self.org_id, case).await
            }
        }
    }

    /// Returns the sizes of the stored data.
    pub(super) async fn storage_sizes(&self) -> anyhow::Result<StorageSizes> {
        let postgres = match &self.postgres {
            Some(postgres) => Some(postgres.sizes().await?),
            None => None,
        };
        Ok(StorageSizes { postgres, ..self.sizes })
    }

    /// Measures the write units of new reviews with the businesses and facets of those of the last month. Consumes the backends:
    /// their reviews differ afterwards.
    pub(super) async fn measure_write_units(self) -> anyhow::Result<WriteUnitsByDate> {
        let month = &self.last_month[..self.last_month.len().min(WRITTEN_ALONE + IMPORTED)];
        let copies = |seconds| month.iter().map(|review| copy_review(review, seconds)).collect::<Vec<_>>();
        let newest = self.ledger.measure_write_units(&copies(COPY_DAYS * SECONDS_OF_DAY)).await?;
        let stored_month = self.ledger.measure_write_units(&copies(0)).await?;
        Ok(WriteUnitsByDate { newest, stored_month })
    }
}

/// Returns a review of the same business with the same facets, so many seconds later.
fn copy_review(review: &Review, seconds: i64) -> Review {
    let partner_id = format!("{}-{seconds}", review.partner_id);
    Review {
        id: ReviewId::derive(&review.business_id, review.partner, &partner_id, 0),
        partner_id,
        date: review.date + seconds,
        update_date: review.update_date.map(|date| date + seconds),
        ..review.clone()
    }
}

/// Starts the database in a file: in memory it becomes slow with many items.
pub(super) fn start_dynamodb(folder: &Path) -> anyhow::Result<EmbeddedDynamo> {
    let dynamodb = EmbeddedDynamo::start(0, Some(folder))?;
    dynamodb.enable_bulk_loading()?;
    Ok(dynamodb)
}
