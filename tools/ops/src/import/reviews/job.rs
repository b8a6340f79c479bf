//! Job of a worker: writes the reviews of one lane of an organisation, and counts their rows.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use presence_domain::error::Error;
use presence_domain::review::{AcceptedRow, Review};
use presence_store::{ReviewStore, UpsertOutcome};

use super::backlog::{Job, PendingReview};
use crate::import::progress::Progress;
use crate::import::summary::ImportSummary;

/// Result of a job.
pub(super) struct JobResult {
    pub(super) job: Job,
    pub(super) summary: ImportSummary,
    /// Error that stopped the job. The reviews written before it are counted.
    pub(super) error: Option<Error>,
}

/// Writes the row that wins of each review. In a dry run, only compares it with the stored review. The bar moves with each transaction.
pub(super) async fn run(store: ReviewStore, dry_run: bool, job: Job, progress: Progress) -> JobResult {
    let reviews: Vec<Vec<Review>> = job.reviews().map(PendingReview::reviews).collect();
    let (bytes, rows) = (job.bytes(), job.reviews().map(|pending| pending.rows.len() as u64).sum::<u64>());
    let bytes_a_review = bytes / (reviews.len() as u64).max(1);
    let stored = AtomicU64::new(0);
    let on_stored = |reviews: usize| {
        stored.fetch_add(reviews as u64, Ordering::Relaxed);
        progress.advance(reviews as u64 * bytes_a_review, reviews as u64);
    };
    let outcome = if dry_run {
        compare(&store, &reviews).await
    } else {
        store.upsert_rows(reviews.iter().map(Vec::as_slice).collect(), &on_stored).await
    };
    if outcome.error.is_none() {
        // Several rows may be about one review, and the division above rounds down.
        let shown = stored.into_inner();
        progress.advance(bytes - shown * bytes_a_review, rows - shown);
    }
    let unwritten: HashSet<usize> = outcome.unwritten.into_iter().collect();
    let mut summary = ImportSummary::default();
    for (position, (pending, before)) in job.reviews().zip(outcome.before).enumerate() {
        if !unwritten.contains(&position) {
            count_rows(&mut summary, pending, before.as_ref());
        }
    }
    JobResult { job, summary, error: outcome.error }
}

/// Returns the stored reviews in the form of a write, and writes nothing.
async fn compare(store: &ReviewStore, reviews: &[Vec<Review>]) -> UpsertOutcome {
    let last_rows: Vec<Review> = reviews.iter().filter_map(|rows| rows.last().cloned()).collect();
    let (before, error) = match store.find_stored_reviews(&last_rows).await {
        Ok(before) => (before, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    UpsertOutcome { before, unwritten: Vec::new(), error }
}

/// Counts the rows as if each were written on its own. So the counts do not depend on how rows are grouped into jobs.
fn count_rows(summary: &mut ImportSummary, pending: &PendingReview, before: Option<&Review>) {
    let mut stored = before.cloned();
    for (_, row) in &pending.rows {
        let AcceptedRow { review, outcome } = Review::accept(stored.as_ref(), row);
        summary.count(outcome.into());
        stored = Some(review);
    }
}
