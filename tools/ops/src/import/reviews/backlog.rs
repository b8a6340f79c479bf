//! Backlog of an import: reviews that were read and are not written yet.
//!
//! One worker at a time writes the reviews of a lane of an organisation's log, because each transaction names the last change
//! of its lane. A lane has an eighth of an organisation's reviews, in no order of the file. So the import reads ahead until the
//! backlog is full: the workers are busy, and their transactions are large.
//!
//! Rows about one review are written in the order of the file. A later row joins those that wait, or waits until those in
//! flight are done.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::ReviewNumber;
use presence_domain::review::{Partner, Review};

/// Rows read ahead. If they are all of one organisation, 8 workers are busy, and all 16 from two organisations on. Rows of
/// 250 organisations in any order still make transactions of 100 reviews.
const MAX_ROWS: usize = 200_000;
/// Bytes of the file read ahead. The parsed rows and their index take some 300 MB of memory at most.
const MAX_BYTES: u64 = 128 << 20;
/// Rows to read before the first job. They are enough for full transactions if the file has few organisations.
const MIN_ROWS: usize = 20_000;
/// Reviews of one job: 20 full transactions, so that a failure is reported soon.
const JOB_REVIEWS: usize = 20 * 98;

/// Key of a review within the file.
type ReviewKey = Arc<(BusinessId, Partner, String)>;
/// Unit that one worker at a time writes: a lane of an organisation's log. DynamoDB rejects transactions that conflict.
type OrgLane = (OrgId, usize);

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
}

impl Default for BacklogLimits {
    fn default() -> Self {
        Self { max_rows: MAX_ROWS, max_bytes: MAX_BYTES, min_rows: MIN_ROWS, job_reviews: JOB_REVIEWS }
    }
}

/// Rows between the reader and the workers.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    limits: BacklogLimits,
    /// Reviews that wait, by organisation and lane, then by sequence number: first in, first out.
    waiting: BTreeMap<OrgLane, BTreeMap<u64, (ReviewKey, PendingReview)>>,
    /// Key in `waiting` of each review that waits.
    waiting_index: HashMap<ReviewKey, (OrgLane, u64)>,
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
        let mut pending = self.remove_waiting(&key).unwrap_or_default();
        pending.append(rows);
        let Some(last) = pending.last() else { return };
        let org_lane = (last.org_id, ReviewNumber::of(&last.id).lane());
        self.last_sequence += 1;
        self.waiting_index.insert(Arc::clone(&key), (org_lane, self.last_sequence));
        self.waiting.entry(org_lane).or_default().insert(self.last_sequence, (key, pending));
    }

    fn remove_waiting(&mut self, key: &ReviewKey) -> Option<PendingReview> {
        let (org_lane, sequence) = self.waiting_index.remove(key)?;
        let reviews = self.waiting.get_mut(&org_lane)?;
        let (_, pending) = reviews.remove(&sequence)?;
        if reviews.is_empty() {
            self.waiting.remove(&org_lane);
        }
        Some(pending)
    }

    /// Returns a job of the free lane with the most reviews, since it takes longest. Returns `None` if nothing can be
    /// written until another job is complete.
    pub(super) fn take_job(&mut self) -> Option<Job> {
        let free = self.waiting.iter().filter(|(org_lane, _)| !self.busy.contains(*org_lane));
        let (org_lane, _) = free.max_by_key(|(_, reviews)| reviews.len())?;
        let org_lane = *org_lane;
        let waiting = self.waiting.get_mut(&org_lane)?;
        let mut reviews = Vec::new();
        while reviews.len() < self.limits.job_reviews
            && let Some((_, (key, pending))) = waiting.pop_first()
        {
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

#[cfg(test)]
mod tests {
    use presence_domain::ledger::LANES;
    use presence_domain::review::{Rating, ReviewId, ReviewState};

    use super::*;

    const WORKERS: usize = 16;

    fn review(name: &str, org: u64) -> Review {
        let business_id = BusinessId::parse("b1").expect("an id");
        Review {
            id: ReviewId::derive(&business_id, Partner::Partner8, name, 0),
            version: 0,
            org_id: OrgId::new(org).expect("an id"),
            business_id,
            city_key: "lyon".to_owned(),
            partner: Partner::Partner8,
            partner_id: name.to_owned(),
            key: name.to_owned(),
            author_name: None,
            date: 0,
            update_date: None,
            delete_date: None,
            rating: Rating::ALL[0],
            title: None,
            content: None,
            reply_comment: None,
            state: ReviewState::Treated,
            link: None,
            seen_at: None,
        }
    }

    /// Simulates an import of these rows. Whenever no further job can start, a random worker completes its job. Passes each
    /// job that starts to `on_start`. Returns the number of busy workers at the end of each job.
    fn simulate_import(
        mut backlog: Backlog,
        rows: impl Iterator<Item = Review>,
        rng: &mut fastrand::Rng,
        mut on_start: impl FnMut(&Job),
    ) -> Vec<usize> {
        let mut rows = rows.peekable();
        let mut jobs: Vec<Job> = Vec::new();
        let mut busy_counts = Vec::new();
        loop {
            while backlog.has_room()
                && let Some(row) = rows.next()
            {
                backlog.push(0, row, 1);
            }
            while jobs.len() < WORKERS
                && (rows.peek().is_none() || backlog.is_ready())
                && let Some(job) = backlog.take_job()
            {
                assert!(jobs.iter().all(|other| other.org_lane != job.org_lane), "two workers write one lane");
                on_start(&job);
                jobs.push(job);
            }
            if jobs.is_empty() {
                assert!(rows.next().is_none() && backlog.rows == 0 && backlog.bytes == 0, "all rows were written");
                assert!(backlog.waiting_index.is_empty() && backlog.in_flight.is_empty() && backlog.waiting.is_empty());
                return busy_counts;
            }
            busy_counts.push(jobs.len());
            backlog.complete_job(jobs.swap_remove(rng.usize(0..jobs.len())));
        }
    }

    fn backlog_with_limits(max_rows: usize, min_rows: usize, job_reviews: usize) -> Backlog {
        let limits = BacklogLimits { max_rows, max_bytes: u64::MAX, min_rows, job_reviews };
        Backlog { limits, ..Backlog::default() }
    }

    /// Returns the mean and the largest number of busy workers in an import of a file with these organisations, one after another.
    fn busy_workers(orgs: u64) -> (usize, usize) {
        let rows = (0..75_000).map(|n: u64| review(&n.to_string(), 1 + n * orgs / 75_000));
        let mut rng = fastrand::Rng::with_seed(15);
        let busy = simulate_import(backlog_with_limits(20_000, 2_000, 200), rows, &mut rng, |_| {});
        (busy.iter().sum::<usize>() / busy.len(), busy.into_iter().max().unwrap_or_default())
    }

    #[test]
    fn each_lane_of_an_organisation_keeps_a_worker_busy() {
        let (mean, most) = busy_workers(1);
        assert!(mean >= LANES - 1, "{mean} of {LANES} workers are busy on average");
        assert_eq!(most, LANES);
        let (mean, most) = busy_workers(20);
        assert!(mean >= WORKERS - 2, "{mean} of {WORKERS} workers are busy on average");
        assert_eq!(most, WORKERS);
    }

    #[test]
    fn job_has_reviews_of_one_lane() {
        let rows = (0..1_000).map(|n: u64| review(&n.to_string(), 1 + n % 3));
        let mut rng = fastrand::Rng::with_seed(7);
        simulate_import(backlog_with_limits(500, 100, 20), rows, &mut rng, |job| {
            for last in job.reviews().filter_map(PendingReview::last) {
                assert_eq!(job.org_lane, (last.org_id, ReviewNumber::of(&last.id).lane()));
            }
        });
    }

    #[test]
    fn reading_stops_at_the_limits_of_the_backlog() {
        let mut backlog = backlog_with_limits(10, 5, 3);
        for n in 0..10 {
            assert!(backlog.has_room());
            backlog.push(n, review(&n.to_string(), 1), 100);
        }
        assert!(!backlog.has_room());
        let job = backlog.take_job().expect("a job");
        assert!(!backlog.has_room(), "rows in flight count too");
        backlog.complete_job(job);
        assert!(backlog.has_room());
        backlog.limits.max_bytes = backlog.bytes;
        assert!(!backlog.has_room());
    }

    #[test]
    fn rows_about_one_review_are_written_in_the_order_of_the_file() {
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            // Few reviews with many rows each, which move between organisations.
            let rows: Vec<Review> =
                (0..300).map(|n| Review { version: n, ..review(&rng.u8(0..12).to_string(), rng.u64(1..7)) }).collect();
            let mut written: HashMap<String, Vec<u64>> = HashMap::new();
            let record = |job: &Job| {
                for pending in job.reviews() {
                    let versions = pending.rows.iter().map(|(_, row)| row.version);
                    written.entry(pending.rows[0].1.partner_id.clone()).or_default().extend(versions);
                }
            };
            let backlog = backlog_with_limits(rng.usize(1..40), rng.usize(1..20), rng.usize(1..5));
            simulate_import(backlog, rows.clone().into_iter(), &mut rng, record);
            assert_eq!(written.values().map(Vec::len).sum::<usize>(), rows.len(), "seed {seed}");
            for versions in written.values() {
                assert!(versions.is_sorted(), "seed {seed}: {versions:?}");
            }
        }
    }
}
