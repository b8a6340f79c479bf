//! Auditor: folds what is left in the logs of reviews, finishes moves of businesses that were interrupted, compares the ledger with
//! the reviews, and corrects it.
//!
//! A schedule invokes it every five minutes; the event is ignored. Each run continues where the last one stopped. Every
//! organisation is looked at once a day.

use std::time::{Duration, SystemTime};

use presence_domain::error::Error;
use presence_runtime::clock::{Clock, time_left};
use presence_runtime::telemetry;
use presence_store::{AuditRun, AuditSettings, LeftoverFolds, ReviewStore};

/// Least time that must be left for another step. A step of 50,000 reviews takes some ten seconds, or thirty if the reviews
/// themselves are read.
const STEP_TIME: Duration = Duration::from_mins(1);

/// Does one run, and logs its report.
pub async fn handle(
    reviews: &ReviewStore,
    clock: &dyn Clock,
    settings: AuditSettings,
    deadline: SystemTime,
) -> Result<AuditRun, Error> {
    let has_time = || time_left(deadline).is_none_or(|left| left > STEP_TIME);
    // First, and before each audit: searches read what is not folded.
    match reviews.fold_leftovers(has_time).await {
        Ok(LeftoverFolds { orgs, changes, failed, longest }) => tracing::info!(orgs, changes, failed, longest, "fold"),
        Err(error) => telemetry::log_background_error("fold_reviews", &error),
    }
    match reviews.finish_moves(has_time).await {
        Ok(moves) if moves > 0 => tracing::info!(moves, "moves"),
        Ok(_) => {}
        Err(error) => telemetry::log_background_error("finish_moves", &error),
    }
    let run = reviews.audit_on_schedule(settings, clock.now(), has_time).await;
    let run = run.inspect_err(|error| telemetry::log_background_error("audit_reviews", error))?;
    let AuditRun { steps, reviews, wrong, mended, units, round_is_done } = run;
    tracing::info!(steps, reviews, wrong, mended, units, round_is_done, "audit");
    Ok(run)
}
