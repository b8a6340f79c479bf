//! Search of users: over the directories in memory, verified by their heads.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use futures::stream::{FuturesOrdered, StreamExt as _};
use struct_field_names_as_array::FieldNamesAsArray as _;

use super::item::{BusinessIdsItem, business_ids};
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

/// Businesses that users may write, by user.
pub type BusinessIds = HashMap<UserId, Vec<String>>;

/// Attempts to find a page again after one of its users was deleted before its businesses were read.
const ATTEMPTS: u32 = 3;
/// Largest number of directories loaded at a time.
const MAX_LOADS: usize = 8;
/// Estimated memory of a user in a directory with its word index, in bytes.
const USER_BYTES: usize = 250;

impl UserStore {
    /// Counts the users in the scope by a strong read, at one unit for a single organisation.
    pub async fn count(&self, scope: Scope) -> Result<Roster, Error> {
        Ok(self.rosters_in(scope, None).await?.into_iter().map(|(_, roster)| roster).sum())
    }

    /// Returns one page of the users that the filter matches, in the scope and in the organisation if one is named.
    ///
    /// Organisations come by number, users without one first. Within an organisation the best match of a word search comes first,
    /// then the order of names.
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

    /// Searches as [`UserStore::search`] does, and reads the businesses of the users on the page strongly.
    ///
    /// A warm function guesses the page from the directories in memory, and reads the businesses of that page while it reads the
    /// heads. If the heads have not changed, the guess is right, and one round trip is enough.
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
        let rosters = Box::pin(self.rosters_in(scope, org_id));
        let business_ids = Box::pin(self.business_ids_of(ids(&last_page).collect()));
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

    /// Returns a store with another memory limit for directories, in bytes, and none in memory yet.
    #[must_use]
    pub fn with_directory_bytes(self, max_bytes: usize) -> Self {
        Self { directories: Arc::new(Directories::within(max_bytes)), ..self }
    }

    /// Returns the peak memory of directories in bytes: of those kept and of those in use by requests.
    #[must_use]
    pub fn most_directory_bytes(&self) -> usize {
        self.directories.most_bytes()
    }

    /// Returns the page found in the directories in memory, and the heads that this page is valid for.
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
        let mut builder = PageBuilder::new(filter, request);
        let mut rosters = Rosters::new();
        for (org_id, directory) in directories {
            let roster = directory.roster();
            if roster.count() > 0 {
                builder.add(&directory);
                rosters.push((org_id, roster));
            }
        }
        (rosters, builder.page())
    }

    /// Finds a page by walking over the organisations in order. Loads the needed directories ahead, and releases each after its
    /// search, since all of them may be larger than the memory limit.
    async fn page_by(
        &self,
        rosters: Rosters,
        began: Began,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<Page<ListedUser>, Error> {
        let mut builder = PageBuilder::new(filter, request);
        let expected = needed(&rosters, filter, request);
        let all = rosters.iter().zip(&expected);
        let mut waiting: VecDeque<_> = all.filter(|(_, needed)| **needed).map(|(head, _)| *head).collect();
        let mut loads = FuturesOrdered::new();
        let mut bytes = 0;
        for ((org_id, roster), needed) in rosters.iter().zip(&expected) {
            while let Some((next_id, next)) = waiting.front().copied() {
                let fits = loads.len() < MAX_LOADS && bytes + expected_bytes(&next) <= self.directories.loading_bytes();
                if !loads.is_empty() && !fits {
                    break;
                }
                waiting.pop_front();
                loads.push_back(Box::pin(self.directory(next_id, next, began)));
                bytes += expected_bytes(&next);
            }
            let directory = if *needed {
                bytes -= expected_bytes(roster);
                loads.next().await.ok_or_else(|| Error::internal("a directory was not asked for"))??
            } else if builder.is_on_page(roster) {
                // Writes in earlier organisations have moved the page into this one.
                self.directory(*org_id, *roster, began).await?
            } else {
                builder.count(roster);
                continue;
            };
            builder.add(&directory);
            self.directories.measure(*org_id, &directory, began);
        }
        Ok(builder.page())
    }

    /// Reads the businesses of users strongly. A user deleted meanwhile is missing. The ids are a set, since a user who moved may
    /// be in two directories while one of them is older.
    async fn business_ids_of(&self, ids: HashSet<UserId>) -> Result<BusinessIds, Error> {
        let keys = ids.into_iter().map(|id| pk_sk(user_pk(id), USER_SK)).collect();
        let items = self.db.get_batch(&schema::USERS, keys, &BusinessIdsItem::FIELD_NAMES_AS_ARRAY).await?;
        items.into_iter().map(business_ids).collect()
    }

    /// Reads the heads of the organisations in the scope that have users, or of the named one.
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

/// Returns the ids of the users on a page.
fn ids(page: &Page<ListedUser>) -> impl Iterator<Item = UserId> {
    page.items.iter().map(|user| user.id)
}

/// Estimates the memory of a directory with its word index, in bytes.
fn expected_bytes(roster: &Roster) -> usize {
    usize::try_from(roster.count()).unwrap_or_default().saturating_mul(USER_BYTES)
}

/// Tells for each organisation if its directory is needed. If the filter is by status only, the heads count those off the page.
fn needed(rosters: &Rosters, filter: &UserFilter, request: PageRequest) -> Vec<bool> {
    let mut builder = PageBuilder::new(filter, request);
    let is_needed = rosters.iter().map(|(_, roster)| {
        let is_needed = builder.is_on_page(roster);
        builder.count(roster);
        is_needed
    });
    is_needed.collect()
}

/// Page under construction. Organisations are added one by one, in order.
struct PageBuilder<'a> {
    filter: &'a UserFilter,
    request: PageRequest,
    /// Users found so far.
    count: u64,
    items: Vec<ListedUser>,
}

impl<'a> PageBuilder<'a> {
    fn new(filter: &'a UserFilter, request: PageRequest) -> Self {
        Self { filter, request, count: 0, items: Vec::new() }
    }

    /// True if the next organisation, with this head, may have users on the page.
    fn is_on_page(&self, roster: &Roster) -> bool {
        let page = self.request.range(u64::MAX);
        !self.filter.is_by_status_only()
            || (self.count < page.end && page.start < self.count.saturating_add(self.count_of(roster)))
    }

    /// Counts the users of the next organisation, which has none on the page.
    fn count(&mut self, roster: &Roster) {
        self.count += self.count_of(roster);
    }

    fn count_of(&self, roster: &Roster) -> u64 {
        u64::try_from(roster.count_of(self.filter.status)).unwrap_or_default()
    }

    /// Searches the directory of the next organisation.
    fn add(&mut self, directory: &Directory) {
        if !self.is_on_page(&directory.roster()) {
            return self.count(&directory.roster());
        }
        let page = self.request.range(u64::MAX);
        let matches = directory.search(self.filter);
        let on_page = (self.count..).zip(&matches).filter(|(number, _)| page.contains(number));
        self.items.extend(on_page.map(|(_, position)| directory.user(*position)));
        self.count += matches.len() as u64;
    }

    fn page(self) -> Page<ListedUser> {
        Page { request: self.request, count: self.count, items: self.items }
    }
}
