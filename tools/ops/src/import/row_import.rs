//! Import of organisations, businesses and categories: reads rows in order and writes several at a time.

use presence_runtime::lines::{Line, LineReader};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;

use anyhow::Context as _;
use presence_domain::error::Error;
use tokio::task::JoinHandle;

use super::context::ImportContext;
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::rejects::RejectsFile;
use super::row::{self, Row, RowOutcome};
use super::summary::ImportSummary;
use crate::import_error::ImportError;

/// Rows in flight: enough to hide the round trip to DynamoDB, few enough for the capacity of a new table.
const MAX_IN_FLIGHT: usize = 32;

/// Import of one kind of row.
pub(super) struct RowImport<R> {
    context: Arc<ImportContext>,
    /// Rows that are being written, in the order of the file. They finish in this order, and so do rejected ones.
    in_flight: VecDeque<InFlight>,
    rejects: RejectsFile,
    summary: ImportSummary,
    progress: Progress,
    /// Offset of the end of the last row that is done.
    done_offset: u64,
    row: PhantomData<R>,
}

struct InFlight {
    line: Line,
    /// Key of the row; `None` for a line that is not a valid row.
    key: Option<String>,
    task: JoinHandle<Result<RowOutcome, Error>>,
}

impl<R: Row> RowImport<R> {
    pub(super) fn new(context: ImportContext, rejects: RejectsFile, progress: Progress) -> Self {
        Self {
            context: Arc::new(context),
            in_flight: VecDeque::with_capacity(MAX_IN_FLIGHT),
            rejects,
            summary: ImportSummary::default(),
            progress,
            done_offset: 0,
            row: PhantomData,
        }
    }

    /// Ends the import and returns its counts.
    pub(super) fn finish(self) -> (ImportSummary, RejectsFile) {
        self.progress.finish();
        (ImportSummary { users_updated: R::users_updated(&self.context), ..self.summary }, self.rejects)
    }

    /// Reads, checks and writes every row. After an error or Ctrl-C it starts no further row, and ends those that are in flight.
    pub(super) async fn run(&mut self, lines: LineReader, interrupt: Interrupt) -> anyhow::Result<()> {
        let Err(error) = self.import(lines, interrupt).await else { return Ok(()) };
        let is_limit = matches!(error.downcast_ref(), Some(ImportError::TooManyRejected(_)));
        self.context.stores.database.stop_retries();
        let counted = self.finish_in_flight(is_limit).await;
        let finished = R::finish_stopped(&self.context).await;
        if R::IS_ATOMIC {
            self.summary = ImportSummary { rejected: self.summary.rejected, ..ImportSummary::default() };
        }
        counted?;
        Err(match finished {
            Ok(()) => error,
            Err(advice) => error.context(advice),
        })
    }

    /// Waits for the rows in flight and counts them. After an error of a count, it counts no further one.
    async fn finish_in_flight(&mut self, is_limit: bool) -> anyhow::Result<()> {
        let mut counted = Ok(());
        while let Some(InFlight { line, task, .. }) = self.in_flight.pop_front() {
            match task.await {
                // Rows beyond the limit count only if they are written.
                Ok(Ok(RowOutcome::Rejected(_))) if is_limit => {}
                Ok(Ok(outcome)) => counted = counted.and_then(|()| self.count(&line, outcome)),
                _ => {}
            }
        }
        counted
    }

    async fn import(&mut self, mut lines: LineReader, mut interrupt: Interrupt) -> anyhow::Result<()> {
        while let Some(line) = interrupt.unless(lines.next()).await?.context("cannot read the rows")? {
            interrupt.unless(self.start_row(line)).await??;
        }
        while !self.in_flight.is_empty() {
            interrupt.unless(self.finish_oldest()).await??;
        }
        Ok(R::finish(&self.context).await?)
    }

    async fn start_row(&mut self, line: Line) -> anyhow::Result<()> {
        let row = line.text().and_then(row::parse::<R>);
        let key = row.as_ref().ok().map(Row::key);
        // Two rows with one key must not be written at the same time: the last one wins.
        while self.in_flight.len() == MAX_IN_FLIGHT || self.is_in_flight(key.as_deref()) {
            self.finish_oldest().await?;
        }
        let context = Arc::clone(&self.context);
        let task = tokio::spawn(async move {
            match row {
                Ok(row) => row.write(&context).await,
                Err(reason) => Ok(RowOutcome::Rejected(reason)),
            }
        });
        self.in_flight.push_back(InFlight { line, key, task });
        Ok(())
    }

    fn is_in_flight(&self, key: Option<&str>) -> bool {
        key.is_some() && self.in_flight.iter().any(|other| other.key.as_deref() == key)
    }

    async fn finish_oldest(&mut self) -> anyhow::Result<()> {
        // Ctrl-C may drop this call while it waits: the row stays in flight, and is counted later.
        let Some(oldest) = self.in_flight.front_mut() else { return Ok(()) };
        let outcome = (&mut oldest.task).await;
        let Some(InFlight { line, .. }) = self.in_flight.pop_front() else { return Ok(()) };
        let outcome = outcome.context("a row's task died")??;
        self.context.stores.database.note_progress();
        self.count(&line, outcome)?;
        self.progress.advance(line.end_offset - self.done_offset, 1);
        self.done_offset = line.end_offset;
        Ok(self.rejects.limit.check(self.summary.rows())?)
    }

    fn count(&mut self, line: &Line, outcome: RowOutcome) -> anyhow::Result<()> {
        match outcome {
            RowOutcome::Accepted(outcome) => self.summary.count(outcome),
            RowOutcome::Rejected(reason) => {
                self.rejects.write(line, &reason)?;
                self.summary.rejected += 1;
            }
        }
        Ok(())
    }
}
