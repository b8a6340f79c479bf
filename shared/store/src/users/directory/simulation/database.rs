//! Simulated database: organisations with their heads, change logs and index, and writers that write between any two reads.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard};

use fastrand::Rng;

use crate::users::directory::refresh::{ChangePage, DirectorySource};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_domain::user_directory::DirectoryHead;
use presence_domain::user_directory::{ChangeEntry, DirectoryUser, ListedUser, UserDirectory, UserDirectoryBuilder};

pub(super) const ORGS: usize = 2;
/// Number of users at the beginning.
const USERS: u64 = 40;
/// Maximum time between the date of a write and its commit, in milliseconds.
const SLOW_WRITE_MS: i64 = 10_000;

/// Conditions of a run: bad luck that DynamoDB may bring, and planted faults that must be noticed.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own")]
pub(super) struct Conditions {
    /// The index never shows a change.
    pub(super) is_frozen: bool,
    /// Difference between the clocks of writers in milliseconds, besides the half second that they always have.
    pub(super) skew_ms: i64,
    /// One entry of the log in four is lost.
    pub(super) loses_entries: bool,
    /// Fault: entries of removals are not written.
    pub(super) omits_removals: bool,
    /// Fault: users are read as they were before their last write.
    pub(super) reads_old_users: bool,
    /// Fault: the log ends after its first page.
    pub(super) has_one_page: bool,
    /// Fault: heads are read as they were before the last writes between requests.
    pub(super) reads_old_heads: bool,
}

type Listing = BTreeMap<UserId, ListedUser>;

struct State {
    rng: Rng,
    now: i64,
    next_id: u64,
    users: BTreeMap<UserId, (usize, ListedUser)>,
    /// Users as they were before their last write.
    old_users: HashMap<UserId, (usize, ListedUser)>,
    heads: Vec<DirectoryHead>,
    /// Heads as they were before the last writes between requests.
    old_heads: Vec<DirectoryHead>,
    /// Entries of each organisation, by date.
    log: Vec<BTreeMap<(i64, u64), ChangeEntry>>,
    index: Vec<Listing>,
    /// Writes that the index does not show yet.
    lagging: Vec<LaggingWrite>,
    /// Organisation of the request, and its users after each write since the request began.
    watched: Option<(usize, Vec<Listing>)>,
    loads: u32,
    users_read: u32,
}

/// Write of a user that the index does not show yet.
struct LaggingWrite {
    visible_at: i64,
    org: usize,
    id: UserId,
    /// User after the write; `None` if it left the organisation.
    user: Option<ListedUser>,
}

pub(super) struct SimulatedDatabase {
    conditions: Conditions,
    state: Mutex<State>,
}

impl SimulatedDatabase {
    pub(super) fn new(seed: u64, conditions: Conditions) -> Self {
        let state = State {
            rng: Rng::with_seed(seed),
            now: 1_000_000_000,
            next_id: 1,
            users: BTreeMap::new(),
            old_users: HashMap::new(),
            heads: vec![DirectoryHead::default(); ORGS],
            old_heads: vec![DirectoryHead::default(); ORGS],
            log: vec![BTreeMap::new(); ORGS],
            index: vec![Listing::new(); ORGS],
            lagging: Vec::new(),
            watched: None,
            loads: 0,
            users_read: 0,
        };
        let database = Self { conditions, state: Mutex::new(state) };
        {
            let mut state = database.state();
            for _ in 0..USERS {
                state.write(Conditions::default(), Write::Create);
            }
            state.now += 3_600_000;
            state.catch_up();
            state.log.iter_mut().for_each(BTreeMap::clear);
        }
        database
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds the lock")
    }

    /// Lets time pass between two requests, with some writes.
    pub(super) fn idle(&self) {
        let mut state = self.state();
        state.watched = None;
        state.old_heads = state.heads.clone();
        for _ in 0..state.rng.u32(0..12) {
            state.step(self.conditions, 9);
        }
    }

    /// Draws the function and the organisation of the next request.
    pub(super) fn pick(&self, functions: usize) -> (usize, usize) {
        let mut state = self.state();
        (state.rng.usize(0..functions), state.rng.usize(0..ORGS))
    }

    /// Returns the number of reads of the index, and the number of users that were read one by one.
    pub(super) fn counts(&self) -> (u32, u32) {
        let state = self.state();
        (state.loads, state.users_read)
    }
}

#[derive(Clone, Copy)]
enum Write {
    Create,
    Any,
}

impl State {
    /// Lets some time pass. With a chance of so many in ten, a user is written.
    fn step(&mut self, conditions: Conditions, chance: u8) {
        self.now += self.rng.i64(1..200);
        if self.rng.u8(0..10) < chance {
            self.write(conditions, Write::Any);
        }
        if !conditions.is_frozen {
            self.catch_up();
        }
    }

    fn write(&mut self, conditions: Conditions, write: Write) {
        let org = self.rng.usize(0..ORGS);
        let present: Vec<UserId> = self.users.keys().copied().collect();
        let id = match write {
            Write::Any if self.rng.u8(0..8) > 0 => self.rng.choice(&present).copied(),
            _ => None,
        };
        let before = id.and_then(|id| self.users.get(&id).cloned());
        let after = match &before {
            None => Some((org, self.random_user(None))),
            Some(_) if self.rng.u8(0..8) == 0 => None,
            Some((org, user)) => {
                let org = if self.rng.u8(0..6) == 0 { (org + 1) % ORGS } else { *org };
                Some((org, self.random_user(Some(user))))
            }
        };
        self.commit(conditions, before.as_ref(), after);
    }

    fn random_user(&mut self, before: Option<&ListedUser>) -> ListedUser {
        let id = before.map_or_else(|| UserId::parse(&self.next_id.to_string()).expect("an id"), |user| user.id);
        self.next_id += u64::from(before.is_none());
        ListedUser {
            id,
            version: before.map_or(1, |user| user.version + 1),
            status: Status::ALL[self.rng.usize(0..2)],
            role: Role::ALL[self.rng.usize(0..3)],
            first_name: "Ana".to_owned(),
            last_name: format!("{:08}", self.rng.u32(..)),
            email: format!("{id}@x.example"),
            phone: None,
        }
    }

    fn commit(
        &mut self,
        conditions: Conditions,
        before: Option<&(usize, ListedUser)>,
        after: Option<(usize, ListedUser)>,
    ) {
        let id = before.or(after.as_ref()).expect("a user before or after").1.id;
        if let Some((org, user)) = before.cloned() {
            self.add_to_head(org, &user, -1);
            if after.as_ref().is_none_or(|(new, _)| *new != org) {
                self.index_later(org, id, None);
                if !conditions.omits_removals {
                    self.log_change(
                        conditions,
                        org,
                        ChangeEntry { user_id: id, version: user.version + 1, is_removal: true },
                    );
                }
            }
            self.old_users.insert(id, (org, user));
        }
        if let Some((org, user)) = after.clone() {
            self.add_to_head(org, &user, 1);
            self.index_later(org, id, Some(user.clone()));
            self.log_change(conditions, org, ChangeEntry { user_id: id, version: user.version, is_removal: false });
        }
        match after {
            Some(after) => self.users.insert(id, after),
            None => self.users.remove(&id),
        };
        if let Some((org, _)) = self.watched {
            let listing = self.listing(org);
            self.watched.iter_mut().for_each(|(_, listings)| listings.push(listing.clone()));
        }
    }

    fn add_to_head(&mut self, org: usize, user: &ListedUser, sign: i64) {
        let contribution = UserDirectory::new(std::slice::from_ref(user)).head();
        let head = self.heads[org];
        self.heads[org] = if sign > 0 { head + contribution } else { head - contribution };
    }

    fn log_change(&mut self, conditions: Conditions, org: usize, change: ChangeEntry) {
        if conditions.loses_entries && self.rng.u8(0..4) == 0 {
            return;
        }
        let slowness = if self.rng.u8(0..10) == 0 { self.rng.i64(0..SLOW_WRITE_MS) } else { self.rng.i64(0..50) };
        let skew = self.rng.i64(-500 - conditions.skew_ms..=500 + conditions.skew_ms);
        self.log[org].insert((self.now - slowness + skew, self.rng.u64(..)), change);
    }

    fn index_later(&mut self, org: usize, id: UserId, user: Option<ListedUser>) {
        let lag = if self.rng.u8(0..10) == 0 { self.rng.i64(0..5_000) } else { self.rng.i64(0..40) };
        // An index applies the writes of one user in their order.
        let earlier = self.lagging.iter().filter(|write| write.id == id).map(|write| write.visible_at);
        let visible_at = (self.now + lag).max(earlier.max().unwrap_or(0));
        self.lagging.push(LaggingWrite { visible_at, org, id, user });
    }

    /// Shows the writes in the index that are due.
    fn catch_up(&mut self) {
        let now = self.now;
        let (due, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.lagging).into_iter().partition(|write| write.visible_at <= now);
        self.lagging = rest;
        for LaggingWrite { org, id, user, .. } in due {
            match user {
                Some(user) => self.index[org].insert(id, user),
                None => self.index[org].remove(&id),
            };
        }
    }

    /// Returns the users that the index shows, by status and name.
    fn index_by_name(&self, org: usize) -> BTreeMap<(&'static str, String), ListedUser> {
        let users = self.index[org].values();
        users.map(|user| ((user.status.as_str(), user.name_order()), user.clone())).collect()
    }

    fn listing(&self, org: usize) -> Listing {
        let of_org = self.users.iter().filter(|(_, (of, _))| *of == org);
        of_org.map(|(id, (_, user))| (*id, user.clone())).collect()
    }
}

/// Request that reads one organisation while others write.
pub(super) struct SimulatedRequest<'a> {
    database: &'a SimulatedDatabase,
    org: usize,
}

impl<'a> SimulatedRequest<'a> {
    pub(super) fn begin(database: &'a SimulatedDatabase, org: usize) -> Self {
        let mut state = database.state();
        let listing = state.listing(org);
        state.watched = Some((org, vec![listing]));
        Self { database, org }
    }

    /// True if the directory has the users of the organisation at some instant of the request, by name.
    pub(super) fn is_right(&self, directory: &UserDirectory) -> bool {
        let found =
            directory.search(&presence_domain::user_directory::UserFilter::default()).expect("there is no query");
        let found: Vec<ListedUser> = found.into_iter().map(|position| directory.user(position)).collect();
        let (count, is_in_order) = (found.len(), found.is_sorted_by_key(ListedUser::name_order));
        let listing: Listing = found.into_iter().map(|user| (user.id, user)).collect();
        let state = self.database.state();
        let (_, listings) = state.watched.as_ref().expect("a request");
        is_in_order && listing.len() == count && listings.contains(&listing)
    }

    fn step(&self) -> MutexGuard<'_, State> {
        let mut state = self.database.state();
        state.step(self.database.conditions, 2);
        state
    }
}

impl DirectorySource for SimulatedRequest<'_> {
    type Cursor = (i64, u64);

    async fn get_head(&self) -> Result<DirectoryHead, Error> {
        let state = self.step();
        let heads = if self.database.conditions.reads_old_heads { &state.old_heads } else { &state.heads };
        Ok(heads[self.org])
    }

    async fn list_changes(&self, limit: usize, before: Option<(i64, u64)>) -> Result<ChangePage<(i64, u64)>, Error> {
        let state = self.step();
        let log = &state.log[self.org];
        let newest_first: Vec<_> = match before {
            Some(_) if self.database.conditions.has_one_page => Vec::new(),
            Some(place) => log.range(..place).rev().take(limit).collect(),
            None => log.iter().rev().take(limit).collect(),
        };
        let older = newest_first.last().filter(|_| newest_first.len() == limit).map(|(place, _)| **place);
        Ok(ChangePage { entries: newest_first.into_iter().map(|(_, change)| *change).collect(), older })
    }

    async fn get_users(&self, ids: Vec<UserId>) -> Result<Vec<ListedUser>, Error> {
        let mut state = self.step();
        state.users_read += u32::try_from(ids.len()).expect("few");
        let old = self.database.conditions.reads_old_users;
        let found = ids.iter().filter_map(|id| {
            let old = state.old_users.get(id).filter(|_| old);
            old.or_else(|| state.users.get(id)).filter(|(org, _)| *org == self.org)
        });
        Ok(found.map(|(_, user)| user.clone()).collect())
    }

    async fn read_index(&self, _: DirectoryHead) -> Result<UserDirectory, Error> {
        let mut first = self.step().index_by_name(self.org);
        let middle = first.keys().nth(first.len() / 2).cloned().unwrap_or_default();
        first.retain(|key, _| *key < middle);
        // Users move within the index between two pages: some are read twice, and some never.
        let mut state = self.step();
        state.loads += 1;
        let mut second = state.index_by_name(self.org);
        second.retain(|key, _| *key >= middle);
        let mut builder = UserDirectoryBuilder::with_capacity(first.len() + second.len());
        for ((_, name_order), user) in first.iter().chain(&second) {
            builder.push(&DirectoryUser::from(user), name_order);
        }
        Ok(builder.finish())
    }

    async fn pause(&self, retry: u32) {
        self.database.state().now += 20 << retry;
    }
}
