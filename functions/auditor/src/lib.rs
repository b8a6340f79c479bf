//! Auditor. It folds what is left in the logs of reviews, and finishes moves of businesses that were interrupted. It measures the age of
//! replies on their way. It compares the ledger with the reviews, and corrects it.
//!
//! A schedule invokes it every five minutes; the event is ignored. Each run continues where the last one stopped. Every
//! organisation is looked at once a day.

use std::time::Duration;

use presence_domain::error::Error;
use presence_runtime::clock::{Clock, Deadline};
use presence_runtime::telemetry::{self, Metric, log_metric};
use presence_store::{AuditRun, AuditSettings, LeftoverFolds, ReviewStore};

/// Least time that must be left for another step. A step of 50,000 reviews takes some ten seconds, or thirty if the reviews
/// themselves are read.
const STEP_TIME: Duration = Duration::from_mins(1);

/// Does one run, and logs its report.
pub async fn handle(
    reviews: &ReviewStore,
    clock: &dyn Clock,
    settings: AuditSettings,
    deadline: Deadline,
) -> Result<AuditRun, Error> {
    let has_time = || deadline.time_left().is_none_or(|left| left > STEP_TIME);
    // First, and before each audit: searches read what is not folded.
    match reviews.fold_leftovers(has_time).await {
        Ok(LeftoverFolds { orgs, changes, failed, longest }) => {
            tracing::info!(orgs, changes, failed, longest, "fold");
            log_metric(Metric::UnfoldedChanges, f64::from(u32::try_from(longest).unwrap_or(u32::MAX)));
        }
        Err(error) => telemetry::log_background_error("fold_reviews", &error),
    }
    match reviews.finish_moves(has_time).await {
        Ok(moves) if moves > 0 => tracing::info!(moves, "moves"),
        Ok(_) => {}
        Err(error) => telemetry::log_background_error("finish_moves", &error),
    }
    measure_replies(reviews, clock).await;
    let run = reviews.audit_on_schedule(settings, clock.now(), has_time).await;
    let run = run.inspect_err(|error| telemetry::log_background_error("audit_reviews", error))?;
    let AuditRun { steps, reviews, wrong, mended, units, round_is_done } = run;
    tracing::info!(steps, reviews, wrong, mended, units, round_is_done, "audit");
    Ok(run)
}

/// Measures the age of the oldest reply or removal that has no outcome. A failure is logged, and the next run measures again.
async fn measure_replies(reviews: &ReviewStore, clock: &dyn Clock) {
    match reviews.oldest_pending_reply().await {
        Ok(oldest) => {
            let age = oldest.map_or(0.0, |oldest| clock.now().duration_since(oldest).as_secs_f64());
            log_metric(Metric::PendingReplySeconds, age.max(0.0));
        }
        Err(error) => telemetry::log_background_error("measure_replies", &error),
    }
}
