//! An import under way: rows read in order, written side by side.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::Add;
use std::sync::Arc;

use anyhow::Context as _;
use presence_domain::error::Error;
use presence_store::PutOutcome;
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
    /// Users whose lists lost a business that moved to another organisation, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) users_updated: Option<u64>,
    /// True if the import stopped before its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) stopped: bool,
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
            users_updated: self.users_updated.or(other.users_updated),
            stopped: self.stopped || other.stopped,
        }
    }
}

/// An import under way.
pub(super) struct Loading<R> {
    tables: Arc<Tables>,
    /// Rows being written, in the order of the file: so are the rejected ones then.
    window: VecDeque<InFlight>,
    rejects: Rejects,
    tally: Tally,
    progress: Progress,
    row: PhantomData<R>,
}

struct InFlight {
    line: Line,
    /// What the row is about; none for a line that is no row.
    key: Option<String>,
    work: JoinHandle<Result<Verdict, Error>>,
}

impl<R: Row> Loading<R> {
    pub(super) fn new(tables: Tables, rejects: Rejects, progress: Progress) -> Self {
        let window = VecDeque::with_capacity(IN_FLIGHT);
        Self { tables: Arc::new(tables), window, rejects, tally: Tally::default(), progress, row: PhantomData }
    }

    /// Returns the outcome of the rows.
    pub(super) fn finish(self) -> (Tally, Rejects) {
        self.progress.finish();
        (Tally { users_updated: R::users_updated(&self.tables), ..self.tally }, self.rejects)
    }

    /// Reads, checks and writes every row. After a failure no further row is begun; what is under way ends, and is counted.
    pub(super) async fn load_all(&mut self, lines: Lines) -> anyhow::Result<()> {
        let outcome = self.load(lines).await;
        if outcome.is_err() {
            self.tables.store.stop_trying();
            while let Some(InFlight { line, work, .. }) = self.window.pop_front() {
                if let Ok(Ok(verdict)) = work.await {
                    self.count(&line, verdict)?;
                }
            }
        }
        outcome
    }

    async fn load(&mut self, mut lines: Lines) -> anyhow::Result<()> {
        while let Some(line) = lines.next().await.context("cannot read the rows")? {
            self.begin(line).await?;
        }
        while !self.window.is_empty() {
            self.settle_oldest().await?;
        }
        Ok(R::finish(&self.tables).await?)
    }

    async fn begin(&mut self, line: Line) -> anyhow::Result<()> {
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
        let verdict = work.await.context("a row's task died")??;
        self.tables.store.note_progress();
        self.count(&line, verdict)?;
        self.progress.show(line.end, self.tally.rows());
        Ok(())
    }

    fn count(&mut self, line: &Line, verdict: Verdict) -> anyhow::Result<()> {
        match verdict {
            Verdict::Put(outcome) => self.tally.count(outcome),
            Verdict::Rejected(reason) => {
                self.rejects.add(line, &reason)?;
                self.tally.rejected += 1;
            }
        }
        Ok(())
    }
}
