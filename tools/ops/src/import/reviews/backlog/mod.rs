//! Backlog of an import: reviews that were read and are not written yet.
//!
//! One worker at a time writes the reviews of a lane of an organisation's log, because each transaction names the last change
//! of its lane. A lane has an eighth of an organisation's reviews, in no order of the file. So the import reads ahead until the
//! backlog is full: the workers are busy, and their transactions are large.
//!
//! The reviews of a lane are written by date. Each job begins where the last one ended, and after the newest review it goes on
//! with the oldest. No lane is far ahead of another one. So the reviews of a fold are near each other in the trees, and it
//! writes few nodes, also if the file is in no order.
//!
//! Rows about one review are written in the order of the file. A later row joins those that wait, or waits until those in
//! flight are done.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Partner, Review};
use presence_ledger::{LANES, ReviewNumber};

/// Rows read ahead. If they are all of one organisation, 8 workers are busy, and all 16 from two organisations on. Rows of
/// 250 organisations in any order still make transactions of 100 reviews.
const MAX_ROWS: usize = 200_000;
/// Bytes of the file read ahead. The parsed rows and their index take some 300 MB of memory at most.
const MAX_BYTES: u64 = 128 << 20;
/// Rows to read before the first job. They are enough for full transactions if the file has few organisations.
const MIN_ROWS: usize = 20_000;
/// Reviews of one job: two full transactions, so that a failure is reported soon and lanes stay side by side.
const JOB_REVIEWS: usize = 2 * 98;
/// Reviews that a lane may be ahead of another one of its organisation.
const MAX_LEAD: usize = 500;

/// Key of a review within the file.
type ReviewKey = Arc<(BusinessId, Partner, String)>;
/// Unit that one worker at a time writes: a lane of an organisation's log. DynamoDB rejects transactions that conflict.
type OrgLane = (OrgId, usize);
/// Order of the reviews that wait in a lane: the instant by which trees sort a review, and its sequence number.
type SortKey = (i64, u64);

/// Rows about one review, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct PendingReview {
    /// Rows with their line numbers.
    pub(super) rows: Vec<(u64, Review)>,
    bytes: u64,
}

impl PendingReview {
    /// Returns the review as each row has it.
    pub(super) fn reviews(&self) -> Vec<Review> {
        self.rows.iter().map(|(_, review)| review.clone()).collect()
    }

    /// Returns the last row, which determines the organisation.
    pub(super) fn last(&self) -> Option<&Review> {
        self.rows.last().map(|(_, review)| review)
    }

    fn append(&mut self, more: Self) {
        self.rows.extend(more.rows);
        self.bytes += more.bytes;
    }
}

/// Reviews of one organisation and lane that one worker writes.
#[derive(Debug)]
pub(super) struct Job {
    org_lane: OrgLane,
    reviews: Vec<(ReviewKey, PendingReview)>,
}

impl Job {
    /// Returns the rows of each review.
    pub(super) fn reviews(&self) -> impl Iterator<Item = &PendingReview> {
        self.reviews.iter().map(|(_, pending)| pending)
    }

    /// Returns the bytes of the rows in the file.
    pub(super) fn bytes(&self) -> u64 {
        self.reviews().map(|pending| pending.bytes).sum()
    }
}

/// Limits of a backlog.
#[derive(Clone, Copy, Debug)]
struct BacklogLimits {
    max_rows: usize,
    max_bytes: u64,
    /// Rows to read before the first job.
    min_rows: usize,
    job_reviews: usize,
    max_lead: usize,
}

impl Default for BacklogLimits {
    fn default() -> Self {
        Self {
            max_rows: MAX_ROWS,
            max_bytes: MAX_BYTES,
            min_rows: MIN_ROWS,
            job_reviews: JOB_REVIEWS,
            max_lead: MAX_LEAD,
        }
    }
}

/// Rows between the reader and the workers.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    limits: BacklogLimits,
    /// Reviews that wait, by organisation and lane.
    waiting: BTreeMap<OrgLane, BTreeMap<SortKey, (ReviewKey, PendingReview)>>,
    /// Keys in `waiting` of each review that waits.
    waiting_index: HashMap<ReviewKey, (OrgLane, SortKey)>,
    /// Last review of each lane that a worker took.
    last_taken: HashMap<OrgLane, SortKey>,
    /// Lanes that a worker writes.
    busy: HashSet<OrgLane>,
    /// Reviews that are being written, with the rows that were read meanwhile.
    in_flight: HashMap<ReviewKey, PendingReview>,
    last_sequence: u64,
    /// Number of rows that wait or are being written.
    rows: usize,
    /// Bytes of these rows.
    bytes: u64,
}

impl Backlog {
    /// True if more rows may be read.
    pub(super) fn has_room(&self) -> bool {
        self.rows < self.limits.max_rows && self.bytes < self.limits.max_bytes
    }

    /// True if there are enough rows to start jobs.
    pub(super) fn is_ready(&self) -> bool {
        self.rows >= self.limits.min_rows || !self.has_room()
    }

    /// Adds a row with its line number and its size in the file.
    pub(super) fn push(&mut self, line_number: u64, review: Review, bytes: u64) {
        self.rows += 1;
        self.bytes += bytes;
        let key = Arc::new((review.business_id.clone(), review.partner, review.partner_id.clone()));
        let row = PendingReview { rows: vec![(line_number, review)], bytes };
        match self.in_flight.get_mut(&key) {
            Some(later_rows) => later_rows.append(row),
            None => self.enqueue(key, row),
        }
    }

    /// Puts rows after those of the same review that wait. The last row determines the organisation.
    fn enqueue(&mut self, key: ReviewKey, rows: PendingReview) {
        let pending = match self.remove_waiting(&key) {
            Some(mut earlier) => {
                earlier.append(rows);
                earlier
            }
            // An empty vector that gets its first row has room for four.
            None => rows,
        };
        let Some(last) = pending.last() else { return };
        let org_lane = (last.org_id, ReviewNumber::of(&last.id).lane());
        self.last_sequence += 1;
        let sort_key = (last.effective_at(), self.last_sequence);
        self.waiting_index.insert(Arc::clone(&key), (org_lane, sort_key));
        self.waiting.entry(org_lane).or_default().insert(sort_key, (key, pending));
    }

    fn remove_waiting(&mut self, key: &ReviewKey) -> Option<PendingReview> {
        let (org_lane, sort_key) = self.waiting_index.remove(key)?;
        let reviews = self.waiting.get_mut(&org_lane)?;
        let (_, pending) = reviews.remove(&sort_key)?;
        if reviews.is_empty() {
            self.waiting.remove(&org_lane);
        }
        Some(pending)
    }

    /// Returns a job of the free lane with the most reviews, since it takes longest, but of none that is far ahead. Returns
    /// `None` if nothing can be written until another job is complete.
    pub(super) fn take_job(&mut self) -> Option<Job> {
        let (mut most, mut next) = (0, None);
        for (org_lane, reviews) in &self.waiting {
            if reviews.len() > most && !self.busy.contains(org_lane) && !self.is_far_ahead(*org_lane) {
                (most, next) = (reviews.len(), Some(*org_lane));
            }
        }
        let org_lane = next?;
        let waiting = self.waiting.get_mut(&org_lane)?;
        let last_taken = self.last_taken.entry(org_lane).or_default();
        let mut reviews = Vec::new();
        while reviews.len() < self.limits.job_reviews
            && let Some(sort_key) = next_key(waiting, *last_taken)
            && let Some((key, pending)) = waiting.remove(&sort_key)
        {
            *last_taken = sort_key;
            self.waiting_index.remove(&key);
            self.in_flight.insert(Arc::clone(&key), PendingReview::default());
            reviews.push((key, pending));
        }
        if waiting.is_empty() {
            self.waiting.remove(&org_lane);
        }
        self.busy.insert(org_lane);
        Some(Job { org_lane, reviews })
    }

    /// True if this lane is ahead of another one of its organisation by more than the limit. All lanes get about the same number
    /// of reviews, so fewer of them wait in this one.
    fn is_far_ahead(&self, (org_id, lane): OrgLane) -> bool {
        let waiting = |lane| self.waiting.get(&(org_id, lane)).map_or(0, BTreeMap::len);
        let most = waiting(lane) + self.limits.max_lead;
        (0..LANES).any(|other| waiting(other) > most)
    }

    /// Removes the rows of a job that is done. Rows of its reviews that were read meanwhile may be written now.
    pub(super) fn complete_job(&mut self, job: Job) {
        self.busy.remove(&job.org_lane);
        for (key, written) in job.reviews {
            self.rows -= written.rows.len();
            self.bytes -= written.bytes;
            if let Some(later_rows) = self.in_flight.remove(&key)
                && !later_rows.rows.is_empty()
            {
                self.enqueue(key, later_rows);
            }
        }
    }
}

/// Returns the first key after this one, or the first of all if none is after it.
fn next_key<T>(waiting: &BTreeMap<SortKey, T>, last: SortKey) -> Option<SortKey> {
    let after = waiting.range((Bound::Excluded(last), Bound::Unbounded)).next();
    after.or_else(|| waiting.first_key_value()).map(|(sort_key, _)| *sort_key)
}

#[cfg(test)]
mod tests;
