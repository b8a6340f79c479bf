//! Export of reviews: those of each organisation as they are at one position of its log.
//!
//! Windows of reviews are read one after the other, while writes go on. The log tells which reviews change meanwhile, and to which
//! version. They are read again until each has the version of the same position of the log: the cut. Writes behind the cut do not
//! matter, so an import of any speed does not keep the export from its end. When the log has forgotten changes, because they were
//! folded, the versions in the tree are compared with those that were read.

use std::collections::BTreeMap;

use presence_domain::ids::OrgId;
use presence_domain::review::ReviewId;
use presence_store::{ReviewVersion, keys};

use super::checkpoint::{Progress, ReviewsProgress};
use super::output::Output;
use super::section::Section;
use crate::Context;
use crate::error::CommandError;
use crate::rows::ReviewRow;

/// Maximum number of times that changed reviews are read again at the end. A round takes milliseconds, and needs another one only for
/// a review that changed within it.
const MAX_ROUNDS: u32 = 1_000;
/// Number of changed reviews from which they are read again at once. Fewer wait until all windows are read: they may change again.
const MANY_CHANGED: usize = 1_000;

pub(super) async fn export(only: Option<OrgId>, context: &Context, output: &mut Output) -> Result<(), CommandError> {
    let orgs = match only {
        Some(org_id) => vec![org_id],
        None => context.stores.reviews.orgs_with_reviews().await?,
    };
    let after = output.progress().after_org.clone();
    let is_left = |key: &String| after.as_ref().is_none_or(|after| key > after);
    for (org_id, key) in orgs.into_iter().map(|org_id| (org_id, keys::org_key(Some(org_id)))) {
        if is_left(&key) {
            OrgExport::open(org_id, context, output).await?.run(output).await?;
            output.save(Progress { after_org: Some(key), ..Progress::default() })?;
        }
    }
    Ok(())
}

/// Export of the reviews of an organisation.
struct OrgExport<'a> {
    org_id: OrgId,
    context: &'a Context,
    progress: ReviewsProgress,
    section: Section,
}

impl<'a> OrgExport<'a> {
    /// Begins, or goes on where an interrupted export was in this organisation.
    async fn open(org_id: OrgId, context: &'a Context, output: &Output) -> Result<Self, CommandError> {
        let stored = output.progress().reviews.clone().filter(|progress| progress.org == org_id.get());
        let progress = match stored {
            Some(progress) => progress,
            None => ReviewsProgress {
                org: org_id.get(),
                next: None,
                is_listed: false,
                mark: context.stores.reviews.mark_log(org_id).await?,
                changed: BTreeMap::new(),
                section_bytes: 0,
            },
        };
        let section = output.open_section(progress.section_bytes)?;
        Ok(Self { org_id, context, progress, section })
    }

    /// Reads all windows, then what changed since they began, and copies the rows to the output.
    async fn run(mut self, output: &mut Output) -> Result<(), CommandError> {
        while !self.progress.is_listed {
            self.read_window().await?;
            self.note_changes().await?;
            if self.progress.changed.len() >= MANY_CHANGED {
                self.read_changed().await?;
            }
            self.progress.section_bytes = self.section.sync()?;
            let after_org = output.progress().after_org.clone();
            output.save(Progress { after_org, reviews: Some(self.progress.clone()), list: None })?;
        }
        for _ in 0..MAX_ROUNDS {
            self.note_changes().await?;
            self.read_changed().await?;
            if self.progress.changed.is_empty() {
                return Ok(self.section.copy_to(output)?);
            }
        }
        let text = format!("reviews of organisation {} change faster than they can be read", self.org_id);
        Err(CommandError::from_text(text))
    }

    async fn read_window(&mut self) -> Result<(), CommandError> {
        let window = self.context.stores.reviews.list_window(self.org_id, self.progress.next).await?;
        for review in &window.reviews {
            self.section.add(review.id.as_str(), review.version, &ReviewRow::exported(review)?)?;
        }
        self.progress.next = window.next;
        self.progress.is_listed = window.next.is_none();
        Ok(())
    }

    /// Notes the versions of the reviews that changed since the mark. The mark is then the position of the cut.
    async fn note_changes(&mut self) -> Result<(), CommandError> {
        let reviews = &self.context.stores.reviews;
        let changes = match reviews.list_changes_since(self.org_id, &self.progress.mark).await? {
            Some((changes, mark)) => {
                self.progress.mark = mark;
                changes
            }
            None => self.compare_with_the_tree().await?,
        };
        let changes = changes.into_iter().map(|change| (change.id.as_str().to_owned(), change.version));
        self.progress.changed.extend(changes);
        Ok(())
    }

    /// Returns the reviews whose row has not the version of the tree, among those of the windows so far.
    async fn compare_with_the_tree(&mut self) -> Result<Vec<ReviewVersion>, CommandError> {
        let reviews = &self.context.stores.reviews;
        // What changes behind this mark is in the log, and may be in the tree as well.
        self.progress.mark = reviews.mark_log(self.org_id).await?;
        let read_to = if self.progress.is_listed { None } else { self.progress.next };
        let mut written = self.section.versions()?;
        let mut changed = Vec::new();
        for (present, is_read) in reviews.list_versions(self.org_id, read_to).await? {
            let version = written.remove(present.id.as_str());
            // A window will read the others.
            if version != present.version && (is_read || version.is_some()) {
                changed.push(present);
            }
        }
        let gone = written.into_keys().filter_map(|id| ReviewId::parse(&id));
        changed.extend(gone.map(|id| ReviewVersion { id, version: None }));
        // The tree knows better than the log did.
        self.progress.changed.clear();
        Ok(changed)
    }

    /// Reads the changed reviews again. Those that have the version of the cut are done; the others have changed behind it.
    async fn read_changed(&mut self) -> Result<(), CommandError> {
        let changed: Vec<_> = std::mem::take(&mut self.progress.changed).into_iter().collect();
        for chunk in changed.chunks(MANY_CHANGED) {
            let ids: Vec<ReviewId> = chunk.iter().filter_map(|(id, _)| ReviewId::parse(id)).collect();
            let found = self.context.stores.reviews.get_reviews_of(self.org_id, &ids).await?;
            let found: BTreeMap<&str, _> = found.iter().map(|review| (review.id.as_str(), review)).collect();
            for (id, version) in chunk {
                match found.get(id.as_str()) {
                    Some(review) if *version == Some(review.version) => {
                        self.section.replace(id, review.version, &ReviewRow::exported(review)?)?;
                    }
                    None if version.is_none() => self.section.remove(id)?,
                    _ => {
                        self.progress.changed.insert(id.clone(), *version);
                    }
                }
            }
        }
        Ok(())
    }
}
