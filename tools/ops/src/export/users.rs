//! Export of users: those of each organisation as they are at one instant.

use std::collections::{HashMap, HashSet};

use presence_domain::ids::{OrgId, UserId};
use presence_domain::user_directory::UserFilter;
use presence_store::{UserDetails, keys};

use super::checkpoint::Progress;
use super::output::Output;
use crate::Context;
use crate::error::CommandError;
use crate::users::UserBody;

/// Number of users whose details are in memory at a time.
const CHUNK: usize = 100;
/// Maximum number of times that changed users are read again. A round takes milliseconds, and only the users of one organisation
/// count.
const MAX_ROUNDS: u32 = 100;

pub(super) async fn export(only: Option<OrgId>, context: &Context, output: &mut Output) -> Result<(), CommandError> {
    let orgs = match only {
        Some(org_id) => vec![Some(org_id)],
        None => context.stores.users.list_orgs_with_users().await?,
    };
    // The keys of organisations sort as the organisations do: `-` for none comes first.
    let after = output.progress().after_org.clone();
    let is_left = |key: &String| after.as_ref().is_none_or(|after| key > after);
    for (org_id, key) in orgs.into_iter().map(|org_id| (org_id, keys::org_key(org_id))) {
        if is_left(&key) {
            export_org(org_id, context, output).await?;
            output.save(Progress { after_org: Some(key), ..Progress::default() })?;
        }
    }
    Ok(())
}

/// Exports the users of an organisation. What changes meanwhile is read again, until the directory shows no change.
async fn export_org(org_id: Option<OrgId>, context: &Context, output: &mut Output) -> Result<(), CommandError> {
    let mut section = output.open_section(0)?;
    let mut written = HashMap::new();
    for round in 0..MAX_ROUNDS {
        let present = versions(org_id, context).await?;
        let changed: Vec<UserId> = changed(&written, &present);
        let gone: Vec<UserId> = written.keys().filter(|id| !present.contains_key(id)).copied().collect();
        if changed.is_empty() && gone.is_empty() {
            return Ok(section.copy_to(output)?);
        }
        for id in gone {
            written.remove(&id);
            section.remove(&id.to_string())?;
        }
        for ids in changed.chunks(CHUNK) {
            let found = context.stores.users.get_details(ids).await?;
            for details in &found {
                let (id, body) = (details.user.id, UserBody::new(details, context.clock.now()));
                written.insert(id, details.user.version);
                if round == 0 {
                    section.add(&id.to_string(), details.user.version, &body)?;
                } else {
                    section.replace(&id.to_string(), details.user.version, &body)?;
                }
            }
            note_missing(ids, &found, &mut written);
        }
    }
    let text = "users of an organisation kept changing while they were read: run it again";
    Err(CommandError::from_text(text))
}

/// Forgets users that were deleted between the look at the directory and the read.
fn note_missing(ids: &[UserId], found: &[UserDetails], written: &mut HashMap<UserId, u64>) {
    let found: HashSet<UserId> = found.iter().map(|details| details.user.id).collect();
    for id in ids.iter().filter(|id| !found.contains(id)) {
        // The next look at the directory does not show it any more. Until then it counts as written, to be removed then.
        written.insert(*id, 0);
    }
}

/// Returns the versions of the users of an organisation at one instant.
async fn versions(org_id: Option<OrgId>, context: &Context) -> Result<HashMap<UserId, u64>, CommandError> {
    let members = context.stores.users.list_members(org_id, &UserFilter::default()).await?;
    Ok(members.into_iter().map(|user| (user.id, user.version)).collect())
}

/// Returns the users whose present version is not written, in a fixed order.
fn changed(written: &HashMap<UserId, u64>, present: &HashMap<UserId, u64>) -> Vec<UserId> {
    let is_changed = |(id, version): &(&UserId, &u64)| written.get(id) != Some(version);
    let mut ids: Vec<UserId> = present.iter().filter(is_changed).map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids
}
