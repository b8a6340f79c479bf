//! Searching users: over the directories in memory, checked against the rosters.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use futures::stream::{FuturesOrdered, StreamExt as _};

use struct_field_names_as_array::FieldNamesAsArray as _;

use super::item::{BusinessIdsItem, business_ids};
use crate::client::meter::{after, beside};
use crate::client::read::pk_sk;
use crate::directories::{Began, Directories};
use crate::keys::{USER_SK, user_pk};
use crate::{UserStore, schema};
use presence_domain::access::Scope;
use presence_domain::directory::{Directory, ListedUser, UserFilter};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::page::{Page, PageRequest};
use presence_domain::roster::Roster;

type Rosters = Vec<(Option<OrgId>, Roster)>;

/// The businesses that users may write, by user.
pub type BusinessIds = HashMap<UserId, Vec<String>>;

/// How often a page is found anew because one of its users was deleted before its businesses were read.
const ATTEMPTS: u32 = 3;
/// Directories loaded ahead.
const MAX_LOADS: usize = WAVE as usize;
/// The same: they make one wave.
const WAVE: u32 = 8;
/// Memory that a user takes in a directory with its index of words, about, in bytes.
const USER_BYTES: usize = 250;

impl UserStore {
    /// Counts of the users in the scope, read strongly: one read, at one unit for a single organisation.
    pub async fn count(&self, scope: Scope) -> Result<Roster, Error> {
        Ok(self.rosters_in(scope, None).await?.into_iter().map(|(_, roster)| roster).sum())
    }

    /// Returns one page of the users in the scope (of one organisation, where one is named) that the filter admits.
    /// Organisations come by number, users without one first; within each the best match comes first where
    /// words are searched for, then the order of names.
    pub async fn search(
        &self,
        scope: Scope,
        org_id: Option<OrgId>,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<Page<ListedUser>, Error> {
        if let Some(email_key) = &filter.email_key {
            return Ok(self.find_by_email(scope, org_id, filter, request, email_key).await?.0);
        }
        let began = self.directories.begin();
        let rosters = self.rosters_in(scope, org_id).await?;
        self.page_by(rosters, began, filter, request).await
    }

    /// As [`UserStore::search`], with the businesses of those on the page, read strongly. Who was on the page when its
    /// directories were last read is known without a read, so that for a warm function all of it is one wave.
    pub async fn search_with_businesses(
        &self,
        scope: Scope,
        org_id: Option<OrgId>,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<(Page<ListedUser>, BusinessIds), Error> {
        if let Some(email_key) = &filter.email_key {
            return self.find_by_email(scope, org_id, filter, request, email_key).await;
        }
        let began = self.directories.begin();
        let (last_rosters, last_page) = self.last_found(scope, org_id, filter, request);
        let rosters = beside(Box::pin(self.rosters_in(scope, org_id)));
        let business_ids = beside(Box::pin(self.business_ids_of(ids(&last_page).collect())));
        let (rosters, mut business_ids) = futures::try_join!(rosters, business_ids)?;
        let mut page =
            if rosters == last_rosters { last_page } else { self.page_by(rosters, began, filter, request).await? };
        for attempt in 1..=ATTEMPTS {
            let unread = ids(&page).filter(|id| !business_ids.contains_key(id)).collect();
            business_ids.extend(self.business_ids_of(unread).await?);
            if attempt == ATTEMPTS || ids(&page).all(|id| business_ids.contains_key(&id)) {
                break;
            }
            page = self.search(scope, org_id, filter, request).await?;
        }
        Ok((page, business_ids))
    }

    /// Returns the same tables, with so many bytes for directories at the most, and none in memory yet.
    #[must_use]
    pub fn with_directory_bytes(self, max_bytes: usize) -> Self {
        Self { directories: Arc::new(Directories::within(max_bytes)), ..self }
    }

    /// Returns the most bytes that directories have taken at a time: those kept, and those that requests held.
    #[must_use]
    pub fn most_directory_bytes(&self) -> usize {
        self.directories.most_bytes()
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
            _ => BTreeMap::new(),
        };
        let mut cut = Cut::new(filter, request);
        let mut rosters = Rosters::new();
        for (org_id, directory) in directories {
            let roster = directory.roster();
            if roster.count() > 0 {
                cut.add(&directory);
                rosters.push((org_id, roster));
            }
        }
        (rosters, cut.page())
    }

    /// Walks over the organisations in order, loads ahead those whose users are needed, and holds none for longer than it takes
    /// to search it: all of them may be larger than the memory for directories.
    async fn page_by(
        &self,
        rosters: Rosters,
        began: Began,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<Page<ListedUser>, Error> {
        let mut cut = Cut::new(filter, request);
        let expected = needed(&rosters, filter, request);
        let all = rosters.iter().zip(&expected);
        let mut waiting: VecDeque<_> = all.filter(|(_, needed)| **needed).map(|(head, _)| *head).collect();
        let mut loads = FuturesOrdered::new();
        let (mut bytes, mut started) = (0, 0);
        for ((org_id, roster), needed) in rosters.iter().zip(&expected) {
            while let Some((next_id, next)) = waiting.front().copied() {
                let fits = loads.len() < MAX_LOADS && bytes + expected_bytes(&next) <= self.directories.loading_bytes();
                if !loads.is_empty() && !fits {
                    break;
                }
                waiting.pop_front();
                loads.push_back(after(started / WAVE, Box::pin(self.directory(next_id, next, began))));
                (bytes, started) = (bytes + expected_bytes(&next), started + 1);
            }
            let directory = if *needed {
                bytes -= expected_bytes(roster);
                loads.next().await.ok_or_else(|| Error::internal("a directory was not asked for"))??
            } else if cut.is_on_page(roster) {
                // Writes in organisations before this one have moved the page.
                self.directory(*org_id, *roster, began).await?
            } else {
                cut.count(roster);
                continue;
            };
            cut.add(&directory);
            self.directories.measure(*org_id, &directory, began);
        }
        Ok(cut.page())
    }

    /// The businesses of these users, each asked for once (somebody who moved is in two directories while one of them is
    /// older), read strongly; a user deleted meanwhile is missing.
    async fn business_ids_of(&self, ids: HashSet<UserId>) -> Result<BusinessIds, Error> {
        let keys = ids.into_iter().map(|id| pk_sk(user_pk(id), USER_SK)).collect();
        let items = self.db.get_batch(&schema::USERS, keys, &BusinessIdsItem::FIELD_NAMES_AS_ARRAY).await?;
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

/// Memory that the users of a roster will take, about: their index of words included.
fn expected_bytes(roster: &Roster) -> usize {
    usize::try_from(roster.count()).unwrap_or_default().saturating_mul(USER_BYTES)
}

/// The organisations whose users must be looked at, as far as their rosters tell: all, unless counts are enough for those off
/// the page.
fn needed(rosters: &Rosters, filter: &UserFilter, request: PageRequest) -> Vec<bool> {
    let mut cut = Cut::new(filter, request);
    let is_needed = rosters.iter().map(|(_, roster)| {
        let is_needed = cut.is_on_page(roster);
        cut.count(roster);
        is_needed
    });
    is_needed.collect()
}

/// A page in the making: it is cut out of the organisations one by one, in order.
struct Cut<'a> {
    filter: &'a UserFilter,
    request: PageRequest,
    /// Users found so far.
    count: u64,
    items: Vec<ListedUser>,
}

impl<'a> Cut<'a> {
    fn new(filter: &'a UserFilter, request: PageRequest) -> Self {
        Self { filter, request, count: 0, items: Vec::new() }
    }

    /// True if an organisation with this roster, the next one, has users that must be looked at.
    fn is_on_page(&self, roster: &Roster) -> bool {
        let page = self.request.range(u64::MAX);
        !self.filter.is_by_status_only()
            || (self.count < page.end && page.start < self.count.saturating_add(self.count_of(roster)))
    }

    /// Counts the users of the next organisation, which is off the page.
    fn count(&mut self, roster: &Roster) {
        self.count += self.count_of(roster);
    }

    fn count_of(&self, roster: &Roster) -> u64 {
        u64::try_from(roster.count_of(self.filter.status)).unwrap_or_default()
    }

    /// Searches the next organisation.
    fn add(&mut self, directory: &Directory) {
        if !self.is_on_page(&directory.roster()) {
            return self.count(&directory.roster());
        }
        let page = self.request.range(u64::MAX);
        let places = directory.search(self.filter);
        let on_page = (self.count..).zip(&places).filter(|(number, _)| page.contains(number));
        self.items.extend(on_page.map(|(_, place)| directory.user(*place)));
        self.count += places.len() as u64;
    }

    fn page(self) -> Page<ListedUser> {
        Page { request: self.request, count: self.count, items: self.items }
    }
}
