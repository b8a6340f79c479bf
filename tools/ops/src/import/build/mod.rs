//! `ops reviews build`: writes the items that the rows of a file amount to, for `DynamoDB`'s import from S3.
//!
//! The memory is bounded by external sorts. Rows are sorted by review, so that those about one review meet. Postings are sorted
//! by tree and place, so that each tree is made from a stream.

mod bodies;
mod businesses;
mod output;
mod records;
mod sort;
mod trees;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::review::{FacetKey, Review, ReviewRow};
use presence_ledger::tree::FACETS_FROM;
use presence_ledger::{Posting, PostingKey, ReviewNumber};
use presence_runtime::lines::{Line, LineReader};
use presence_store::{BusinessStore, bulk_body_item, bulk_directory_items, schema};
use serde::Serialize;

use super::input::Input;
use super::kind::ImportKind;
use super::progress::Progress;
use super::rejects::{self, RejectsFile};
use super::summary::ImportSummary;
use crate::console::shell_word;
use crate::error::CommandError;
use crate::{Context, Exit};
use bodies::{Collisions, DeriveId, ReviewsOfId, derive_id};
use businesses::KnownBusinesses;
use output::{OutputParts, OutputTotals};
use records::{FIRST_VERSION, FiledPosting, SourceRow, TreeNumber};
use sort::{ExternalSort, SortLimits, SortedRuns};

/// Rows whose businesses are looked up together.
const BLOCK_ROWS: usize = 1_000;
/// Largest size of a block in bytes: its rows may be long.
const BLOCK_BYTES: usize = 4 << 20;

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// JSON Lines file in the format of `ops import reviews`, - for stdin
    file: PathBuf,
    /// Folder for the parts
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Stop at the Nth rejected row, instead of when the first 100 rows are all rejected
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_errors: Option<u64>,
}

/// Counts of a build. `--json` prints them.
#[derive(Serialize)]
struct BuildSummary {
    #[serde(flatten)]
    rows: ImportSummary,
    items: u64,
    parts: u64,
    bytes: u64,
}

/// Rows of the file: those that are valid are sorted by review, the others are rejected.
struct RowReader<'a> {
    store: &'a BusinessStore,
    /// Start of the command.
    now: Timestamp,
    businesses: KnownBusinesses,
    rows: ExternalSort<SourceRow>,
    rejects: RejectsFile,
    summary: ImportSummary,
    progress: Progress,
    /// Offset of the end of the last row that was checked.
    done_offset: u64,
    rows_checked: u64,
}

/// Runs the command.
pub(crate) async fn run(args: &BuildArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let Input { lines, size, .. } = Input::open(&args.file, ImportKind::Reviews).await?;
    let table = context.stores.database.name(&schema::REVIEWS);
    let output = OutputParts::create(&args.out, &table)?;
    let now = context.clock.now();
    let mut reader = RowReader {
        store: &context.stores.businesses,
        now,
        businesses: KnownBusinesses::default(),
        rows: ExternalSort::new(output.temporary_folder(), SortLimits::default()),
        rejects: RejectsFile::for_import(&args.file, args.max_errors)?,
        summary: ImportSummary::default(),
        progress: Progress::start(size, context.console.shows_progress),
        done_offset: 0,
        rows_checked: 0,
    };
    let read = reader.read_all(lines).await;
    let RowReader { businesses, rows, rejects, mut summary, progress, .. } = reader;
    progress.finish();
    let rejects = rejects.finish();
    if let Some(path) = &rejects {
        rejects::report(path, &mut context.console)?;
    }
    read?;
    let rows = rows.finish().context("cannot sort the rows")?;
    // The memory and the processor are busy from here on, and nothing else waits for this thread.
    let totals = ItemWriter { businesses, now, output, derive_id }.write_all(rows, &mut summary)?;
    report(summary, totals, &args.out, context)?;
    Ok(if rejects.is_some() { Exit::SomeRejected } else { Exit::Done })
}

/// Prints the counts.
fn report(
    summary: ImportSummary,
    totals: OutputTotals,
    out: &std::path::Path,
    context: &mut Context,
) -> Result<(), CommandError> {
    let ImportSummary { created, updated, unchanged, rejected, .. } = summary;
    let OutputTotals { items, parts, bytes } = totals;
    let rows = format!("{created} created, {updated} updated, {unchanged} unchanged, {rejected} rejected");
    let written = format!("{items} items in {parts} parts, {bytes} bytes before compression, in {}", out.display());
    context.console.write_message(format_args!("reviews: {rows}\n{written}"));
    if context.console.json {
        context.console.write_json(&BuildSummary { rows: summary, items, parts, bytes })?;
    }
    let parts = out.join(context.stores.database.name(&schema::REVIEWS));
    context.console.write_next(format_args!("aws s3 sync {} s3://BUCKET/FOLDER/", shell_word(&parts)));
    Ok(())
}

impl RowReader<'_> {
    async fn read_all(&mut self, mut lines: LineReader) -> anyhow::Result<()> {
        loop {
            let (mut block, mut bytes) = (Vec::new(), 0);
            while block.len() < BLOCK_ROWS && bytes < BLOCK_BYTES {
                let Some(line) = lines.next().await.context("cannot read the rows")? else { break };
                let row = line.text().and_then(|text| ReviewRow::parse(text, self.now));
                bytes += line.text().map_or(0, str::len);
                block.push((line, row));
            }
            if block.is_empty() {
                return Ok(());
            }
            self.check_block(block).await?;
        }
    }

    /// Adds the valid rows to the sort, and writes the others to the file of rejected rows.
    async fn check_block(&mut self, block: Vec<(Line, Result<ReviewRow, String>)>) -> anyhow::Result<()> {
        let rows = block.iter().filter_map(|(_, row)| row.as_ref().ok());
        let ids: Vec<BusinessId> = rows.map(|row| row.business_id().clone()).collect();
        self.businesses.look_up(self.store, &ids).await?;
        for (line, row) in block {
            let review = row.and_then(|row| self.businesses.locate(row));
            self.rows_checked += 1;
            self.progress.advance(line.end_offset - self.done_offset, 1);
            self.done_offset = line.end_offset;
            match (review, line.text()) {
                (Ok(review), Ok(text)) => {
                    // Numbers of sets are given in the order of the file.
                    self.businesses.sets_of(&review.business_id);
                    let id = ReviewNumber::of(&review.id);
                    let row = SourceRow { id, line: line.number, text: text.into() };
                    self.rows.push(row).context("cannot sort the rows")?;
                }
                (Err(reason), _) | (_, Err(reason)) => {
                    self.rejects.write(&line, &reason)?;
                    self.summary.rejected += 1;
                    self.rejects.limit.check(self.rows_checked)?;
                }
            }
        }
        Ok(())
    }
}

/// Writer of all items of sorted rows.
struct ItemWriter {
    businesses: KnownBusinesses,
    /// Start of the command.
    now: Timestamp,
    output: OutputParts,
    derive_id: DeriveId,
}

impl ItemWriter {
    fn write_all(mut self, rows: SortedRuns<SourceRow>, summary: &mut ImportSummary) -> anyhow::Result<OutputTotals> {
        let postings = self.write_bodies(rows, summary)?;
        let mut postings = postings.finish().context("cannot sort the postings")?;
        let merge = postings.merge().context("cannot sort the postings")?;
        trees::write_trees(merge, &self.businesses, FACETS_FROM, &mut self.output)?;
        for (org_id, sets) in self.businesses.sets_by_org() {
            bulk_directory_items(org_id, sets, |item| self.output.write(&item))?;
        }
        self.output.finish()
    }

    /// Writes the reviews. Returns their postings.
    fn write_bodies(
        &mut self,
        mut rows: SortedRuns<SourceRow>,
        summary: &mut ImportSummary,
    ) -> anyhow::Result<ExternalSort<FiledPosting>> {
        let mut postings = ExternalSort::new(self.output.temporary_folder(), SortLimits::default());
        let mut collisions = Collisions::default();
        let mut sorted = rows.merge()?.peekable();
        while let Some(row) = sorted.next() {
            let row = row?;
            let mut of_id = ReviewsOfId::default();
            of_id.add(self.parse(&row)?, summary);
            while let Some(same) = sorted.next_if(|next| next.as_ref().map_or(true, |next| next.id == row.id)) {
                of_id.add(self.parse(&same?)?, summary);
            }
            let mut reviews = of_id.0.into_iter();
            if let Some(review) = reviews.next() {
                self.write_review(&review, &mut postings)?;
            }
            collisions.extend(reviews)?;
        }
        if !collisions.is_empty() {
            let ids = rows.merge()?.map(|row| row.map(|row| row.id));
            for review in collisions.resolve(self.derive_id, ids)? {
                self.write_review(&review, &mut postings)?;
            }
        }
        Ok(postings)
    }

    /// Parses a row again, which was valid when it was read.
    fn parse(&self, row: &SourceRow) -> Result<Review, Error> {
        let review = ReviewRow::parse(&row.text, self.now).and_then(|row| self.businesses.locate(row));
        let review = review.map_err(|reason| Error::internal(format!("line {} was valid: {reason}", row.line)))?;
        let id = row.id.to_id().ok_or_else(|| Error::internal("a sorted row has no id"))?;
        Ok(Review { id, ..review })
    }

    fn write_review(&mut self, review: &Review, postings: &mut ExternalSort<FiledPosting>) -> Result<(), Error> {
        self.output.write(&bulk_body_item(review)?)?;
        let key = PostingKey { effective_at: review.effective_at(), id: ReviewNumber::of(&review.id) };
        let posting = Posting { key, facet_key: FacetKey::of(review), version: FIRST_VERSION };
        let sets = self.businesses.sets_of(&review.business_id);
        for set in sets.ok_or_else(|| Error::internal("the business of a row is not known"))? {
            let tree = TreeNumber { set, facet_key: None };
            postings.push(FiledPosting { tree, posting }).map_err(Error::internal)?;
        }
        Ok(())
    }
}
