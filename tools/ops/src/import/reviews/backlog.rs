//! Reviews that were read and are not written yet, and which of them may be written now.
//!
//! A file in order of date has all rows of a month together, and a month is written by one worker at a time. So the import
//! reads ahead, until the backlog is full, and workers take from as many months as there are in it. Rows about one review
//! are written in the order of the file: later ones join those that wait, or wait until those under way are done.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::{Day, Month};
use presence_domain::review::{Partner, Review};

/// Rows read ahead. A month with as many keeps a single worker busy, one with a sixteenth of them all sixteen.
const MAX_ROWS: usize = 200_000;
/// Bytes of the file read ahead. With what the program keeps beside them, the rows take some 300 MB at the most.
const MAX_BYTES: u64 = 128 << 20;
/// Rows that are read before the first are written: enough that those of a day meet in one transaction.
const MIN_ROWS: usize = 20_000;
/// Reviews of one job. Those of a day meet in it, and a failure of one is told soon.
const JOB_REVIEWS: usize = 2_000;

/// The key by which a review is found.
type Key = Arc<(BusinessId, Partner, String)>;
/// The unit that one worker at a time writes: reviews of a month share tallies, and DynamoDB refuses transactions that meet.
type Group = (OrgId, Month);

/// Rows about one review, in the order of the file: the last one is to be stored.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// Each with its number in the file.
    pub(super) rows: Vec<(u64, Review)>,
    bytes: u64,
}

/// Chains that one worker writes.
#[derive(Debug)]
pub(super) struct Job {
    group: Group,
    chains: Vec<(Key, Chain)>,
}

impl Job {
    /// The rows about each review.
    pub(super) fn chains(&self) -> impl Iterator<Item = &Chain> {
        self.chains.iter().map(|(_, chain)| chain)
    }
}

/// The bounds of what is read ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    rows: usize,
    bytes: u64,
    first: usize,
    job: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { rows: MAX_ROWS, bytes: MAX_BYTES, first: MIN_ROWS, job: JOB_REVIEWS }
    }
}

/// The rows between the reader and the workers.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    bounds: Bounds,
    /// Chains that wait, by group, in the order in which they came into it.
    waiting: BTreeMap<Group, BTreeMap<u64, (Key, Chain)>>,
    /// Where the chain of a review waits.
    places: HashMap<Key, (Group, u64)>,
    /// Groups that a worker is at.
    busy: HashSet<Group>,
    /// Reviews that are being written, with the rows that came meanwhile.
    under_way: HashMap<Key, Chain>,
    next_place: u64,
    /// Rows that wait or are being written, and their bytes.
    rows: usize,
    bytes: u64,
}

impl Backlog {
    /// True if more may be read.
    pub(super) fn has_room(&self) -> bool {
        self.rows < self.bounds.rows && self.bytes < self.bounds.bytes
    }

    /// True if enough was read to begin.
    pub(super) fn may_begin(&self) -> bool {
        self.rows >= self.bounds.first || !self.has_room()
    }

    /// Bytes of the file that were read and are not done.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes in the row with this number, which has so many bytes in the file.
    pub(super) fn push(&mut self, line: u64, review: Review, bytes: u64) {
        self.rows += 1;
        self.bytes += bytes;
        let key = Arc::new((review.business_id.clone(), review.partner, review.partner_id.clone()));
        match self.under_way.get_mut(&key) {
            Some(meanwhile) => meanwhile.add(line, review, bytes),
            None => self.wait(key, Chain { rows: vec![(line, review)], bytes }),
        }
    }

    /// Puts rows behind those of the same review that wait, in the group of the last.
    fn wait(&mut self, key: Key, more: Chain) {
        let mut chain = Chain::default();
        if let Some((group, place)) = self.places.remove(&key)
            && let Some(waiting) = self.waiting.get_mut(&group)
        {
            chain = waiting.remove(&place).map(|(_, chain)| chain).unwrap_or_default();
            if waiting.is_empty() {
                self.waiting.remove(&group);
            }
        }
        chain.rows.extend(more.rows);
        chain.bytes += more.bytes;
        let Some(last) = chain.last() else { return };
        let group = (last.org_id, Day::of(last.effective_at()).month());
        self.next_place += 1;
        self.places.insert(Arc::clone(&key), (group, self.next_place));
        self.waiting.entry(group).or_default().insert(self.next_place, (key, chain));
    }

    /// Gives work to a worker: of the groups that no one is at, the one with the most reviews, since it takes longest. `None`
    /// when there is nothing to do until another worker is done.
    pub(super) fn take(&mut self) -> Option<Job> {
        let free = self.waiting.iter().filter(|(group, _)| !self.busy.contains(*group));
        let (group, _) = free.max_by_key(|(_, chains)| chains.len())?;
        let group = *group;
        let waiting = self.waiting.get_mut(&group)?;
        let mut chains = Vec::new();
        while chains.len() < self.bounds.job
            && let Some((_, (key, chain))) = waiting.pop_first()
        {
            self.places.remove(&key);
            self.under_way.insert(Arc::clone(&key), Chain::default());
            chains.push((key, chain));
        }
        if waiting.is_empty() {
            self.waiting.remove(&group);
        }
        self.busy.insert(group);
        Some(Job { group, chains })
    }

    /// Takes a job back that is done. Rows that came meanwhile may be written now.
    pub(super) fn done(&mut self, job: Job) {
        self.busy.remove(&job.group);
        for (key, chain) in job.chains {
            self.rows -= chain.rows.len();
            self.bytes -= chain.bytes;
            match self.under_way.remove(&key) {
                Some(meanwhile) if !meanwhile.rows.is_empty() => self.wait(key, meanwhile),
                _ => {}
            }
        }
    }
}

impl Chain {
    /// Returns the review that is to be stored.
    pub(super) fn last(&self) -> Option<&Review> {
        self.rows.last().map(|(_, review)| review)
    }

    fn add(&mut self, line: u64, review: Review, bytes: u64) {
        self.rows.push((line, review));
        self.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use presence_domain::review::{Rating, ReviewId, ReviewState};

    use super::*;

    /// Seconds of a month at the least.
    const MONTH: i64 = 28 * 86_400;
    const WORKERS: usize = 16;

    fn review(name: &str, at: i64) -> Review {
        let business_id = BusinessId::parse("b1").expect("an id");
        Review {
            id: ReviewId::derive(&business_id, Partner::Partner8, name, 0),
            version: 0,
            org_id: OrgId::new(1).expect("an id"),
            business_id,
            city_key: "lyon".to_owned(),
            partner: Partner::Partner8,
            partner_id: name.to_owned(),
            key: name.to_owned(),
            author_name: None,
            date: at,
            update_date: None,
            delete_date: None,
            rating: Rating::ALL[0],
            title: None,
            content: None,
            reply_comment: None,
            state: ReviewState::Treated,
            link: None,
        }
    }

    /// Plays an import of these rows: what is read is pushed, and whenever nothing more can be begun, one of the workers, as
    /// drawn, is done. Calls the eyes at each job that is begun. Returns how many workers were busy at each end of a job.
    fn play(
        mut backlog: Backlog,
        rows: impl Iterator<Item = Review>,
        mut draw: impl FnMut(usize) -> usize,
        mut begun: impl FnMut(&Job),
    ) -> Vec<usize> {
        let mut rows = rows.peekable();
        let (mut workers, mut busy): (Vec<Job>, _) = (Vec::new(), Vec::new());
        loop {
            while backlog.has_room()
                && let Some(row) = rows.next()
            {
                backlog.push(0, row, 1);
            }
            while workers.len() < WORKERS
                && (rows.peek().is_none() || backlog.may_begin())
                && let Some(job) = backlog.take()
            {
                assert!(workers.iter().all(|other| other.group != job.group), "two workers are at one month");
                begun(&job);
                workers.push(job);
            }
            if workers.is_empty() {
                assert!(rows.next().is_none() && backlog.rows == 0 && backlog.bytes == 0, "all rows were written");
                assert!(backlog.places.is_empty() && backlog.under_way.is_empty() && backlog.waiting.is_empty());
                return busy;
            }
            busy.push(workers.len());
            backlog.done(workers.swap_remove(draw(workers.len())));
        }
    }

    fn bounded(rows: usize, first: usize, job: usize) -> Backlog {
        Backlog { bounds: Bounds { rows, bytes: u64::MAX, first, job }, ..Backlog::default() }
    }

    #[test]
    fn a_file_of_one_organisation_in_order_of_date_keeps_most_workers_busy() {
        // 60 months of 1,250 rows: with chunks of 2,000 rows, at most 3 workers had anything to do.
        let rows = (0..75_000).map(|n| review(&n.to_string(), n / 1_250 * MONTH * 2));
        let mut rng = fastrand::Rng::with_seed(15);
        let busy = play(bounded(20_000, 2_000, 200), rows, |count| rng.usize(0..count), |_| {});
        let mean = busy.iter().sum::<usize>() / busy.len();
        assert!(mean >= WORKERS - 2, "{mean} of {WORKERS} workers are busy on average");
        assert_eq!(busy.iter().max(), Some(&WORKERS));
    }

    #[test]
    fn no_more_is_read_than_the_bounds_allow() {
        let mut backlog = bounded(10, 5, 3);
        for n in 0..10 {
            assert!(backlog.has_room());
            backlog.push(n, review(&n.to_string(), 0), 100);
        }
        assert!(!backlog.has_room());
        let job = backlog.take().expect("work");
        assert!(!backlog.has_room(), "what is being written counts too");
        backlog.done(job);
        assert!(backlog.has_room());
        backlog.bounds.bytes = backlog.bytes();
        assert!(!backlog.has_room());
    }

    #[test]
    fn rows_about_one_review_are_written_in_the_order_of_the_file_whatever_is_done_first() {
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            // Few reviews, many rows of each, which move between months.
            let rows: Vec<Review> = (0..300)
                .map(|n| Review {
                    version: n,
                    ..review(&rng.u8(0..12).to_string(), i64::from(rng.u8(0..6)) * MONTH * 2)
                })
                .collect();
            let mut written: HashMap<String, Vec<u64>> = HashMap::new();
            let mut see = |job: &Job| {
                for chain in job.chains() {
                    let versions = chain.rows.iter().map(|(_, row)| row.version);
                    written.entry(chain.rows[0].1.partner_id.clone()).or_default().extend(versions);
                }
            };
            let bounds = bounded(rng.usize(1..40), rng.usize(1..20), rng.usize(1..5));
            play(bounds, rows.clone().into_iter(), |count| rng.usize(0..count), &mut see);
            assert_eq!(written.values().map(Vec::len).sum::<usize>(), rows.len(), "seed {seed}");
            for versions in written.values() {
                assert!(versions.is_sorted(), "seed {seed}: {versions:?}");
            }
        }
    }
}
