//! Organisations, their log, their index, and writers that never rest.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard};

use fastrand::Rng;

use crate::directories::follow::{ChangePage, Source};
use presence_domain::directory::{Change, Directory, DirectoryBuilder, ListedUser, NewRow};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::roster::Roster;
use presence_domain::user::{Role, Status};

pub(super) const ORGS: usize = 2;
/// Users at the beginning.
const USERS: u64 = 40;
/// The longest that a write waits between its date and its end, in milliseconds.
const SLOW_WRITE_MS: i64 = 10_000;

/// The faults of the simulated world.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a way to be unkind")]
pub(super) struct Kind {
    /// The index shows the organisations as they began.
    pub(super) is_frozen: bool,
    /// The difference between the clocks of writers, beside the half second that they always have.
    pub(super) skew_ms: i64,
    /// One entry in four never shows.
    pub(super) loses_entries: bool,
    /// A fault: entries of those who are gone are missing.
    pub(super) forgets_gone: bool,
    /// A fault: users are read as they were before their last write.
    pub(super) reads_old_users: bool,
    /// A fault: the log is cut behind the first look.
    pub(super) has_no_further_look: bool,
    /// A fault: heads are read as they were before the last writes between requests.
    pub(super) reads_old_heads: bool,
}

type Listing = BTreeMap<UserId, ListedUser>;

struct State {
    rng: Rng,
    now: i64,
    next_id: u64,
    users: BTreeMap<UserId, (usize, ListedUser)>,
    /// As they were before their last write.
    old_users: HashMap<UserId, (usize, ListedUser)>,
    heads: Vec<Roster>,
    /// As they were before the last writes between requests.
    old_heads: Vec<Roster>,
    /// By date.
    log: Vec<BTreeMap<(i64, u64), Change>>,
    index: Vec<Listing>,
    /// Changes that the index does not show yet: due time, organisation, user and form.
    lagging: Vec<(i64, usize, UserId, Option<ListedUser>)>,
    /// The organisation of the request, and what it was like after each write since the request began.
    watched: Option<(usize, Vec<Listing>)>,
    loads: u32,
    users_read: u32,
}

pub(super) struct World {
    kind: Kind,
    state: Mutex<State>,
}

impl World {
    pub(super) fn new(seed: u64, kind: Kind) -> Self {
        let state = State {
            rng: Rng::with_seed(seed),
            now: 1_000_000_000,
            next_id: 1,
            users: BTreeMap::new(),
            old_users: HashMap::new(),
            heads: vec![Roster::default(); ORGS],
            old_heads: vec![Roster::default(); ORGS],
            log: vec![BTreeMap::new(); ORGS],
            index: vec![Listing::new(); ORGS],
            lagging: Vec::new(),
            watched: None,
            loads: 0,
            users_read: 0,
        };
        let world = Self { kind, state: Mutex::new(state) };
        {
            let mut state = world.state();
            for _ in 0..USERS {
                state.write(Kind::default(), Write::Create);
            }
            state.now += 3_600_000;
            state.catch_up();
            state.log.iter_mut().for_each(BTreeMap::clear);
        }
        world
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }

    /// Lets time pass between requests, with writes in it.
    pub(super) fn idle(&self) {
        let mut state = self.state();
        state.watched = None;
        state.old_heads = state.heads.clone();
        for _ in 0..state.rng.u32(0..12) {
            state.step(self.kind, 9);
        }
    }

    /// Draws which function is asked for which organisation.
    pub(super) fn pick(&self, functions: usize) -> (usize, usize) {
        let mut state = self.state();
        (state.rng.usize(0..functions), state.rng.usize(0..ORGS))
    }

    /// Returns how often an organisation was read by the index, and how many users were read one by one.
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
    /// Lets some time pass, and perhaps somebody write: with a chance of so many in ten.
    fn step(&mut self, kind: Kind, chance: u8) {
        self.now += self.rng.i64(1..200);
        if self.rng.u8(0..10) < chance {
            self.write(kind, Write::Any);
        }
        if !kind.is_frozen {
            self.catch_up();
        }
    }

    fn write(&mut self, kind: Kind, write: Write) {
        let org = self.rng.usize(0..ORGS);
        let known: Vec<UserId> = self.users.keys().copied().collect();
        let id = match write {
            Write::Any if self.rng.u8(0..8) > 0 => self.rng.choice(&known).copied(),
            _ => None,
        };
        let before = id.and_then(|id| self.users.get(&id).cloned());
        let after = match &before {
            None => Some((org, self.person(None))),
            Some(_) if self.rng.u8(0..8) == 0 => None,
            Some((org, user)) => {
                let org = if self.rng.u8(0..6) == 0 { (org + 1) % ORGS } else { *org };
                Some((org, self.person(Some(user))))
            }
        };
        self.commit(kind, before.as_ref(), after);
    }

    fn person(&mut self, before: Option<&ListedUser>) -> ListedUser {
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

    fn commit(&mut self, kind: Kind, before: Option<&(usize, ListedUser)>, after: Option<(usize, ListedUser)>) {
        let id = before.or(after.as_ref()).expect("a write of somebody").1.id;
        if let Some((org, user)) = before.cloned() {
            self.add_to_head(org, &user, -1);
            if after.as_ref().is_none_or(|(new, _)| *new != org) {
                self.index_later(org, id, None);
                if !kind.forgets_gone {
                    self.enter(kind, org, Change { user_id: id, version: user.version + 1, is_gone: true });
                }
            }
            self.old_users.insert(id, (org, user));
        }
        if let Some((org, user)) = after.clone() {
            self.add_to_head(org, &user, 1);
            self.index_later(org, id, Some(user.clone()));
            self.enter(kind, org, Change { user_id: id, version: user.version, is_gone: false });
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
        let share = Directory::new(std::slice::from_ref(user)).roster();
        let head = self.heads[org];
        self.heads[org] = if sign > 0 { head + share } else { head - share };
    }

    fn enter(&mut self, kind: Kind, org: usize, change: Change) {
        if kind.loses_entries && self.rng.u8(0..4) == 0 {
            return;
        }
        let slowness = if self.rng.u8(0..10) == 0 { self.rng.i64(0..SLOW_WRITE_MS) } else { self.rng.i64(0..50) };
        let skew = self.rng.i64(-500 - kind.skew_ms..=500 + kind.skew_ms);
        self.log[org].insert((self.now - slowness + skew, self.rng.u64(..)), change);
    }

    fn index_later(&mut self, org: usize, id: UserId, user: Option<ListedUser>) {
        let lag = if self.rng.u8(0..10) == 0 { self.rng.i64(0..5_000) } else { self.rng.i64(0..40) };
        // Of one user, the writes show in their order.
        let earliest = self.lagging.iter().filter(|(_, _, of, _)| *of == id).map(|(at, ..)| *at).max().unwrap_or(0);
        self.lagging.push(((self.now + lag).max(earliest), org, id, user));
    }

    fn catch_up(&mut self) {
        let now = self.now;
        let (due, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.lagging).into_iter().partition(|(at, ..)| *at <= now);
        self.lagging = rest;
        for (_, org, id, user) in due {
            match user {
                Some(user) => self.index[org].insert(id, user),
                None => self.index[org].remove(&id),
            };
        }
    }

    fn listing(&self, org: usize) -> Listing {
        let of_org = self.users.iter().filter(|(_, (of, _))| *of == org);
        of_org.map(|(id, (_, user))| (*id, user.clone())).collect()
    }
}

/// A request: the only one that reads, while others write.
pub(super) struct Request<'a> {
    world: &'a World,
    org: usize,
}

impl<'a> Request<'a> {
    pub(super) fn begin(world: &'a World, org: usize) -> Self {
        let mut state = world.state();
        let listing = state.listing(org);
        state.watched = Some((org, vec![listing]));
        Self { world, org }
    }

    /// True if these are the users of the organisation at an instant of the request.
    pub(super) fn is_right(&self, directory: &Directory) -> bool {
        let found = directory.search(&presence_domain::directory::UserFilter::default());
        let found: Vec<ListedUser> = found.into_iter().map(|place| directory.user(place)).collect();
        let state = self.world.state();
        let (_, listings) = state.watched.as_ref().expect("a request");
        listings.iter().any(|listing| {
            let mut users: Vec<&ListedUser> = listing.values().collect();
            users.sort_by_key(|user| user.name_order());
            found.iter().collect::<Vec<_>>() == users
        })
    }

    fn step(&self) -> MutexGuard<'_, State> {
        let mut state = self.world.state();
        state.step(self.world.kind, 2);
        state
    }
}

impl Source for Request<'_> {
    type Cursor = (i64, u64);

    async fn head(&self) -> Result<Roster, Error> {
        let state = self.step();
        let heads = if self.world.kind.reads_old_heads { &state.old_heads } else { &state.heads };
        Ok(heads[self.org])
    }

    async fn changes(&self, limit: usize, before: Option<(i64, u64)>) -> Result<ChangePage<(i64, u64)>, Error> {
        let state = self.step();
        let log = &state.log[self.org];
        let newest_first: Vec<_> = match before {
            Some(_) if self.world.kind.has_no_further_look => Vec::new(),
            Some(place) => log.range(..place).rev().take(limit).collect(),
            None => log.iter().rev().take(limit).collect(),
        };
        let older = newest_first.last().filter(|_| newest_first.len() == limit).map(|(place, _)| **place);
        Ok(ChangePage { changes: newest_first.into_iter().map(|(_, change)| *change).collect(), older })
    }

    async fn users(&self, ids: Vec<UserId>) -> Result<Vec<ListedUser>, Error> {
        let mut state = self.step();
        state.users_read += u32::try_from(ids.len()).expect("few");
        let old = self.world.kind.reads_old_users;
        let found = ids.iter().filter_map(|id| {
            let old = state.old_users.get(id).filter(|_| old);
            old.or_else(|| state.users.get(id)).filter(|(org, _)| *org == self.org)
        });
        Ok(found.map(|(_, user)| user.clone()).collect())
    }

    async fn listed(&self, _: Roster) -> Result<Directory, Error> {
        let order = |user: &ListedUser| format!("{:?} {}", user.status, user.name_order());
        let mut first = self.step().index[self.org].values().cloned().collect::<Vec<_>>();
        first.sort_by_key(order);
        let middle = first.get(first.len() / 2).map(order).unwrap_or_default();
        first.retain(|user| order(user) < middle);
        // Between two pages users move: some are seen twice, and some never.
        let mut state = self.step();
        state.loads += 1;
        let mut second = state.index[self.org].values().cloned().collect::<Vec<_>>();
        second.retain(|user| order(user) >= middle);
        second.sort_by_key(order);
        let mut builder = DirectoryBuilder::with_capacity(first.len() + second.len());
        for user in first.iter().chain(&second) {
            builder.push(&NewRow::from(user), &user.name_order());
        }
        Ok(builder.finish())
    }

    async fn pause(&self, retry: u32) {
        self.world.state().now += 20 << retry;
    }
}
