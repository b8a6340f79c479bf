//! One attempt of a search: rounds of reads from the logs to the reviews of the page.

use std::collections::HashSet;

use super::bodies::Bodies;
use super::ledger_read::LedgerReadError;
use super::moves::JointLogs;
use super::plan::PagePlan;
use super::prediction::Prediction;
use super::snapshot::OrgSnapshot;
use super::target::{OrgTarget, PostingPage, SearchTarget};
use crate::ReviewStore;
use presence_domain::error::Error;
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::Review;
use presence_ledger::{ReviewSet, TreeKey};
use presence_runtime::telemetry::{Metric, log_metric};

/// Number of organisations whose logs and roots are read at a time. An organisation has some 30 KB of them, so that 4 MB are in
/// flight at most.
pub(super) const ORGS_AT_A_TIME: usize = 64;

/// Number of repetitions after which reviews that differ from their postings are drift, and no change under way. The log was
/// then read as often after the reviews, and names no change of them.
pub(super) const DRIFT_REPETITIONS: u32 = 4;

/// Occurs when an attempt of a search ends without its page.
#[derive(Debug)]
pub(super) enum AttemptError {
    /// The ledger was not read.
    Read(LedgerReadError),
    /// Reviews of the page differ from their postings, although they were read strongly.
    BodiesDiffer(Box<DifferingPage>),
}

/// Page on which some reviews differ from their postings.
#[derive(Debug)]
pub(super) struct DifferingPage {
    /// Postings of the page.
    postings: PostingPage,
    /// Reviews of the page that may be shown.
    admitted: Vec<Review>,
}

impl From<Error> for AttemptError {
    fn from(error: Error) -> Self {
        Self::Read(LedgerReadError::Failed(error))
    }
}

impl From<LedgerReadError> for AttemptError {
    fn from(error: LedgerReadError) -> Self {
        Self::Read(error)
    }
}

impl ReviewStore {
    /// Searches until an attempt has the page, or the time is over. Changes meanwhile overtake an attempt now and then, and each
    /// new one starts with what the log says then. `None` if the source of the organisations has changed.
    pub(super) async fn search(&self, target: &SearchTarget) -> Result<Option<Page<Review>>, Error> {
        let (mut retries, mut distrusted) = (self.db.retries(), HashSet::new());
        let (mut last_postings, mut repetitions) = (None, 0);
        loop {
            match Box::pin(self.attempt(target, &distrusted)).await {
                Ok(page) => return Ok(Some(page)),
                Err(AttemptError::Read(LedgerReadError::SourceChanged)) => return Ok(None),
                Err(AttemptError::Read(LedgerReadError::Failed(error))) => return Err(error),
                Err(AttemptError::Read(LedgerReadError::Overtaken)) => {}
                Err(AttemptError::Read(LedgerReadError::NodeGone(tree))) => drop(distrusted.insert(tree)),
                Err(AttemptError::BodiesDiffer(page)) => {
                    let found = Some((page.postings.count, page.postings.postings.clone()));
                    repetitions = if found == last_postings { repetitions + 1 } else { 0 };
                    if repetitions == DRIFT_REPETITIONS {
                        return Ok(Some(page.without_differing(target.page)));
                    }
                    last_postings = found;
                }
            }
            if !retries.pause().await {
                return Err(Error::Unavailable("reviews kept changing while they were searched".into()));
            }
        }
    }

    async fn attempt(
        &self,
        target: &SearchTarget,
        distrusted: &HashSet<TreeKey>,
    ) -> Result<Page<Review>, AttemptError> {
        let (postings, bodies) = match (&target.orgs[..], &target.business_city) {
            ([org], Some(city_key)) => (self.find_in_city(target, org, city_key, distrusted).await?, Bodies::default()),
            ([org], None) => self.find_in_org(target, org, distrusted).await?,
            (orgs, _) => (self.find_in_orgs(target, orgs, distrusted).await?, Bodies::default()),
        };
        let load = async { self.load_page(target, &postings, bodies).await.map_err(AttemptError::from) };
        let check = async { self.check_source(&target.source).await.map_err(AttemptError::from) };
        let check_cut = async { self.check_cut(target.cut.as_ref()).await.map_err(AttemptError::from) };
        let (items, (), ()) = futures::try_join!(load, check, check_cut)?;
        if items.len() < postings.postings.len() {
            return Err(AttemptError::BodiesDiffer(Box::new(DifferingPage { postings, admitted: items })));
        }
        Ok(Page { request: target.page, count: postings.count, items })
    }

    /// Finds the postings of a page in the trees of one organisation. A page that the cache predicts is read beside the log.
    async fn find_in_org(
        &self,
        target: &SearchTarget,
        org: &OrgTarget,
        distrusted: &HashSet<TreeKey>,
    ) -> Result<(PostingPage, Bodies), AttemptError> {
        let snapshots = async {
            let logs = JointLogs::new();
            self.read_snapshots(std::slice::from_ref(org), &logs, distrusted, true).await.map_err(AttemptError::from)
        };
        let prefetch = async { self.prefetch(target, org, distrusted.is_empty()).await.map_err(AttemptError::from) };
        let facet_root = async { self.read_facet_root_ahead(target).await.map_err(AttemptError::from) };
        let (snapshots, (prediction, bodies), ()) = futures::try_join!(snapshots, prefetch, facet_root)?;
        if let Some(page) = prediction.and_then(|prediction| confirm(prediction, &snapshots)) {
            return Ok((page, bodies));
        }
        let mut plan = PagePlan::new(target);
        self.add_snapshots(&mut plan, target, std::slice::from_ref(org), &snapshots, distrusted).await?;
        Ok((self.find_postings(plan).await?, bodies))
    }

    /// Finds the postings of a page in the trees of those businesses of one organisation that are in a city. Their locations are read
    /// beside the log.
    async fn find_in_city(
        &self,
        target: &SearchTarget,
        org: &OrgTarget,
        city_key: &str,
        distrusted: &HashSet<TreeKey>,
    ) -> Result<PostingPage, AttemptError> {
        let orgs = std::slice::from_ref(org);
        let (snapshots, locations) = self.read_located_snapshots(orgs, distrusted, true).await?;
        let is_in_city = |set: &ReviewSet| locations.is_in_city(set, city_key);
        let narrowed = snapshots.into_iter().map(|snapshot| snapshot.narrowed(org, is_in_city));
        let (orgs, snapshots): (Vec<_>, Vec<_>) = narrowed.unzip();
        let target = SearchTarget { orgs, business_city: None, ..target.clone() };
        let mut plan = PagePlan::new(&target);
        self.add_snapshots(&mut plan, &target, &target.orgs, &snapshots, distrusted).await?;
        Ok(self.find_postings(plan).await?)
    }

    /// Finds the postings of a page in the trees of several organisations.
    async fn find_in_orgs(
        &self,
        target: &SearchTarget,
        orgs: &[OrgTarget],
        distrusted: &HashSet<TreeKey>,
    ) -> Result<PostingPage, AttemptError> {
        let (mut plan, logs) = (PagePlan::new(target), self.read_joint_logs(target.cut.as_ref()).await?);
        for orgs in orgs.chunks(ORGS_AT_A_TIME) {
            let snapshots = self.read_snapshots(orgs, &logs, distrusted, false).await?;
            self.add_snapshots(&mut plan, target, orgs, &snapshots, distrusted).await?;
        }
        Ok(self.find_postings(plan).await?)
    }
}

impl DifferingPage {
    /// Returns the page without the reviews that differ, which are not counted either. Reports the drift: an audit corrects it.
    fn without_differing(self, request: PageRequest) -> Page<Review> {
        let differing = (self.postings.postings.len() - self.admitted.len()) as u64;
        tracing::error!(reviews = differing, "ledger drift");
        log_metric(Metric::LedgerDrift, 1.0);
        Page { request, count: self.postings.count.saturating_sub(differing), items: self.admitted }
    }
}

/// Returns the predicted page if the snapshot that was read is the one that the prediction was made from.
fn confirm(prediction: Prediction, snapshots: &[OrgSnapshot]) -> Option<PostingPage> {
    let [snapshot] = snapshots else { return None };
    prediction.snapshot.is_same(snapshot).then_some(prediction.page).flatten()
}
