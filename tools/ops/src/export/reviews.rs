//! Export of reviews: those of each organisation as they are at one position of its log.

use std::collections::BTreeSet;

use presence_domain::ids::OrgId;
use presence_domain::review::ReviewId;
use presence_store::keys;

use super::checkpoint::{Progress, ReviewsProgress};
use super::output::Output;
use super::section::{Replacements, Section};
use crate::Context;
use crate::error::CommandError;
use crate::rows::ReviewRow;

/// Maximum number of times that the reviews of an organisation are begun anew, because the log had forgotten changes.
const MAX_ATTEMPTS: u32 = 5;
/// Maximum number of times that changed reviews are read again after all windows.
const MAX_ROUNDS: u32 = 100;
/// Maximum number of changed reviews: their rows are in memory. More come from an import only.
const MAX_CHANGED: usize = 50_000;

pub(super) async fn export(only: Option<OrgId>, context: &Context, output: &mut Output) -> Result<(), CommandError> {
    let orgs = match only {
        Some(org_id) => vec![org_id],
        None => context.stores.reviews.orgs_with_reviews().await?,
    };
    let after = output.progress().after_org.clone();
    let is_left = |key: &String| after.as_ref().is_none_or(|after| key > after);
    for (org_id, key) in orgs.into_iter().map(|org_id| (org_id, keys::org_key(Some(org_id)))) {
        if is_left(&key) {
            export_org(org_id, context, output).await?;
            output.save(Progress { after_org: Some(key), ..Progress::default() })?;
        }
    }
    Ok(())
}

/// Exports the reviews of an organisation, and goes on where an interrupted export was in it.
async fn export_org(org_id: OrgId, context: &Context, output: &mut Output) -> Result<(), CommandError> {
    let mut progress = output.progress().reviews.clone().filter(|progress| progress.org == org_id.get());
    for _ in 0..MAX_ATTEMPTS {
        let begun = match progress.take() {
            Some(progress) => progress,
            None => begin(org_id, context, output).await?,
        };
        if try_export(org_id, begun, context, output).await? {
            return Ok(());
        }
    }
    Err(changing(org_id))
}

/// Begins the export of an organisation. No checkpoint names the section of an earlier attempt any more.
async fn begin(org_id: OrgId, context: &Context, output: &mut Output) -> Result<ReviewsProgress, CommandError> {
    let after_org = output.progress().after_org.clone();
    output.save(Progress { after_org, ..Progress::default() })?;
    let mark = context.stores.reviews.mark_log(org_id).await?;
    let org = org_id.get();
    Ok(ReviewsProgress { org, next: None, is_listed: false, mark, changed: BTreeSet::new(), section_bytes: 0 })
}

/// Reads all windows, then what changed since they began. False if the log has forgotten changes.
async fn try_export(
    org_id: OrgId,
    mut progress: ReviewsProgress,
    context: &Context,
    output: &mut Output,
) -> Result<bool, CommandError> {
    let reviews = &context.stores.reviews;
    let mut section = output.open_section(progress.section_bytes)?;
    while !progress.is_listed {
        let window = reviews.list_window(org_id, progress.next).await?;
        for review in &window.reviews {
            section.add(review.id.as_str(), &ReviewRow::from(review))?;
        }
        progress.next = window.next;
        progress.is_listed = window.next.is_none();
        progress.section_bytes = section.sync()?;
        if note_changes(org_id, &mut progress, context).await?.is_none() {
            return Ok(false);
        }
        let after_org = output.progress().after_org.clone();
        output.save(Progress { after_org, reviews: Some(progress.clone()), list: None })?;
    }
    finish(org_id, progress, section, context, output).await
}

/// Notes the reviews that changed since the mark. Returns true if there were any; `None` if the log has forgotten changes.
async fn note_changes(
    org_id: OrgId,
    progress: &mut ReviewsProgress,
    context: &Context,
) -> Result<Option<bool>, CommandError> {
    let changes = context.stores.reviews.list_changes_since(org_id, &progress.mark).await?;
    let Some((ids, mark)) = changes else { return Ok(None) };
    progress.changed.extend(ids.iter().map(|id| id.as_str().to_owned()));
    if progress.changed.len() > MAX_CHANGED {
        return Err(changing(org_id));
    }
    let has_changed = progress.mark != mark;
    progress.mark = mark;
    Ok(Some(has_changed))
}

/// Reads the changed reviews again until none changes meanwhile: all rows are then those of this position of the log.
async fn finish(
    org_id: OrgId,
    mut progress: ReviewsProgress,
    section: Section,
    context: &Context,
    output: &mut Output,
) -> Result<bool, CommandError> {
    for _ in 0..MAX_ROUNDS {
        let replacements = read_changed(org_id, &progress.changed, context).await?;
        match note_changes(org_id, &mut progress, context).await? {
            None => return Ok(false),
            Some(true) => {}
            Some(false) => {
                section.copy_to(output, replacements)?;
                return Ok(true);
            }
        }
    }
    Err(changing(org_id))
}

async fn read_changed(
    org_id: OrgId,
    changed: &BTreeSet<String>,
    context: &Context,
) -> Result<Replacements, CommandError> {
    let mut replacements: Replacements = changed.iter().map(|id| (id.clone(), None)).collect();
    let ids: Vec<ReviewId> = changed.iter().filter_map(|id| ReviewId::parse(id)).collect();
    for review in &context.stores.reviews.get_reviews_of(org_id, &ids).await? {
        let row = serde_json::to_string(&ReviewRow::from(review)).map_err(anyhow::Error::from)?;
        replacements.insert(review.id.as_str().to_owned(), Some(row));
    }
    Ok(replacements)
}

fn changing(org_id: OrgId) -> CommandError {
    let text = format!("reviews of organisation {org_id} change faster than they can be read: is an import under way?");
    CommandError::from_text(text)
}
