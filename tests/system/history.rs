//! States that the database ever had, and the judge of answers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use presence_domain::audit::AuditAction;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::{ReplyAction, ReplyStatus, Review, ReviewId, ReviewState};
use presence_domain::user::{Role, Status, User};
use tokio::time::Instant;

use super::replies::{ReplyRequests, request_of};

/// Longest time from the write of an invitation to its answer: some tries of a request.
const ANSWERED_LATE: SignedDuration = SignedDuration::from_secs(150);

/// Number of the states before: a moment of the history.
pub(crate) type Moment = usize;

/// Fields of a user that the judge compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) org: Option<u64>,
    pub(crate) role: Role,
    pub(crate) status: Status,
    pub(crate) last_name: String,
    pub(crate) email: String,
    /// Businesses that it may write.
    pub(crate) businesses: Vec<String>,
}

/// Change of a user that somebody asks for, under a last name that nothing else gives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Intent {
    /// User; `None` for a new one.
    pub(crate) id: Option<String>,
    pub(crate) org: Option<u64>,
    pub(crate) role: Option<Role>,
    pub(crate) status: Option<Status>,
    pub(crate) email: Option<String>,
    pub(crate) businesses: Option<Vec<String>>,
    /// Moments at which it was carried out.
    pub(crate) done: Vec<Moment>,
    pub(crate) is_refused: bool,
}

/// Users and reviews at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) users: BTreeMap<String, Seen>,
    pub(crate) reviews: BTreeMap<String, Arc<Review>>,
}

/// States of the database by moment, with what people asked for.
#[derive(Debug, Default)]
pub(crate) struct History {
    states: Vec<State>,
    pub(crate) intents: BTreeMap<String, Intent>,
    pub(crate) deletions: BTreeSet<String>,
    /// Users whose link was followed.
    pub(crate) activations: BTreeSet<String>,
    /// Changes of users that an answer shows: organisation, user and version after it; no version where the user is gone.
    pub(crate) changes: Vec<(Option<u64>, String, Option<u64>)>,
    /// Events that the changes of reviews must have, in their order: organisation of the feed, review, and kind with version.
    pub(crate) review_events: Vec<(u64, String, String)>,
    /// Requests of replies and removals, by review.
    pub(crate) requested: ReplyRequests,
    /// Number of requests to act on a review, by its id and the action.
    pub(crate) acts: BTreeMap<(String, &'static str), usize>,
    /// Users as they are stored.
    stored: BTreeMap<String, User>,
    mails: BTreeMap<String, Vec<Timestamp>>,
    /// Invitations that were accepted: user, address, and the instant of the answer.
    invitations: BTreeMap<String, (String, Timestamp)>,
    pub(crate) answers: usize,
    pub(crate) findings: Vec<String>,
    pub(crate) first_found: Option<Instant>,
}

impl Seen {
    pub(crate) fn of(user: &User) -> Self {
        Self {
            org: user.org_id.map(OrgId::get),
            role: user.role,
            status: user.status,
            last_name: user.last_name.as_str().to_owned(),
            email: user.email.as_str().to_owned(),
            businesses: user.business_ids.iter().map(|id| id.as_str().to_owned()).collect(),
        }
    }

    /// True for a caller of this organisation, or who sees all.
    pub(crate) fn is_seen_by(&self, org: Option<u64>) -> bool {
        org.is_none() || self.org == org
    }
}

/// Returns the events of a change of a review: the organisation of the feed, and kind with version. An organisation that a review leaves
/// hears that it is gone.
fn events_of(before: Option<&Review>, after: &Review) -> impl Iterator<Item = (u64, String)> {
    let is_deleted = |review: &Review| review.state == ReviewState::Deleted;
    let kind = match before {
        None => Some("review.created"),
        Some(before) if shows_the_same(before, after) => None,
        Some(before) if is_deleted(after) && !is_deleted(before) => Some("review.deleted"),
        Some(_) => Some("review.updated"),
    };
    let left = before.filter(|before| before.org_id != after.org_id).map(|before| (before.org_id, "review.deleted"));
    let version = after.version;
    let events = left.into_iter().chain(kind.map(|kind| (after.org_id, kind)));
    let events = events.map(move |(org, kind)| (org.get(), format!("{kind} {version}")));
    events.chain(before.and_then(|before| event_of_reply(before, after)))
}

/// Returns the event of a change of a reply. A removal that is refused leaves the text with the partner. A reply that the partner's own text
/// replaced has no event.
fn event_of_reply(before: &Review, after: &Review) -> Option<(u64, String)> {
    let progress = |review: &Review| review.reply.as_ref().map(|reply| (reply.version, reply.status.clone()));
    let reply = after.reply.as_ref().filter(|_| progress(before) != progress(after))?;
    let kind = match (&reply.status, reply.action) {
        (ReplyStatus::OnItsWay { .. }, _) => "reply.requested",
        (ReplyStatus::Published, ReplyAction::Publish) => "reply.published",
        (ReplyStatus::Published, ReplyAction::Remove) | (ReplyStatus::Rejected { .. }, _) => "reply.rejected",
        (ReplyStatus::Ended, _) if after.reply_comment.is_none() => "reply.removed",
        (ReplyStatus::Ended, _) => return None,
    };
    Some((after.org_id.get(), format!("{kind} {}", reply.version)))
}

/// True if the API shows two states of a review alike.
fn shows_the_same(before: &Review, after: &Review) -> bool {
    let Review { version, city_key, seen_at, reply, acted_at, .. } = before.clone();
    Review { version, city_key, seen_at, reply, acted_at, ..after.clone() } == *before
}

impl Intent {
    fn after(&self, before: Option<&Seen>, last_name: &str) -> Option<Seen> {
        Some(Seen {
            org: self.org.or(before.and_then(|before| before.org)),
            role: self.role.or(before.map(|before| before.role))?,
            status: self.status.or(before.map(|before| before.status))?,
            last_name: last_name.to_owned(),
            email: self.email.clone().or(before.map(|before| before.email.clone()))?,
            businesses: self.businesses.clone().or(before.map(|before| before.businesses.clone()))?,
        })
    }
}

impl History {
    /// Begins with the users and reviews of the set-up.
    pub(crate) fn starting_with(users: Vec<User>, reviews: Vec<Review>) -> Self {
        let state = State {
            users: users.iter().map(|user| (user.id.to_string(), Seen::of(user))).collect(),
            reviews: reviews.into_iter().map(|review| (review.id.as_str().to_owned(), Arc::new(review))).collect(),
        };
        let mut requested = ReplyRequests::new();
        for (id, review) in &state.reviews {
            requested.entry(id.clone()).or_default().extend(request_of(review));
        }
        let stored = users.into_iter().map(|user| (user.id.to_string(), user)).collect();
        Self { states: vec![state], stored, requested, ..Self::default() }
    }

    /// Begins again with the users and reviews of restored tables, after the last change of the others. Mails were sent nonetheless, and what
    /// was found stays.
    pub(crate) fn start_again_with(&mut self, users: Vec<User>, reviews: Vec<Review>) {
        let Self { changes, review_events, acts, mails, answers, findings, first_found, .. } = std::mem::take(self);
        let begun = Self::starting_with(users, reviews);
        *self = Self { changes, review_events, acts, mails, answers, findings, first_found, ..begun };
    }

    /// Returns all users and reviews that there ever were.
    pub(crate) fn ids(&self) -> (BTreeSet<UserId>, BTreeSet<ReviewId>) {
        let users = self.states.iter().flat_map(|state| state.users.keys());
        let reviews = self.states.iter().flat_map(|state| state.reviews.keys());
        let users = users.map(|id| UserId::parse(id).expect("an id"));
        (users.collect(), reviews.map(|id| ReviewId::parse(id).expect("an id")).collect())
    }

    pub(crate) fn now(&self) -> Moment {
        self.states.len() - 1
    }

    pub(crate) fn state(&self) -> &State {
        self.states.last().expect("the first at least")
    }

    pub(crate) fn found(&mut self, finding: String) {
        self.first_found.get_or_insert_with(Instant::now);
        self.findings.push(finding);
    }

    /// Notes the state of a user after a write, and judges the change.
    pub(crate) fn wrote_user(&mut self, id: &str, user: Option<User>) {
        let (before, after) = (self.state().users.get(id).cloned(), user.as_ref().map(Seen::of));
        if let Some((before, after)) = self.stored.get(id).zip(user.as_ref())
            && before != after
            && after.version != before.version + 1
        {
            self.found(format!("version {} of user {id} is followed by {}", before.version, after.version));
        }
        let version = user.as_ref().map(|user| user.version);
        match user {
            Some(user) => self.stored.insert(id.to_owned(), user),
            None => self.stored.remove(id),
        };
        if before == after {
            return;
        }
        let orgs = [&before, &after].map(|user| user.as_ref().map(|user| user.org));
        if let [Some(left), Some(new)] = orgs
            && left != new
        {
            self.changes.push((left, id.to_owned(), None));
        }
        self.changes.push((orgs[1].or(orgs[0]).flatten(), id.to_owned(), version));
        let mut state = self.state().clone();
        match &after {
            Some(seen) => state.users.insert(id.to_owned(), seen.clone()),
            None => state.users.remove(id),
        };
        self.states.push(state);
        let moment = self.now();
        let Some(after) = after else {
            if !self.deletions.contains(id) {
                self.found(format!("nobody asked to delete user {id}"));
            }
            return;
        };
        if after.status == Status::Active {
            self.invitations.remove(id);
        }
        let accepted = before.as_ref().map(|before| Seen { status: Status::Active, ..before.clone() });
        if accepted.as_ref() == Some(&after) && self.activations.contains(id) {
            return;
        }
        let Some(intent) = self.intents.get_mut(&after.last_name) else {
            return self.found(format!("nobody asked for {after:?}"));
        };
        intent.done.push(moment);
        let is_right = (intent.id.as_deref().is_none() == before.is_none())
            && intent.id.as_deref().is_none_or(|wanted| wanted == id)
            && intent.after(before.as_ref(), &after.last_name).as_ref() == Some(&after);
        let is_once = intent.done.len() == 1 && !intent.is_refused;
        if !is_right || !is_once {
            let what = format!("user {id}, {before:?} became {after:?} by {intent:?}");
            self.found(what);
        }
        let same = self.state().users.values().filter(|other| other.email == after.email).count();
        if same > 1 {
            self.found(format!("two users have the address {}", after.email));
        }
    }

    /// Notes a review after a write, and judges its version: only the stamp of a row changes without one.
    pub(crate) fn wrote_review(&mut self, review: Review) {
        let id = review.id.as_str().to_owned();
        let before = self.state().reviews.get(&id).cloned();
        let before = before.as_deref();
        if let Some(before) = before
            && review.version != before.version + 1
            && !(review.version == before.version && review.content_eq(before))
        {
            self.found(format!("version {} of review {id} is followed by {}", before.version, review.version));
        }
        let requested = self.requested.entry(id.clone()).or_default();
        requested.extend(request_of(&review).filter(|request| !requested.contains(request)));
        if let Some(before) = before.filter(|before| request_of(before).is_none())
            && let Some((old, new)) = before.reply.as_ref().zip(review.reply.as_ref())
            && old.version == new.version
            && new.status != old.status
            && new.status != ReplyStatus::Ended
        {
            let finding =
                format!("the outcome of reply {} to {id} becomes {:?} after {:?}", new.version, new.status, old.status);
            self.found(finding);
        }
        let events = events_of(before, &review);
        self.review_events.extend(events.map(|(org, event)| (org, id.clone(), event)));
        if before != Some(&review) {
            let mut state = self.state().clone();
            state.reviews.insert(id, Arc::new(review));
            self.states.push(state);
        }
    }

    /// Judges the answer to a change: the status, and the user that it names. A refusal may be final: nothing of the request is on its way.
    pub(crate) fn judge_change(&mut self, token: &str, since: Moment, status: u16, id: Option<&str>, is_final: bool) {
        self.answers += 1;
        let now = self.now();
        let Some(intent) = self.intents.get_mut(token) else {
            return;
        };
        let is_right = match status {
            200 => matches!(intent.done[..], [moment] if moment > since && moment <= now),
            400..=404 | 429 => {
                intent.is_refused = is_final;
                !is_final || intent.done.is_empty()
            }
            _ => true,
        };
        let done = intent.done.first().copied();
        let names_it = status != 200
            || done.zip(id).is_none_or(|(moment, id)| {
                self.states[moment].users.get(id).is_some_and(|user| user.last_name == token)
            });
        if !is_right || !names_it {
            let finding = format!("{token} was answered with {status} {id:?} at {now}: {:?}", self.intents[token]);
            self.found(finding);
        }
    }

    /// Judges an answer to a read: it must fit a state since its request.
    pub(crate) fn judge(&mut self, since: Moment, what: impl FnOnce() -> String, fits: impl Fn(&State) -> bool) {
        self.answers += 1;
        if !self.states[since..].iter().any(fits) {
            let what = format!("{} fits no state of {since} to {}", what(), self.now());
            self.found(what);
        }
    }

    /// True if a state between two moments fits.
    pub(crate) fn was(&self, moments: RangeInclusive<Moment>, fits: impl Fn(&State) -> bool) -> bool {
        self.states[moments].iter().any(fits)
    }

    /// Notes a request to act on a review.
    pub(crate) fn asks_for(&mut self, id: &str, action: AuditAction) {
        *self.acts.entry((id.to_owned(), action.as_str())).or_default() += 1;
    }

    /// Notes that an invitation of a user was accepted.
    pub(crate) fn invited(&mut self, id: &str, at: Timestamp) {
        if let Some(user) = self.state().users.get(id) {
            let invitation = (user.email.clone(), at);
            self.invitations.insert(id.to_owned(), invitation);
        }
    }

    /// Judges at the end that each invitation was sent that nothing has ended: its user still waits, at the same address.
    pub(crate) fn judge_invitations(&mut self) {
        let is_lost = |(id, (address, at)): &(&String, &(String, Timestamp))| {
            let waits = |user: &Seen| user.status == Status::Invited && user.email == *address;
            let sent = self.mails.get(address).into_iter().flatten();
            self.state().users.get(*id).is_some_and(waits) && !sent.into_iter().any(|mail| *mail + ANSWERED_LATE >= *at)
        };
        let lost: Vec<_> =
            self.invitations.iter().filter(is_lost).map(|one| format!("the mail is lost: {one:?}")).collect();
        for finding in lost {
            self.found(finding);
        }
    }

    /// Notes a mail that was accepted for an address. The one before it must be as long ago as this.
    pub(crate) fn mailed(&mut self, address: &str, at: Timestamp, pause: SignedDuration) {
        let mails = self.mails.entry(address.to_owned()).or_default();
        let last = mails.last().copied();
        mails.push(at);
        if last.is_some_and(|last| at.duration_since(last) < pause) {
            self.found(format!("two mails to {address} at {last:?} and {at}"));
        }
    }

    pub(crate) fn mails(&self) -> usize {
        self.mails.values().map(Vec::len).sum()
    }
}
