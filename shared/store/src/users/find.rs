//! Searches of users, over directories in memory that are checked against the stored heads.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use futures::stream::{FuturesOrdered, StreamExt as _};

use super::item::{BusinessIdsItem, business_ids};
use crate::client::read::pk_sk;
use crate::keys::{USER_SK, user_pk};
use crate::users::directory::{DirectoryCache, RequestStart};
use crate::{UserStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::page::{Page, PageRequest};
use presence_domain::user_directory::DirectoryHead;
use presence_domain::user_directory::{ListedUser, UserDirectory, UserFilter};

type Heads = Vec<(Option<OrgId>, DirectoryHead)>;

/// Ids of the businesses of users, by user.
pub type BusinessIds = HashMap<UserId, Vec<String>>;
/// The same, each with the version of the user.
type VersionedBusinessIds = HashMap<UserId, (u64, Vec<String>)>;

/// Maximum number of attempts to find a page. A page is found again if one of its users changed before its businesses were read.
const MAX_ATTEMPTS: u32 = 10;
/// Maximum number of directories that load at the same time.
const MAX_LOADS: usize = 8;
/// Approximate memory of a user in a directory with its index of words, in bytes.
const USER_BYTES: usize = 250;

impl UserStore {
    /// Counts the users in the scope by heads that are read strongly. It costs one unit for a single organisation.
    pub async fn count(&self, scope: Scope) -> Result<DirectoryHead, Error> {
        Ok(self.heads_in(scope, None).await?.into_iter().map(|(_, head)| head).sum())
    }

    /// Returns one page of the users that the filter admits, in the scope and, if `org_id` is given, in that organisation.
    ///
    /// Organisations are ordered by number, with the users of no organisation first. In an organisation the best match comes first if
    /// words are searched for, and then users are ordered by name.
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
        let started = self.directory_cache.start_request();
        let heads = self.heads_in(scope, org_id).await?;
        self.search_directories(heads, started, filter, request).await
    }

    /// Searches like [`UserStore::search`], and reads the businesses of the users on the page strongly. They are of the version of the user that
    /// the page shows.
    ///
    /// The cached directories tell which users are on the page. Their businesses are read while the heads are read, which usually
    /// confirm the page: then one round trip is enough. Otherwise the page is found again, and the missing businesses are read.
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
        let started = self.directory_cache.start_request();
        let (cached_heads, cached_page) = self.search_cached(scope, org_id, &filter.started_again(), request)?;
        let heads = Box::pin(self.heads_in(scope, org_id));
        let on_page = cached_page.items.iter().map(|user| user.id).collect();
        let (heads, mut read) = futures::try_join!(heads, Box::pin(self.get_business_ids(on_page)))?;
        let mut page = if heads == cached_heads {
            cached_page
        } else {
            self.search_directories(heads, started, filter, request).await?
        };
        for _ in 0..MAX_ATTEMPTS {
            read.extend(self.get_business_ids(of_other_versions(&page, &read)).await?);
            if of_other_versions(&page, &read).is_empty() {
                return Ok((page, read.into_iter().map(|(id, (_, business_ids))| (id, business_ids)).collect()));
            }
            page = self.search(scope, org_id, &filter.started_again(), request).await?;
        }
        Err(Error::Unavailable("users on the page kept changing while their businesses were read".into()))
    }

    /// Returns a store of the same tables with an empty cache of directories for this many bytes.
    #[must_use]
    pub fn with_directory_bytes(self, max_bytes: usize) -> Self {
        Self { directory_cache: Arc::new(DirectoryCache::with_max_bytes(max_bytes)), ..self }
    }

    /// Returns the largest memory that directories have taken at a time, in bytes: in the cache and in requests.
    pub fn most_directory_bytes(&self) -> usize {
        self.directory_cache.peak_bytes()
    }

    /// Searches the cached directories without a read. Returns their heads too: the page is right if the stored heads are the same.
    fn search_cached(
        &self,
        scope: Scope,
        org_id: Option<OrgId>,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<(Heads, Page<ListedUser>), Error> {
        let directories = match org_id.or(scope.only_org()) {
            Some(org) if scope.covers(Some(org)) => self.directory_cache.get_all_last(|cached| cached == Some(org)),
            None if scope.covers(None) => self.directory_cache.get_all_last(|_| true),
            _ => BTreeMap::new(),
        };
        let mut page = PageCollector::new(filter, request);
        let mut heads = Heads::new();
        for (org_id, directory) in directories {
            let head = directory.head();
            if head.count() > 0 {
                page.add(&directory)?;
                heads.push((org_id, head));
            }
        }
        Ok((heads, page.finish()))
    }

    /// Searches the directories of these organisations in order. Directories that are needed load ahead, within the bounds on their
    /// number and their memory. Each is released as soon as it is searched, because all of them may not fit in memory.
    async fn search_directories(
        &self,
        heads: Heads,
        started: RequestStart,
        filter: &UserFilter,
        request: PageRequest,
    ) -> Result<Page<ListedUser>, Error> {
        let mut page = PageCollector::new(filter, request);
        let is_needed = plan_loads(&heads, filter, request);
        let mut waiting: VecDeque<_> =
            heads.iter().zip(&is_needed).filter(|(_, is_needed)| **is_needed).map(|(head, _)| *head).collect();
        let mut loads = FuturesOrdered::new();
        let mut loading_bytes = 0;
        for ((org_id, head), is_needed) in heads.iter().zip(&is_needed) {
            while let Some((next_id, next)) = waiting.front().copied() {
                let fits = loads.len() < MAX_LOADS
                    && loading_bytes + expected_bytes(&next) <= self.directory_cache.max_loading_bytes();
                // One directory loads in any case, however large it is.
                if !loads.is_empty() && !fits {
                    break;
                }
                waiting.pop_front();
                loads.push_back(Box::pin(self.get_directory(next_id, next, started)));
                loading_bytes += expected_bytes(&next);
            }
            let directory = if *is_needed {
                loading_bytes -= expected_bytes(head);
                loads.next().await.ok_or_else(|| Error::internal("a needed directory was not loaded"))??
            } else if page.reaches(head) {
                // Writes in earlier organisations have moved the page since the loads were planned.
                self.get_directory(*org_id, *head, started).await?
            } else {
                page.count(head);
                continue;
            };
            page.add(&directory)?;
            self.directory_cache.measure(*org_id, &directory, started);
        }
        Ok(page.finish())
    }

    /// Reads the businesses of users, strongly. A user that was deleted meanwhile is missing.
    ///
    /// The ids are a set: a user that moved is in two directories while one of them is older, and is read once.
    async fn get_business_ids(&self, ids: HashSet<UserId>) -> Result<VersionedBusinessIds, Error> {
        let keys = ids.into_iter().map(|id| pk_sk(user_pk(id), USER_SK)).collect();
        let items = self.db.get_batch(&schema::USERS, keys, BusinessIdsItem::ATTRIBUTES).await?;
        items.into_iter().map(business_ids).collect()
    }

    /// Reads the heads of the organisations that have users, in the scope and, if `org_id` is given, of that organisation.
    async fn heads_in(&self, scope: Scope, org_id: Option<OrgId>) -> Result<Heads, Error> {
        let mut heads = match org_id.or(scope.only_org()) {
            Some(org) if scope.covers(Some(org)) => vec![(Some(org), self.get_head(Some(org)).await?)],
            None if scope.covers(None) => self.list_heads().await?,
            _ => Vec::new(),
        };
        heads.retain(|(_, head)| head.count() > 0);
        Ok(heads)
    }
}

/// Returns the users on a page whose businesses are not read, or are of another version.
fn of_other_versions(page: &Page<ListedUser>, read: &VersionedBusinessIds) -> HashSet<UserId> {
    let is_read = |user: &&ListedUser| read.get(&user.id).is_some_and(|(version, _)| *version == user.version);
    page.items.iter().filter(|user| !is_read(user)).map(|user| user.id).collect()
}

/// Returns the approximate memory of a directory with its index of words, in bytes.
fn expected_bytes(head: &DirectoryHead) -> usize {
    usize::try_from(head.count()).unwrap_or_default().saturating_mul(USER_BYTES)
}

/// Returns for each organisation if its directory is needed, as far as the heads tell. It is not if its users are off the page and
/// the head has their number.
fn plan_loads(heads: &Heads, filter: &UserFilter, request: PageRequest) -> Vec<bool> {
    let mut page = PageCollector::new(filter, request);
    let is_needed = heads.iter().map(|(_, head)| {
        let is_needed = page.reaches(head);
        page.count(head);
        is_needed
    });
    is_needed.collect()
}

/// Page that is collected from one organisation after another.
struct PageCollector<'a> {
    filter: &'a UserFilter,
    request: PageRequest,
    /// Number of users found so far, on the page or before it.
    count: u64,
    items: Vec<ListedUser>,
}

impl<'a> PageCollector<'a> {
    fn new(filter: &'a UserFilter, request: PageRequest) -> Self {
        Self { filter, request, count: 0, items: Vec::new() }
    }

    /// True if the users of the next organisation must be searched: its head does not have their number, or some are on the page.
    fn reaches(&self, head: &DirectoryHead) -> bool {
        let page = self.request.range(u64::MAX);
        !self.filter.is_by_status_only()
            || (self.count < page.end && page.start < self.count.saturating_add(self.count_of(head)))
    }

    /// Counts the users of the next organisation, which are off the page.
    fn count(&mut self, head: &DirectoryHead) {
        self.count += self.count_of(head);
    }

    fn count_of(&self, head: &DirectoryHead) -> u64 {
        u64::try_from(head.count_of(self.filter.status)).unwrap_or_default()
    }

    /// Searches the directory of the next organisation.
    fn add(&mut self, directory: &UserDirectory) -> Result<(), Error> {
        if !self.reaches(&directory.head()) {
            self.count(&directory.head());
            return Ok(());
        }
        let page = self.request.range(u64::MAX);
        let positions = directory.search(self.filter)?;
        let on_page = (self.count..).zip(&positions).filter(|(number, _)| page.contains(number));
        self.items.extend(on_page.map(|(_, position)| directory.user(*position)));
        self.count += positions.len() as u64;
        Ok(())
    }

    fn finish(self) -> Page<ListedUser> {
        Page { request: self.request, count: self.count, items: self.items }
    }
}
