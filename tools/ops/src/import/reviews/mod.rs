//! An import of reviews under way: read in chunks, written by organisation and month side by side.

mod refused;
mod row;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::Context as _;
use presence::domain::ids::{BusinessId, OrgId};
use presence::domain::ledger::{Day, Month};
use presence::domain::review::{Partner, Review};
use presence::error::Error;
use presence::store::{FullSlips, PutOutcome, Store};
use tokio::task::JoinSet;

use super::lines::{Line, Lines};
use super::loading::Tally;
use super::progress::Progress;
use super::rejects::Rejects;
use super::rows;
use refused::Refused;
use row::RawReview;

/// What rows of this kind are called.
pub(super) const PLURAL: &str = "reviews";
/// Rows of a chunk: enough that those of a day meet in one transaction, few enough for the memory.
const CHUNK_ROWS: usize = 20_000;
/// Bytes of a chunk, as the rows of one could be long.
const CHUNK_BYTES: u64 = 16 << 20;
/// Months written side by side. Each is written by one worker at a time: reviews of a month share tallies, and DynamoDB
/// refuses transactions that meet.
const WORKERS: usize = 16;

/// Rows about one review, each with its number, in the order of the file: the last one is to be stored.
type Chain = Vec<(u64, Review)>;

/// An import of reviews under way.
pub(super) struct Reviews {
    store: Store,
    dry_run: bool,
    rejects: Rejects,
    tally: Tally,
    progress: Progress,
    /// Organisations that are listed among those with reviews.
    opened: HashSet<OrgId>,
}

/// Rows that are written before the next ones are begun: a review that comes twice ends as it comes last.
#[derive(Default)]
struct Chunk {
    rows: Vec<(Line, Result<RawReview, String>)>,
    /// Bytes of the file up to its end.
    end: u64,
}

impl Reviews {
    pub(super) fn new(store: Store, dry_run: bool, rejects: Rejects, progress: Progress) -> Self {
        Self { store, dry_run, rejects, tally: Tally::default(), progress, opened: HashSet::new() }
    }

    /// What became of the rows.
    pub(super) fn finish(self) -> (Tally, Rejects) {
        self.progress.finish();
        (self.tally, self.rejects)
    }

    /// Reads, checks and writes every row. After a failure no further chunk is begun.
    pub(super) async fn load_all(&mut self, mut lines: Lines) -> anyhow::Result<()> {
        let mut start = 0;
        loop {
            let chunk = next_chunk(&mut lines, start).await.context("cannot read the rows")?;
            if chunk.rows.is_empty() {
                return Ok(());
            }
            let end = chunk.end;
            let chains = self.check(chunk).await?;
            self.write(chains, start).await?;
            start = end;
            self.progress.show(end, self.tally.rows());
        }
    }

    /// Tells the rejected rows; what is left are reviews.
    async fn check(&mut self, chunk: Chunk) -> anyhow::Result<Vec<Chain>> {
        let raws = chunk.rows.iter().filter_map(|(_, raw)| raw.as_ref().ok());
        let businesses: Vec<BusinessId> = raws.filter_map(|raw| BusinessId::parse(&raw.business_id)).collect();
        let places = self.store.business_places(&businesses).await?;
        let mut chains: Vec<Chain> = Vec::new();
        let mut known: HashMap<(BusinessId, Partner, String), usize> = HashMap::new();
        for (line, raw) in chunk.rows {
            let review = raw.and_then(|raw| {
                let place = BusinessId::parse(&raw.business_id).and_then(|id| places.get(&id));
                raw.review(place)
            });
            match review {
                Ok(review) => {
                    match known.entry((review.business_id.clone(), review.partner, review.partner_id.clone())) {
                        Entry::Occupied(position) => chains[*position.get()].push((line.number, review)),
                        Entry::Vacant(position) => {
                            position.insert(chains.len());
                            chains.push(vec![(line.number, review)]);
                        }
                    }
                }
                Err(reason) => {
                    self.rejects.add(&line, &reason)?;
                    self.tally.rejected += 1;
                }
            }
        }
        Ok(chains)
    }

    /// Writes the last review of each chain; in a dry run, only compares.
    async fn write(&mut self, chains: Vec<Chain>, start: u64) -> anyhow::Result<()> {
        let mut groups: BTreeMap<(OrgId, Month), Vec<Chain>> = BTreeMap::new();
        for chain in chains {
            let Some((_, last)) = chain.last() else { continue };
            let month = Day::of(last.effective_at()).month();
            groups.entry((last.org_id, month)).or_default().push(chain);
        }
        for (org_id, _) in groups.keys() {
            if !self.dry_run && self.opened.insert(*org_id) {
                self.store.open_book(*org_id).await?;
            }
        }
        let mut groups = groups.into_values();
        let mut workers = JoinSet::new();
        loop {
            while workers.len() < WORKERS
                && let Some(group) = groups.next()
            {
                workers.spawn(write_group(self.store.clone(), self.dry_run, group));
            }
            let Some(worker) = workers.join_next().await else { return Ok(()) };
            let (tally, refused) = worker.context("a month's task died")??;
            self.tally = self.tally + tally;
            for Refused { line, reason, row } in refused {
                self.rejects.add_row(line, &reason, &row)?;
                self.tally.rejected += 1;
            }
            self.progress.show(start, self.tally.rows());
        }
    }
}

async fn next_chunk(lines: &mut Lines, start: u64) -> std::io::Result<Chunk> {
    let mut chunk = Chunk { end: start, ..Chunk::default() };
    while chunk.rows.len() < CHUNK_ROWS && chunk.end - start < CHUNK_BYTES {
        let Some(line) = lines.next().await? else { break };
        chunk.end = line.end;
        let raw = line.text().and_then(rows::raw);
        chunk.rows.push((line, raw));
    }
    Ok(chunk)
}

/// Writes the last review of each chain. What became of the rows, and those that cannot be stored.
async fn write_group(store: Store, dry_run: bool, group: Vec<Chain>) -> Result<(Tally, Vec<Refused>), Error> {
    let wanted: Vec<Review> = group.iter().filter_map(|chain| chain.last().map(|(_, last)| last.clone())).collect();
    let (before, full) = if dry_run {
        (store.compare_reviews(&wanted).await?, HashMap::new())
    } else {
        let put = store.put_reviews_in_part(&wanted).await;
        if let Some(failure) = put.failure {
            return Err(failure);
        }
        (put.before, put.full.into_iter().collect::<HashMap<usize, FullSlips>>())
    };
    let (mut tally, mut refused) = (Tally::default(), Vec::new());
    for (position, (chain, before)) in group.iter().zip(&before).enumerate() {
        if let Some(full) = full.get(&position) {
            refused.extend(chain.iter().map(|(line, review)| Refused::new(*line, review, full)));
            continue;
        }
        // As if each row had been written on its own: the counts do not depend on where chunks end.
        let mut stored = before.as_ref();
        for (_, review) in chain {
            tally.count(match stored {
                None => PutOutcome::Created,
                Some(stored) if stored.says_the_same(review) => PutOutcome::Unchanged,
                Some(_) => PutOutcome::Updated,
            });
            stored = Some(review);
        }
    }
    Ok((tally, refused))
}
