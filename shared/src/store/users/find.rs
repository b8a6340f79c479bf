//! Searching users: over the directories in memory, checked against the rosters.

use std::collections::HashMap;
use std::sync::Arc;

use super::item::business_ids;
use crate::access::Scope;
use crate::domain::directory::{Directory, ListedUser, UserFilter};
use crate::domain::ids::{OrgId, UserId};
use crate::domain::page::{Page, PageRequest};
use crate::domain::roster::Roster;
use crate::error::Error;
use crate::store::keys::{USER_SK, user_pk};
use crate::store::read::pk_sk;
use crate::store::{Store, schema};

type Rosters = Vec<(Option<OrgId>, Roster)>;
type Directories = HashMap<Option<OrgId>, Arc<Directory>>;

impl Store {
    /// Counts of the users in the scope, read strongly: one read, at one unit for a single organisation.
    pub async fn count_users(&self, scope: Scope) -> Result<Roster, Error> {
        Ok(self.rosters_in(scope, None).await?.into_iter().map(|(_, roster)| roster).sum())
    }

    /// One page of the users in the scope (of one organisation, where one is named) that the filter admits.
    /// Organisations come by number, users without one first; within each the best match comes first where
    /// words are searched for, then the order of names.
    pub async fn find_users(
        &self,
        scope: Scope,
        org_id: Option<OrgId>,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<Page<ListedUser>, Error> {
        let mut rosters = self.rosters_in(scope, org_id).await?;
        rosters.retain(|(_, roster)| roster.count() > 0);
        if !filter.is_by_status_only() {
            let directories = self.directories(rosters.clone()).await?;
            return Ok(page(&rosters, &directories, filter, request));
        }
        // Counts are known without the users: only the organisations on the page are read. One that was
        // written meanwhile comes back with a newer roster, which may move the page on to others.
        let mut directories = Directories::new();
        loop {
            for (org_id, roster) in &mut rosters {
                *roster = directories.get(org_id).map_or(*roster, |directory| directory.roster());
            }
            let needed = on_page(&rosters, filter, request, &directories);
            if needed.is_empty() {
                return Ok(page(&rosters, &directories, filter, request));
            }
            directories.extend(self.directories(needed).await?);
        }
    }

    /// The businesses of these users, read strongly; a user deleted meanwhile is missing.
    pub async fn business_ids_of(&self, ids: &[UserId]) -> Result<HashMap<UserId, Vec<String>>, Error> {
        let keys = ids.iter().map(|id| pk_sk(user_pk(*id), USER_SK)).collect();
        let items = self.get_batch(&schema::USERS, keys, &["id", "business_ids"]).await?;
        items.into_iter().map(business_ids).collect()
    }

    async fn rosters_in(&self, scope: Scope, org_id: Option<OrgId>) -> Result<Rosters, Error> {
        match org_id.or(scope.only_org()) {
            Some(org) if scope.covers(Some(org)) => Ok(vec![(Some(org), self.roster(Some(org)).await?)]),
            None if scope.covers(None) => self.rosters().await,
            _ => Ok(Vec::new()),
        }
    }
}

/// The organisations on the page whose directories are not there yet.
fn on_page(rosters: &Rosters, filter: &UserFilter, request: PageRequest, there: &Directories) -> Rosters {
    let count = |roster: &Roster| u64::try_from(roster.count_of(filter.status)).unwrap_or_default();
    let total = rosters.iter().map(|(_, roster)| count(roster)).sum();
    let range = request.range(total);
    let mut needed = Rosters::new();
    let mut start = 0;
    for (org_id, roster) in rosters {
        let end = start + count(roster);
        if start < range.end && range.start < end && !there.contains_key(org_id) {
            needed.push((*org_id, *roster));
        }
        start = end;
    }
    needed
}

/// Cuts the page out of the directories; a directory that is not there lies off the page, and only counts.
fn page(rosters: &Rosters, directories: &Directories, filter: &UserFilter, request: PageRequest) -> Page<ListedUser> {
    let found: Vec<_> = rosters
        .iter()
        .map(|(org_id, roster)| match directories.get(org_id) {
            Some(directory) => {
                let positions = directory.search(filter);
                (positions.len() as u64, Some((directory, positions)))
            }
            None => (u64::try_from(roster.count_of(filter.status)).unwrap_or_default(), None),
        })
        .collect();
    let count = found.iter().map(|(count, _)| count).sum();
    let range = request.range(count);
    let mut items = Vec::new();
    let mut start = 0;
    for (count, users) in found {
        if let Some((directory, positions)) = users {
            let (from, to) = (range.start.clamp(start, start + count), range.end.clamp(start, start + count));
            let cut = positions.into_iter().zip(start..).filter(|(_, place)| (from..to).contains(place));
            items.extend(cut.map(|(position, _)| directory.user(position).clone()));
        }
        start += count;
    }
    Page { request, count, items }
}
