//! All reviews of an organisation at one position of its log, by strong reads of the reviews themselves.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::listing::FiledReview;
use crate::ReviewStore;
use crate::client::parallel::parallel;
use crate::reviews::log::OrgLog;
use crate::reviews::trees::OrgPostings;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{LogChange, LogPosition, PostingKey, ReviewNumber};

/// Maximum number of times that the reviews are read again because the log was trimmed meanwhile.
const MAX_READS: usize = 5;
/// Number of reviews that are listed before they are read.
const SLICE: usize = 20_000;
/// Number of reviews in one strong read, ten batches.
const READ: usize = 1_000;
/// Number of such reads at a time.
const READS_IN_FLIGHT: u16 = 4;

impl ReviewStore {
    /// Returns the postings of an organisation and the position of the log at which they are exact. `None` if there are more than
    /// `max_reviews`. Takes some 40 bytes a review.
    ///
    /// Reviews are found by `listing-index` and by the log. Each is read strongly. A review that was
    /// written meanwhile is in the log: its posting is that of the last change there. If the log was trimmed meanwhile,
    /// everything is read again.
    pub(crate) async fn read_org_postings(
        &self,
        org_id: OrgId,
        max_reviews: usize,
    ) -> Result<Option<(OrgPostings, LogPosition)>, Error> {
        for _ in 0..MAX_READS {
            let before = self.query_log(org_id).await?;
            let logged: BTreeSet<ReviewNumber> = before.entries.iter().map(|entry| entry.change.id).collect();
            let Some(mut postings) = self.read_listed(org_id, &logged, max_reviews).await? else { return Ok(None) };
            let after = self.query_log(org_id).await?;
            if before.end.covers(&after.directory.trimmed_to) {
                replay(&mut postings, &before.end, &after);
                return Ok(Some((postings, after.end)));
            }
        }
        Err(Error::Unavailable("reviews kept being written while they were counted".into()))
    }

    /// Returns the postings of the reviews that are listed and of further ones, each as its body was when it was read.
    async fn read_listed(
        &self,
        org_id: OrgId,
        further: &BTreeSet<ReviewNumber>,
        max_reviews: usize,
    ) -> Result<Option<OrgPostings>, Error> {
        let mut postings = OrgPostings::new(org_id);
        self.add_bodies(further, &mut postings).await?;
        let mut from = PostingKey::FIRST;
        loop {
            let slice = self.list_slice(org_id, from, SLICE).await?;
            let listed = slice.listed.iter().map(|review| review.id).collect();
            self.add_bodies(&listed, &mut postings).await?;
            if postings.len() > max_reviews {
                return Ok(None);
            }
            if slice.is_last() {
                // A review that moved meanwhile may be listed twice.
                postings.keep_latest();
                return Ok(Some(postings));
            }
            from = slice.keys.end;
        }
    }

    /// Reads reviews strongly, and adds the postings of those of the organisation.
    async fn add_bodies(&self, ids: &BTreeSet<ReviewNumber>, postings: &mut OrgPostings) -> Result<(), Error> {
        let ids: Vec<ReviewNumber> = ids.iter().copied().collect();
        let reads = ids.chunks(READ).map(|ids| self.get_filed_reviews(ids));
        let org_id = postings.org_id();
        for FiledReview { id, version, org_id: own, place } in
            parallel(READS_IN_FLIGHT, reads).await?.into_iter().flatten()
        {
            if own == org_id {
                postings.add_posting(id, version, &place);
            }
        }
        Ok(())
    }
}

/// Replaces the postings of reviews that changed behind a position by those after their last change.
fn replay(postings: &mut OrgPostings, from: &LogPosition, log: &OrgLog) {
    let later = log.entries.iter().filter(|entry| !from.includes(entry.lane(), entry.sequence));
    // The changes of a review are in the order of its lane.
    let last: HashMap<ReviewNumber, &LogChange> = later.map(|entry| (entry.change.id, &entry.change)).collect();
    let changed: HashSet<ReviewNumber> = last.keys().copied().collect();
    postings.remove(&changed);
    for (id, change) in last {
        if let Some(place) = &change.new {
            postings.add_posting(id, change.version, place);
        }
    }
}
