//! One attempt of a search: rounds of reads from the logs to the reviews of the page.

use std::collections::HashSet;

use super::bodies::Bodies;
use super::org_source::SourceError;
use super::target::ScopedTarget;
use crate::ReviewStore;
use presence_domain::error::Error;
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::Review;
use presence_ledger::search::{
    JointLogs, OrgSnapshot, OrgTarget, PagePlan, PostingPage, Prediction, ReadError, SearchTarget,
};
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
    Read(ReadError),
    /// The organisations that may have the reviews changed since they were read. The next search reads them again.
    SourceChanged,
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
        Self::Read(ReadError::Failed(error))
    }
}

impl From<ReadError> for AttemptError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<SourceError> for AttemptError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Changed => Self::SourceChanged,
            SourceError::Failed(error) => error.into(),
        }
    }
}

impl ReviewStore {
    /// Searches until an attempt has the page, or the time is over. Changes meanwhile overtake an attempt now and then, and each
    /// new one starts with what the log says then. `None` if the source of the organisations has changed.
    pub(super) async fn search(&self, target: &ScopedTarget) -> Result<Option<Page<Review>>, Error> {
        let (mut retries, mut distrusted) = (self.db.retries(), HashSet::new());
        let (mut last_postings, mut repetitions) = (None, 0);
        loop {
            match Box::pin(self.attempt(target, &distrusted)).await {
                Ok(page) => return Ok(Some(page)),
                Err(AttemptError::SourceChanged) => return Ok(None),
                Err(AttemptError::Read(ReadError::Failed(error))) => return Err(error),
                Err(AttemptError::Read(ReadError::Overtaken)) => {}
                Err(AttemptError::Read(ReadError::NodeGone(tree))) => drop(distrusted.insert(tree)),
                Err(AttemptError::BodiesDiffer(page)) => {
                    let found = Some((page.postings.count, page.postings.postings.clone()));
                    repetitions = if found == last_postings { repetitions + 1 } else { 0 };
                    if repetitions == DRIFT_REPETITIONS {
                        return Ok(Some(page.without_differing(target.search.page)));
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
        target: &ScopedTarget,
        distrusted: &HashSet<TreeKey>,
    ) -> Result<Page<Review>, AttemptError> {
        let ScopedTarget { search, business_city, source, cut } = target;
        let (postings, bodies) = match (&search.orgs[..], business_city) {
            ([org], Some(city_key)) => (self.find_in_city(search, org, city_key, distrusted).await?, Bodies::default()),
            ([org], None) => self.find_in_org(search, org, distrusted).await?,
            (_, _) => (self.find_in_orgs(target, distrusted).await?, Bodies::default()),
        };
        let load = async { self.load_page(search, &postings, bodies).await.map_err(AttemptError::from) };
        let check = async { self.check_source(source).await.map_err(AttemptError::from) };
        let check_cut = async { self.check_cut(cut.as_ref()).await.map_err(AttemptError::from) };
        let (items, (), ()) = futures::try_join!(load, check, check_cut)?;
        if items.len() < postings.postings.len() {
            return Err(AttemptError::BodiesDiffer(Box::new(DifferingPage { postings, admitted: items })));
        }
        Ok(Page { request: search.page, count: postings.count, items })
    }

    /// Finds the postings of a page in the trees of one organisation. A page that the cache predicts is read beside the log.
    async fn find_in_org(
        &self,
        target: &SearchTarget,
        org: &OrgTarget,
        distrusted: &HashSet<TreeKey>,
    ) -> Result<(PostingPage, Bodies), AttemptError> {
        let (orgs, logs) = (std::slice::from_ref(org), JointLogs::new());
        let snapshots = self.searcher.read_snapshots(orgs, &logs, distrusted, true);
        let prefetch = self.prefetch(target, org, distrusted.is_empty());
        let facet_root = self.searcher.read_facet_root_ahead(target);
        let (snapshots, (prediction, bodies), ()) = futures::try_join!(snapshots, prefetch, facet_root)?;
        let confirmed = prediction.zip(snapshots.first()).and_then(|(predicted, read)| predicted.confirmed_by(read));
        if let Some(page) = confirmed {
            return Ok((page, bodies));
        }
        Ok((self.find_in_snapshots(target, &snapshots, distrusted).await?, bodies))
    }

    /// Reads what the search most likely needs next, as far as it can be told before the log is read: the reviews of the page,
    /// or the nodes that lead to it.
    async fn prefetch(
        &self,
        target: &SearchTarget,
        org: &OrgTarget,
        is_cache_trusted: bool,
    ) -> Result<(Option<Prediction>, Bodies), Error> {
        let mut bodies = Bodies::default();
        if !is_cache_trusted {
            return Ok((None, bodies));
        }
        let predicted = self.searcher.predict(target, org).await?;
        match (&predicted, target.only_whole_org().filter(|_| target.is_first_page_of_all())) {
            (Some(prediction), _) => {
                if let Some(page) = &prediction.page {
                    bodies.add(self.read_bodies(page, &bodies).await?);
                }
            }
            // Nothing is cached. The first page without a filter of facets needs no tree to be told.
            (None, Some(org_id)) => bodies.add(self.read_first_bodies(org_id, target).await?),
            (None, None) => {}
        }
        Ok((predicted, bodies))
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
        let target = SearchTarget { orgs, ..target.clone() };
        self.find_in_snapshots(&target, &snapshots, distrusted).await
    }

    /// Finds the postings of a page in the trees of several organisations.
    async fn find_in_orgs(
        &self,
        target: &ScopedTarget,
        distrusted: &HashSet<TreeKey>,
    ) -> Result<PostingPage, AttemptError> {
        let ScopedTarget { search, cut, .. } = target;
        let (mut plan, logs) = (PagePlan::new(search), self.read_joint_logs(cut.as_ref()).await?);
        for orgs in search.orgs.chunks(ORGS_AT_A_TIME) {
            let snapshots = self.searcher.read_snapshots(orgs, &logs, distrusted, false).await?;
            self.searcher.add_snapshots(&mut plan, search, orgs, &snapshots, distrusted).await?;
        }
        Ok(self.searcher.find_postings(plan).await?)
    }

    /// Finds the postings of a page in snapshots of all its organisations.
    async fn find_in_snapshots(
        &self,
        target: &SearchTarget,
        snapshots: &[OrgSnapshot],
        distrusted: &HashSet<TreeKey>,
    ) -> Result<PostingPage, AttemptError> {
        let mut plan = PagePlan::new(target);
        self.searcher.add_snapshots(&mut plan, target, &target.orgs, snapshots, distrusted).await?;
        Ok(self.searcher.find_postings(plan).await?)
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
