//! An import under way: rows read in order, written side by side.

use std::collections::VecDeque;
use std::ops::Add;
use std::sync::Arc;

use anyhow::Context as _;
use presence::error::Error;
use presence::store::PutOutcome;
use serde::Serialize;
use tokio::task::JoinHandle;

use super::lines::{Line, Lines};
use super::progress::Progress;
use super::rejects::Rejects;
use super::rows::{self, Row, Tables, Verdict};

/// Rows in flight: enough to hide the way to the tables, few enough for a fresh table.
const IN_FLIGHT: usize = 32;

/// What became of the rows.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Tally {
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) unchanged: u64,
    pub(super) rejected: u64,
}

impl Tally {
    /// Counts a row that is stored, or would be.
    pub(super) fn count(&mut self, outcome: PutOutcome) {
        match outcome {
            PutOutcome::Created => self.created += 1,
            PutOutcome::Updated => self.updated += 1,
            PutOutcome::Unchanged => self.unchanged += 1,
        }
    }

    /// All of them.
    pub(super) fn rows(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.rejected
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            created: self.created + other.created,
            updated: self.updated + other.updated,
            unchanged: self.unchanged + other.unchanged,
            rejected: self.rejected + other.rejected,
        }
    }
}

/// An import under way.
pub(super) struct Loading {
    tables: Arc<Tables>,
    /// Rows being written, in the order of the file: so are the rejected ones then.
    window: VecDeque<InFlight>,
    rejects: Rejects,
    tally: Tally,
    progress: Progress,
}

struct InFlight {
    line: Line,
    /// What the row is about; none for a line that is no row.
    key: Option<String>,
    work: JoinHandle<Result<Verdict, Error>>,
}

impl Loading {
    pub(super) fn new(tables: Tables, rejects: Rejects, progress: Progress) -> Self {
        let window = VecDeque::with_capacity(IN_FLIGHT);
        Self { tables: Arc::new(tables), window, rejects, tally: Tally::default(), progress }
    }

    /// What became of the rows. Rows still in flight after a failure are given up.
    pub(super) fn finish(self) -> (Tally, Rejects) {
        self.window.iter().for_each(|in_flight| in_flight.work.abort());
        self.progress.finish();
        (self.tally, self.rejects)
    }

    /// Reads, checks and writes every row. After a failure no further row is begun.
    pub(super) async fn load_all<R: Row>(&mut self, mut lines: Lines) -> anyhow::Result<()> {
        while let Some(line) = lines.next().await.context("cannot read the rows")? {
            self.begin::<R>(line).await?;
        }
        while !self.window.is_empty() {
            self.settle_oldest().await?;
        }
        Ok(R::finish(&self.tables).await?)
    }

    async fn begin<R: Row>(&mut self, line: Line) -> anyhow::Result<()> {
        let row = line.text().and_then(rows::read::<R>);
        let key = row.as_ref().ok().map(Row::key);
        // Two rows about one thing must not race: the last of them wins.
        while self.window.len() == IN_FLIGHT || (key.is_some() && self.window.iter().any(|other| other.key == key)) {
            self.settle_oldest().await?;
        }
        let tables = Arc::clone(&self.tables);
        let work = tokio::spawn(async move {
            match row {
                Ok(row) => row.put(&tables).await,
                Err(reason) => Ok(Verdict::Rejected(reason)),
            }
        });
        self.window.push_back(InFlight { line, key, work });
        Ok(())
    }

    async fn settle_oldest(&mut self) -> anyhow::Result<()> {
        let Some(InFlight { line, work, .. }) = self.window.pop_front() else { return Ok(()) };
        match work.await.context("a row's task died")?? {
            Verdict::Put(outcome) => self.tally.count(outcome),
            Verdict::Rejected(reason) => {
                self.rejects.add(&line, &reason)?;
                self.tally.rejected += 1;
            }
        }
        self.progress.show(line.end, self.tally.rows());
        Ok(())
    }
}
