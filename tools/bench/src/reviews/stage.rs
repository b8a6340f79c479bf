//! All contenders with the same reviews.

use std::path::Path;

use anyhow::Context as _;
use presence::domain::ids::OrgId;
use presence::domain::review::Review;
use presence_bench::distribution::Distribution;
use presence_local::embedded::EmbeddedDynamo;
use tempfile::TempDir;

use super::answer::{Answer, Contender};
use super::census::Census;
use super::ledger::Ledger;
use super::note;
use super::postgres::{Postgres, Prepared};
use super::search::Search;
use super::thin::Thin;

/// The contenders, loaded.
pub(super) struct Stage {
    pub(super) ledger: Ledger,
    thin: Thin,
    /// None where it is not installed.
    pub(super) postgres: Option<Postgres>,
    pub(super) org_id: OrgId,
    /// A month of the reviews.
    pub(super) sample: Vec<Review>,
    // Dropped in this order: the database before its file.
    _dynamodb: EmbeddedDynamo,
    _folder: TempDir,
}

/// A search with what is prepared for it.
pub(super) struct Ready {
    pub(super) search: Search,
    pub(super) prepared: Option<Prepared>,
}

impl Stage {
    /// Loads everything into everyone, month by month.
    pub(super) async fn load(
        reviews: &Distribution,
        with_postgres: bool,
    ) -> anyhow::Result<(Self, Vec<Ready>)> {
        let folder = tempfile::tempdir()?;
        let dynamodb = embedded(folder.path())?;
        let (ledger, thin) = (Ledger::start(&dynamodb).await?, Thin::start(&dynamodb).await?);
        let postgres = if with_postgres { Some(Postgres::start().await?) } else { None };
        ledger.load_businesses(&reviews.businesses()).await?;
        let (mut census, mut sample) = (Census::default(), Vec::new());
        for month in reviews.months() {
            census.add(&month);
            ledger.load(&dynamodb, &month)?;
            Thin::load(&dynamodb, &month)?;
            if let Some(postgres) = &postgres {
                postgres.load(&month).await?;
            }
            sample = month;
        }
        note(&format!("{} reviews are loaded", reviews.total()));
        if let Some(postgres) = &postgres {
            postgres.finish_loading().await?;
        }
        let org_id = reviews.org().id;
        let stage = Self { ledger, thin, postgres, org_id, sample, _dynamodb: dynamodb, _folder: folder };
        let mut ready = Vec::new();
        for search in census.searches(reviews)? {
            let prepared = match &stage.postgres {
                Some(postgres) => Some(postgres.prepare(org_id, &search).await?),
                None => None,
            };
            ready.push(Ready { search, prepared });
        }
        Ok((stage, ready))
    }

    /// Who is there.
    pub(super) fn contenders(&self) -> Vec<Contender> {
        let postgres = self.postgres.is_some().then_some(Contender::Postgres);
        [Contender::Ledger, Contender::Thin].into_iter().chain(postgres).collect()
    }

    /// The answer of one of them.
    pub(super) async fn ask(&self, who: Contender, ready: &Ready) -> anyhow::Result<Answer> {
        let found = match who {
            Contender::Ledger => self.ledger.search(self.org_id, &ready.search).await,
            Contender::Thin => self.thin.search(self.org_id, &ready.search).await,
            Contender::Postgres => {
                let postgres = self.postgres.as_ref().zip(ready.prepared.as_ref());
                let (postgres, prepared) = postgres.context("PostgreSQL is left out")?;
                postgres.search(prepared, &ready.search).await
            }
        };
        found.with_context(|| format!("{who:?}: {}", ready.search.name()))
    }
}

/// In a file: in memory it becomes slow with size.
fn embedded(folder: &Path) -> anyhow::Result<EmbeddedDynamo> {
    let dynamodb = EmbeddedDynamo::start(0, Some(folder))?;
    dynamodb.enable_bulk_loading()?;
    Ok(dynamodb)
}
