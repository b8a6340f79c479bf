//! Import of reviews: reads ahead, and writes several lanes of several organisations at the same time.

mod backlog;
mod job;

use std::sync::Arc;

use anyhow::Context as _;
use presence_domain::ids::BusinessId;
use presence_domain::review::{Review, ReviewRow, SeenAt};
use presence_runtime::clock::Clock;
use presence_runtime::lines::{Line, LineReader};
use presence_store::Stores;
use tokio::task::JoinSet;

use super::interrupt::Interrupt;
use super::progress::Progress;
use super::rejects::RejectsFile;
use super::summary::ImportSummary;
use backlog::Backlog;
use job::JobResult;

/// Rows whose businesses are looked up together, by ten `BatchGetItem` calls at most.
const BLOCK_ROWS: usize = 1_000;
/// Largest size of a block in bytes: its rows may be long.
const BLOCK_BYTES: u64 = 4 << 20;
/// Largest number of jobs at the same time.
const WORKERS: usize = 16;

/// Import of reviews.
pub(super) struct ReviewImport {
    stores: Stores,
    clock: Arc<dyn Clock>,
    dry_run: bool,
    rejects: RejectsFile,
    summary: ImportSummary,
    progress: Progress,
    backlog: Backlog,
    workers: JoinSet<JobResult>,
    /// Bytes of the file that were read.
    bytes_read: u64,
    /// Number of rows that were checked.
    rows_checked: u64,
}

/// Row that was read and not checked yet.
struct UncheckedRow {
    line: Line,
    /// Bytes of the file from the end of the row before to the end of this one.
    bytes: u64,
    row: Result<ReviewRow, String>,
}

impl ReviewImport {
    pub(super) fn new(
        stores: Stores,
        clock: Arc<dyn Clock>,
        dry_run: bool,
        rejects: RejectsFile,
        progress: Progress,
    ) -> Self {
        Self {
            stores,
            clock,
            dry_run,
            rejects,
            summary: ImportSummary::default(),
            progress,
            backlog: Backlog::default(),
            workers: JoinSet::new(),
            bytes_read: 0,
            rows_checked: 0,
        }
    }

    /// Ends the import and returns its counts.
    pub(super) fn finish(self) -> (ImportSummary, RejectsFile) {
        self.progress.finish();
        (self.summary, self.rejects)
    }

    /// Reads, checks and writes every row. After an error or Ctrl-C it starts no further job, and counts the rows of those that run.
    pub(super) async fn run(&mut self, lines: LineReader, mut interrupt: Interrupt) -> anyhow::Result<()> {
        let result = interrupt.unless(self.import(lines)).await.unwrap_or_else(|error| Err(error.into()));
        if result.is_ok() {
            // Searches read the log, and a short one costs less.
            self.stores.reviews.fold_written_reviews().await;
        }
        if result.is_err() {
            self.stores.database.stop_retries();
            while let Some(Ok(JobResult { summary, .. })) = self.workers.join_next().await {
                self.summary += summary;
            }
        }
        result
    }

    async fn import(&mut self, mut lines: LineReader) -> anyhow::Result<()> {
        let mut is_all_read = false;
        loop {
            while let Some(result) = self.workers.try_join_next() {
                self.finish_job(result.context("a lane's task died")?)?;
            }
            if !is_all_read && self.backlog.has_room() {
                let block = self.read_block(&mut lines).await.context("cannot read the rows")?;
                is_all_read = block.is_empty();
                self.check_block(block).await?;
            }
            if is_all_read || self.backlog.is_ready() {
                self.start_jobs();
            }
            // While there is room, the loop goes on reading. Otherwise only the end of a job makes progress possible.
            if is_all_read || !self.backlog.has_room() {
                let Some(result) = self.workers.join_next().await else { return Ok(()) };
                self.finish_job(result.context("a lane's task died")?)?;
            }
        }
    }

    /// Reads the next rows. Returns no row at the end of the file.
    async fn read_block(&mut self, lines: &mut LineReader) -> std::io::Result<Vec<UncheckedRow>> {
        let (start, now) = (self.bytes_read, self.clock.now());
        let mut block = Vec::new();
        while block.len() < BLOCK_ROWS && self.bytes_read - start < BLOCK_BYTES {
            let Some(line) = lines.next().await? else { break };
            let bytes = line.end_offset - self.bytes_read;
            self.bytes_read = line.end_offset;
            let row = line.text().and_then(|text| ReviewRow::parse(text, now));
            block.push(UncheckedRow { line, bytes, row });
        }
        Ok(block)
    }

    /// Adds the valid rows to the backlog and writes the others to the file of rejected rows.
    async fn check_block(&mut self, block: Vec<UncheckedRow>) -> anyhow::Result<()> {
        let rows = block.iter().filter_map(|unchecked| unchecked.row.as_ref().ok());
        let businesses: Vec<BusinessId> = rows.map(|row| row.business_id().clone()).collect();
        let locations = self.stores.reviews.locate_businesses(&businesses).await?;
        for UncheckedRow { line, bytes, row } in block {
            let review = row.and_then(|row| match locations.get(row.business_id()) {
                Some(location) => Ok(row.into_review(location.org_id, &location.city_key)),
                None => Err(row.unknown_business()),
            });
            self.rows_checked += 1;
            match review {
                // The order of the file decides among rows of one instant.
                Ok(review) => {
                    let review = Review { seen_at: review.seen_at.map(SeenAt::without_place), ..review };
                    self.backlog.push(line.number, review, bytes);
                }
                Err(reason) => {
                    self.rejects.write(&line, &reason)?;
                    self.summary.rejected += 1;
                    self.progress.advance(bytes, 1);
                    self.rejects.limit.check(self.rows_checked)?;
                }
            }
        }
        Ok(())
    }

    /// Starts jobs until all workers are busy or no job is left.
    fn start_jobs(&mut self) {
        while self.workers.len() < WORKERS
            && let Some(job) = self.backlog.take_job()
        {
            self.workers.spawn(job::run(self.stores.reviews.clone(), self.dry_run, job, self.progress.clone()));
        }
    }

    fn finish_job(&mut self, result: JobResult) -> anyhow::Result<()> {
        let JobResult { job, summary, error } = result;
        self.summary += summary;
        if let Some(error) = error {
            return Err(error.into());
        }
        self.stores.database.note_progress();
        self.backlog.complete_job(job);
        Ok(())
    }
}
