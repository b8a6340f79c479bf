//! Searching users: over the directories in memory, checked against the rosters.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::item::business_ids;
use crate::access::Scope;
use crate::domain::directory::{Directory, ListedUser, UserFilter};
use crate::domain::ids::{OrgId, UserId};
use crate::domain::page::{Page, PageRequest};
use crate::domain::roster::Roster;
use crate::error::Error;
use crate::store::keys::{USER_SK, user_pk};
use crate::store::meter::beside;
use crate::store::read::pk_sk;
use crate::store::{Store, schema};

type Rosters = Vec<(Option<OrgId>, Roster)>;
type Directories = BTreeMap<Option<OrgId>, Arc<Directory>>;

/// The businesses that users may write, by user.
pub type BusinessIds = HashMap<UserId, Vec<String>>;

/// How often a page is found anew because one of its users was deleted before its businesses were read.
const ATTEMPTS: u32 = 3;

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
        if let Some(email_key) = &filter.email_key {
            return Ok(self.find_by_email(scope, org_id, filter, request, email_key).await?.0);
        }
        let rosters = self.rosters_in(scope, org_id).await?;
        self.page_by(rosters, filter, request).await
    }

    /// As [`Store::find_users`], with the businesses of those on the page, read strongly. Who was on the page when its
    /// directories were last read is known without a read, so that for a warm function all of it is one wave.
    pub async fn find_users_and_businesses(
        &self,
        scope: Scope,
        org_id: Option<OrgId>,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<(Page<ListedUser>, BusinessIds), Error> {
        if let Some(email_key) = &filter.email_key {
            return self.find_by_email(scope, org_id, filter, request, email_key).await;
        }
        let (last_rosters, last_page) = self.last_found(scope, org_id, filter, request);
        let rosters = beside(Box::pin(self.rosters_in(scope, org_id)));
        let business_ids = beside(Box::pin(self.business_ids_of(ids(&last_page).collect())));
        let (rosters, mut business_ids) = futures::try_join!(rosters, business_ids)?;
        let mut page = if rosters == last_rosters { last_page } else { self.page_by(rosters, filter, request).await? };
        for attempt in 1..=ATTEMPTS {
            let unread = ids(&page).filter(|id| !business_ids.contains_key(id)).collect();
            business_ids.extend(self.business_ids_of(unread).await?);
            if attempt == ATTEMPTS || ids(&page).all(|id| business_ids.contains_key(&id)) {
                break;
            }
            page = self.find_users(scope, org_id, filter, request).await?;
        }
        Ok((page, business_ids))
    }

    /// What a search finds in the directories as they are in memory, and the rosters by which that is so.
    fn last_found(
        &self,
        scope: Scope,
        org_id: Option<OrgId>,
        filter: &UserFilter,
        request: PageRequest,
    ) -> (Rosters, Page<ListedUser>) {
        let directories = match org_id.or(scope.only_org()) {
            Some(org) if scope.covers(Some(org)) => self.directories.of(|of| of == Some(org)),
            None if scope.covers(None) => self.directories.of(|_| true),
            _ => Directories::new(),
        };
        let rosters = directories.iter().map(|(org_id, directory)| (*org_id, directory.roster())).collect();
        let page = page(&rosters, &directories, filter, request);
        (rosters, page)
    }

    async fn page_by(
        &self,
        mut rosters: Rosters,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<Page<ListedUser>, Error> {
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

    /// The businesses of these users, each asked for once (somebody who moved is in two directories while one of them is
    /// older), read strongly; a user deleted meanwhile is missing.
    async fn business_ids_of(&self, ids: HashSet<UserId>) -> Result<BusinessIds, Error> {
        let keys = ids.into_iter().map(|id| pk_sk(user_pk(id), USER_SK)).collect();
        let items = self.get_batch(&schema::USERS, keys, &["id", "business_ids"]).await?;
        items.into_iter().map(business_ids).collect()
    }

    /// The rosters with anybody in them, of the scope and the organisation that is named.
    async fn rosters_in(&self, scope: Scope, org_id: Option<OrgId>) -> Result<Rosters, Error> {
        let mut rosters = match org_id.or(scope.only_org()) {
            Some(org) if scope.covers(Some(org)) => vec![(Some(org), self.roster(Some(org)).await?)],
            None if scope.covers(None) => self.rosters().await?,
            _ => Vec::new(),
        };
        rosters.retain(|(_, roster)| roster.count() > 0);
        Ok(rosters)
    }
}

/// The users on a page.
fn ids(page: &Page<ListedUser>) -> impl Iterator<Item = UserId> {
    page.items.iter().map(|user| user.id)
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
