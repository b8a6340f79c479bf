//! Faults of what is in the tables.

use jiff::SignedDuration;
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::invitation::{MessageState, OutboxMessage};
use presence_domain::user::Role;

use super::finding::{Check, Finding};
use crate::error::CommandError;
use crate::{Context, Exit};

/// Age of a due mail at which the mailer does not run. The sweep comes each minute.
const MAX_MAIL_AGE: SignedDuration = SignedDuration::from_mins(15);
/// Age of a reply without an outcome at which the alarm `replies-age` goes off.
const MAX_REPLY_AGE: SignedDuration = SignedDuration::from_hours(1);
/// Number of changes in a log at which the alarm `unfolded-changes` goes off.
const MAX_UNFOLDED: u64 = 2_000;
/// Age of a round of the scheduled audit at which the auditor does not run. A round takes a day at most.
const MAX_ROUND: SignedDuration = SignedDuration::from_hours(3 * 24);

/// Returns the checks of users, keys, mails and reviews.
pub(super) async fn checks(context: &Context) -> Result<Vec<Check>, CommandError> {
    Ok(vec![
        Check::new("formats of items", format_faults(context).await?),
        Check::new("organisations", org_faults(context).await?),
        Check::new("logs of reviews", log_faults(context).await?),
        Check::new("scheduled audit", audit_faults(context).await?),
        Check::new("moves of businesses", move_faults(context).await?),
        Check::new("mails", mail_faults(context).await?),
        Check::new("replies", reply_fault(context).await?),
        Check::new("keys", key_fault(context).await?),
    ])
}

async fn key_fault(context: &Context) -> Result<Option<Finding>, CommandError> {
    let has_key = context.stores.api_keys.has_live_key(Role::Provider, context.clock.now()).await?;
    let problem = "no active PROVIDER has a key that gives access";
    Ok((!has_key).then(|| Finding::new("keys", problem, "ops key issue --user ID")))
}

async fn format_faults(context: &Context) -> Result<Vec<Finding>, CommandError> {
    match context.stores.database.check_formats().await.map_err(CommandError::from) {
        Ok(()) => Ok(Vec::new()),
        Err(error) if error.exit() == Exit::Failed && error.code() == "unavailable" => {
            Ok(vec![Finding::new("items", error.to_string(), "ops --version")])
        }
        Err(error) => Err(error),
    }
}

async fn org_faults(context: &Context) -> Result<Vec<Finding>, CommandError> {
    let found = context.stores.users.audit_orgs().await?.into_iter();
    Ok(found.map(|found| Finding::new(found.subject, found.problem, "ops import orgs FILE")).collect())
}

async fn log_faults(context: &Context) -> Result<Vec<Finding>, CommandError> {
    let reviews = &context.stores.reviews;
    let mut findings = Vec::new();
    for org_id in reviews.orgs_with_reviews().await? {
        let mend = format!("ops reviews rebuild --org {org_id}");
        match reviews.count_unfolded(org_id).await {
            Ok(changes) if changes > MAX_UNFOLDED => {
                let problem = format!("its log of reviews has {changes} changes that are not folded");
                findings.push(Finding::new(format!("organisation {org_id}"), problem, mend).repairable());
            }
            Ok(_) => {}
            Err(error @ Error::Internal(_)) => {
                let problem = format!("its log of reviews cannot be read: {}", CommandError::from(error));
                findings.push(Finding::new(format!("organisation {org_id}"), problem, mend).repairable());
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(findings)
}

async fn audit_faults(context: &Context) -> Result<Vec<Finding>, CommandError> {
    let mut findings = Vec::new();
    let progress = context.stores.reviews.get_audit_progress().await?;
    if let Some(progress) = progress {
        for (org_id, slices) in &progress.wrong_slices {
            let problem = format!("found {slices} slices of organisation {org_id} that are counted wrongly");
            let mend = format!("ops reviews rebuild --org {org_id}");
            findings.push(Finding::new("scheduled audit", problem, mend).repairable());
        }
        let age = context.clock.now().duration_since(progress.began_at);
        if age > MAX_ROUND {
            let problem = format!("has begun no round for {} hours", age.as_hours());
            findings.push(Finding::new("scheduled audit", problem, "ops reviews audit"));
        }
    }
    Ok(findings)
}

async fn move_faults(context: &Context) -> Result<Vec<Finding>, CommandError> {
    let unfinished = context.stores.reviews.unfinished_moves().await?.moves;
    let finding = |id: &BusinessId| {
        let mend = format!("ops businesses move --finish={}", id.as_str());
        Finding::new(
            format!("business {}", id.as_str()),
            "has not finished its move to another city or organisation",
            mend,
        )
        .repairable()
    };
    Ok(unfinished.keys().map(finding).collect())
}

async fn mail_faults(context: &Context) -> Result<Vec<Finding>, CommandError> {
    let outbox = &context.stores.outbox;
    let mails = outbox.list().await?;
    let unreadable = outbox.list_unreadable().await?.len();
    let mut findings = Vec::new();
    let is_waiting = |mail: &&OutboxMessage| mail.state == MessageState::Pending;
    let oldest = mails.iter().filter(is_waiting).map(|mail| mail.overdue(context.clock.now())).max();
    if let Some(age) = oldest.filter(|age| *age > MAX_MAIL_AGE) {
        let problem = format!("one has been due for {} minutes: the mailer does not send it", age.as_mins());
        findings.push(Finding::new("mails", problem, "ops outbox list"));
    }
    let count = |state: MessageState| mails.iter().filter(|mail| mail.state == state).count();
    match (count(MessageState::Failed), count(MessageState::Held)) {
        (0, _) => {}
        (failed, 0) => {
            let finding = Finding::new("mails", format!("{failed} were given up"), "ops outbox retry --all");
            findings.push(finding.repairable());
        }
        // The command for all mails would send those that a restore held, too.
        (failed, held) => {
            let problem = format!("{failed} were given up, and {held} are held: retry or cancel each");
            findings.push(Finding::new("mails", problem, "ops outbox list"));
        }
    }
    if unreadable > 0 {
        let problem = format!("{unreadable} cannot be read: invite these users again");
        findings.push(Finding::new("mails", problem, "ops outbox list"));
    }
    Ok(findings)
}

async fn reply_fault(context: &Context) -> Result<Option<Finding>, CommandError> {
    let oldest = match context.stores.reviews.oldest_pending_reply().await {
        // The index is missing, which is a finding of its own.
        Err(Error::Internal(_)) => None,
        oldest => oldest?,
    };
    let age = oldest.map(|oldest| context.clock.now().duration_since(oldest)).filter(|age| *age > MAX_REPLY_AGE);
    let problem =
        |age: SignedDuration| format!("one has had no outcome for {} minutes: does the connector run?", age.as_mins());
    Ok(age.map(|age| Finding::new("replies", problem(age), "ops replies resend --all").repairable()))
}
