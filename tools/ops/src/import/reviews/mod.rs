//! An import of reviews under way: read ahead, and written by organisation and month side by side.

mod backlog;
mod refused;
mod row;

use std::collections::{HashMap, HashSet};

use anyhow::Context as _;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::Review;
use presence_store::{PostingItemFullError, PutOutcome, Store, UpsertOutcome};
use tokio::task::JoinSet;

use super::lines::{Line, Lines};
use super::loading::Tally;
use super::progress::Progress;
use super::rejects::Rejects;
use super::rows;
use backlog::{Backlog, Chain, Job};
use refused::Refused;
use row::RawReview;

/// What rows of this kind are called.
pub(super) const PLURAL: &str = "reviews";
/// Rows whose businesses are looked up together: ten `BatchGetItems` at the most.
const BLOCK_ROWS: usize = 1_000;
/// Bytes of a block, as the rows of one could be long.
const BLOCK_BYTES: u64 = 4 << 20;
/// Months written side by side.
const WORKERS: usize = 16;

/// An import of reviews under way.
pub(super) struct Reviews {
    store: Store,
    dry_run: bool,
    rejects: Rejects,
    tally: Tally,
    progress: Progress,
    /// Organisations that are listed among those with reviews.
    opened: HashSet<OrgId>,
    backlog: Backlog,
    workers: JoinSet<Written>,
    /// Bytes of the file that were read.
    read: u64,
}

/// Rows that are checked together.
type Block = Vec<(Line, u64, Result<RawReview, String>)>;

/// The outcome of a job.
struct Written {
    job: Job,
    tally: Tally,
    refused: Vec<Refused>,
    failure: Option<Error>,
}

impl Reviews {
    pub(super) fn new(store: Store, dry_run: bool, rejects: Rejects, progress: Progress) -> Self {
        let (tally, opened, backlog) = (Tally::default(), HashSet::new(), Backlog::default());
        Self { store, dry_run, rejects, tally, progress, opened, backlog, workers: JoinSet::new(), read: 0 }
    }

    /// What became of the rows.
    pub(super) fn finish(self) -> (Tally, Rejects) {
        self.progress.finish();
        (self.tally, self.rejects)
    }

    /// Reads, checks and writes every row. After a failure no further row is begun; what is under way ends, and is counted.
    pub(super) async fn load_all(&mut self, lines: Lines) -> anyhow::Result<()> {
        let outcome = self.load(lines).await;
        if outcome.is_err() {
            self.store.stop_trying();
            while let Some(Ok(written)) = self.workers.join_next().await {
                self.count(written.tally, written.refused)?;
            }
        }
        outcome
    }

    async fn load(&mut self, mut lines: Lines) -> anyhow::Result<()> {
        let mut is_read = false;
        loop {
            while let Some(written) = self.workers.try_join_next() {
                self.settle(written.context("a month's task died")?)?;
            }
            if !is_read && self.backlog.has_room() {
                let block = next_block(&mut lines, &mut self.read).await.context("cannot read the rows")?;
                is_read = block.is_empty();
                self.check(block).await?;
            }
            if is_read || self.backlog.may_begin() {
                self.begin().await?;
            }
            if is_read || !self.backlog.has_room() {
                let Some(written) = self.workers.join_next().await else { return Ok(()) };
                self.settle(written.context("a month's task died")?)?;
            }
        }
    }

    /// Tells the rejected rows; what is left are reviews.
    async fn check(&mut self, block: Block) -> anyhow::Result<()> {
        let raws = block.iter().filter_map(|(_, _, raw)| raw.as_ref().ok());
        let businesses: Vec<BusinessId> = raws.filter_map(|raw| BusinessId::parse(&raw.business_id)).collect();
        let places = self.store.business_locations(&businesses).await?;
        for (line, bytes, raw) in block {
            let review = raw.and_then(|raw| {
                let place = BusinessId::parse(&raw.business_id).and_then(|id| places.get(&id));
                raw.review(place)
            });
            match review {
                Ok(review) => self.backlog.push(line.number, review, bytes),
                Err(reason) => {
                    self.rejects.add(&line, &reason)?;
                    self.tally.rejected += 1;
                }
            }
        }
        Ok(())
    }

    /// Gives work to those who have none.
    async fn begin(&mut self) -> anyhow::Result<()> {
        while self.workers.len() < WORKERS
            && let Some(job) = self.backlog.take()
        {
            let orgs: HashSet<OrgId> = job.chains().filter_map(Chain::last).map(|last| last.org_id).collect();
            for org_id in orgs {
                if !self.dry_run && self.opened.insert(org_id) {
                    self.store.register_org_with_reviews(org_id).await?;
                }
            }
            self.workers.spawn(write(self.store.clone(), self.dry_run, job));
        }
        Ok(())
    }

    fn settle(&mut self, written: Written) -> anyhow::Result<()> {
        let Written { job, tally, refused, failure } = written;
        self.count(tally, refused)?;
        if let Some(failure) = failure {
            return Err(failure.into());
        }
        self.store.note_progress();
        self.backlog.done(job);
        self.progress.show(self.read - self.backlog.bytes(), self.tally.rows());
        Ok(())
    }

    fn count(&mut self, tally: Tally, refused: Vec<Refused>) -> anyhow::Result<()> {
        self.tally = self.tally + tally;
        for Refused { line, reason, row } in refused {
            self.rejects.add_row(line, &reason, &row)?;
            self.tally.rejected += 1;
        }
        Ok(())
    }
}

async fn next_block(lines: &mut Lines, read: &mut u64) -> std::io::Result<Block> {
    let (start, mut block) = (*read, Block::new());
    while block.len() < BLOCK_ROWS && *read - start < BLOCK_BYTES {
        let Some(line) = lines.next().await? else { break };
        let bytes = line.end - *read;
        *read = line.end;
        let raw = line.text().and_then(rows::raw);
        block.push((line, bytes, raw));
    }
    Ok(block)
}

/// Writes the last review of each chain; in a dry run, only compares.
async fn write(store: Store, dry_run: bool, job: Job) -> Written {
    let wanted: Vec<Review> = job.chains().filter_map(|chain| chain.last().cloned()).collect();
    let put = if dry_run { compared(&store, &wanted).await } else { store.try_upsert_reviews(&wanted).await };
    let left: HashSet<usize> = put.left.into_iter().collect();
    let full: HashMap<usize, PostingItemFullError> = put.full.into_iter().collect();
    let (mut tally, mut refused) = (Tally::default(), Vec::new());
    for (position, (chain, before)) in job.chains().zip(put.before).enumerate() {
        if let Some(full) = full.get(&position) {
            refused.extend(chain.rows.iter().map(|(line, review)| Refused::new(*line, review, full)));
        } else if !left.contains(&position) {
            count(&mut tally, chain, before.as_ref());
        }
    }
    Written { job, tally, refused, failure: put.failure }
}

/// As if the reviews had been put: what is there before each.
async fn compared(store: &Store, wanted: &[Review]) -> UpsertOutcome {
    let (left, full) = (Vec::new(), Vec::new());
    match store.find_stored_reviews(wanted).await {
        Ok(before) => UpsertOutcome { before, left, failure: None, full },
        Err(error) => UpsertOutcome { before: Vec::new(), left, failure: Some(error), full },
    }
}

/// Counts the rows as if each had been written on its own: the counts do not depend on which of them met.
fn count(tally: &mut Tally, chain: &Chain, before: Option<&Review>) {
    let mut stored = before;
    for (_, review) in &chain.rows {
        tally.count(match stored {
            None => PutOutcome::Created,
            Some(stored) if stored.content_eq(review) => PutOutcome::Unchanged,
            Some(_) => PutOutcome::Updated,
        });
        stored = Some(review);
    }
}
