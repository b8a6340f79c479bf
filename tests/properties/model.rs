//! Model of the service: users, permissions and effects. It follows the interface and its decisions, not the code.

use std::collections::{BTreeMap, BTreeSet};

use presence_domain::ids::OrgId;
use presence_domain::user::{Role, Status};
use presence_tests::{Fixtures, TestStack};
use serde_json::{Value, json};

/// Seconds between two invitations of one user.
const WINDOW: i64 = 300;

/// Fields of a user that the rules read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) org: Option<u64>,
    pub(crate) role: Role,
    pub(crate) status: Status,
    pub(crate) last_name: String,
    pub(crate) email: String,
    pub(crate) businesses: Vec<String>,
    pub(crate) has_password: bool,
    /// Instant of the invitation, in seconds of the model's time.
    pub(crate) invited_at: Option<i64>,
}

/// Fields of a request to create a user.
#[derive(Clone, Debug)]
pub(super) struct New {
    pub(super) org: Option<u64>,
    pub(super) role: Option<Role>,
    pub(super) status: Option<Status>,
    pub(super) send_invitation: Option<bool>,
    pub(super) last_name: String,
    pub(super) email: String,
    pub(super) businesses: Vec<String>,
    pub(super) password: Option<&'static str>,
}

/// Fields of a request to update a user.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    pub(super) org: Option<u64>,
    pub(super) role: Option<Role>,
    pub(super) status: Option<Status>,
    pub(super) last_name: Option<String>,
    pub(super) email: Option<String>,
    pub(super) businesses: Option<Vec<String>>,
    pub(super) password: Option<&'static str>,
}

/// Users by id, keys, and the time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) users: BTreeMap<String, Member>,
    /// Live key → owner.
    pub(crate) live_keys: BTreeMap<String, String>,
    pub(super) now: i64,
}

/// Expected user after a request, or the status of its refusal.
pub(super) type Outcome = Result<Member, u16>;

fn belong_to(businesses: &[String], org: Option<u64>) -> bool {
    let prefix = org.map(|org| format!("b{org}-"));
    businesses.iter().all(|id| prefix.as_ref().is_some_and(|prefix| id.starts_with(prefix)))
}

fn is_too_short(password: Option<&str>) -> bool {
    password.is_some_and(|password| password.len() < 6)
}

fn refuse_if(refused: bool, status: u16) -> Result<(), u16> {
    if refused { Err(status) } else { Ok(()) }
}

/// Users that a search lists: id → last name and status.
pub(crate) type List = BTreeMap<String, (String, Status)>;

impl Member {
    /// Returns a `BUSINESS_MANAGER` whose other fields do not matter.
    pub(crate) fn new(org: Option<u64>, last_name: &str, status: Status) -> Self {
        Self {
            org,
            role: Role::BusinessManager,
            status,
            last_name: last_name.to_owned(),
            email: String::new(),
            businesses: Vec::new(),
            has_password: false,
            invited_at: None,
        }
    }
}

impl Model {
    /// Returns the model of fresh fixtures.
    pub(crate) async fn of(stack: &TestStack, fixtures: &Fixtures) -> Self {
        let mut model = Self::default();
        for (_, person) in fixtures.people() {
            let user = stack.stored(&person.id).await.expect("one of the fixtures").user;
            let member = Member::new(user.org_id.map(OrgId::get), user.last_name.as_str(), user.status);
            model.put(&person.id, Member { role: user.role, email: person.email.clone(), ..member });
            if !person.key.is_empty() {
                model.live_keys.insert(person.key.clone(), person.id.clone());
            }
        }
        model
    }

    /// Returns the users that a PROVIDER's search lists: of one organisation, or of all.
    pub(crate) fn listed(&self, org: Option<u64>) -> List {
        let seen = self.users.iter().filter(|(_, user)| org.is_none() || user.org == org);
        seen.map(|(id, user)| (id.clone(), (user.last_name.clone(), user.status))).collect()
    }

    /// Returns the counts of these users, as the API gives them.
    pub(crate) fn stats<'a>(users: impl Iterator<Item = &'a Member>) -> Value {
        let (count, active) =
            users.fold((0, 0), |(count, active), user| (count + 1, active + u64::from(user.status == Status::Active)));
        json!({"count": count, "invited_count": count - active, "activate_count": active})
    }

    /// Returns the owner of a live key.
    pub(super) fn caller(&self, key: &str) -> Result<(&str, &Member), u16> {
        let id = self.live_keys.get(key).ok_or(401_u16)?;
        Ok((id, &self.users[id]))
    }

    /// Returns the user with an id, if the caller may see it.
    pub(super) fn visible(&self, caller: &Member, id: &str) -> Outcome {
        self.users.get(id).filter(|user| sees(caller, user)).cloned().ok_or(404)
    }

    /// Returns the users that a caller may see.
    pub(super) fn all_visible(&self, caller: &Member) -> impl Iterator<Item = (&String, &Member)> {
        self.users.iter().filter(|(_, user)| sees(caller, user))
    }

    fn is_taken(&self, email: &str, by_other_than: &str) -> bool {
        self.users.iter().any(|(id, user)| user.email == email && id != by_other_than)
    }

    pub(super) fn create(&self, key: &str, new: &New) -> Outcome {
        let (_, caller) = self.caller(key)?;
        let (role, org) = (new.role.unwrap_or(Role::BusinessManager), new.org.or(caller.org));
        let allowed = match caller.role {
            Role::Provider => true,
            Role::OrgAdmin => org == caller.org && role != Role::Provider,
            Role::BusinessManager => false,
        };
        refuse_if(!allowed, 403)?;
        let asked = new.send_invitation;
        let status = new.status.unwrap_or(if asked == Some(true) { Status::Invited } else { Status::Active });
        let password = new.password.filter(|_| status == Status::Active);
        refuse_if(org.is_none() && role != Role::Provider, 400)?;
        refuse_if(!belong_to(&new.businesses, org) || is_too_short(password), 400)?;
        refuse_if(self.is_taken(&new.email, ""), 400)?;
        let mail = asked.unwrap_or(status == Status::Invited);
        Ok(Member {
            org,
            role,
            status,
            last_name: new.last_name.clone(),
            email: new.email.clone(),
            businesses: new.businesses.clone(),
            has_password: password.is_some(),
            invited_at: mail.then_some(self.now),
        })
    }

    pub(super) fn update(&self, key: &str, id: &str, change: &Change) -> Outcome {
        let (caller_id, caller) = self.caller(key)?;
        let before = self.visible(caller, id)?;
        let oneself = caller_id == id;
        let asked = change.clone();
        let after = Member {
            org: asked.org.or(before.org),
            role: asked.role.unwrap_or(before.role),
            status: asked.status.unwrap_or(before.status),
            last_name: asked.last_name.unwrap_or_else(|| before.last_name.clone()),
            email: asked.email.unwrap_or_else(|| before.email.clone()),
            businesses: asked.businesses.unwrap_or_else(|| before.businesses.clone()),
            ..before.clone()
        };
        may_update(caller, oneself, &before, &after)?;
        self.fields_fit(id, &before, &after, change)?;
        Ok(self.after_effects(&before, after, change))
    }

    fn fields_fit(&self, id: &str, before: &Member, after: &Member, change: &Change) -> Result<(), u16> {
        refuse_if(after.org.is_none() && after.role != Role::Provider, 400)?;
        let looked_at = change.businesses.is_some() || after.org != before.org;
        refuse_if(looked_at && !belong_to(&after.businesses, after.org), 400)?;
        if after.status == Status::Active {
            let needed = before.status == Status::Invited && !before.has_password;
            refuse_if(is_too_short(change.password) || needed && change.password.is_none(), 400)?;
        }
        refuse_if(self.is_taken(&after.email, id), 400)
    }

    fn after_effects(&self, before: &Member, mut after: Member, change: &Change) -> Member {
        match (before.status, after.status) {
            (Status::Active, Status::Invited) => {
                after.has_password = false;
                after.invited_at = Some(self.now);
            }
            // No mail is ever sent here: one that is called off gives its window back.
            (Status::Invited, Status::Active) => after.invited_at = None,
            _ if before.email != after.email => after.invited_at = None,
            _ => {}
        }
        after.has_password |= after.status == Status::Active && change.password.is_some();
        after
    }

    /// Returns the user to delete.
    pub(super) fn delete(&self, key: &str, id: &str) -> Outcome {
        let (caller_id, caller) = self.caller(key)?;
        let user = self.visible(caller, id)?;
        refuse_if(caller_id == id || !administers(caller, &user), 403)?;
        Ok(user)
    }

    pub(super) fn invite(&self, key: &str, id: &str) -> Outcome {
        let (_, caller) = self.caller(key)?;
        let user = self.visible(caller, id)?;
        refuse_if(!administers(caller, &user), 403)?;
        refuse_if(user.status != Status::Invited, 400)?;
        refuse_if(user.invited_at.is_some_and(|at| at + WINDOW > self.now), 429)?;
        Ok(Member { invited_at: Some(self.now), ..user })
    }

    /// Stores a user. An invited user loses its keys.
    pub(crate) fn put(&mut self, id: &str, user: Member) {
        if user.status == Status::Invited {
            self.live_keys.retain(|_, owner| owner != id);
        }
        self.users.insert(id.to_owned(), user);
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.live_keys.retain(|_, owner| owner != id);
        self.users.remove(id);
    }

    /// Returns the active users that may have another key.
    pub(super) fn may_have_a_key(&self) -> BTreeSet<String> {
        let held = |id: &String| self.live_keys.values().filter(|owner| *owner == id).count();
        let active = self.users.iter().filter(|(_, user)| user.status == Status::Active);
        active.map(|(id, _)| id).filter(|id| held(id) < presence_domain::key_rights::MAX_LIVE_KEYS).cloned().collect()
    }
}

fn sees(caller: &Member, user: &Member) -> bool {
    caller.role == Role::Provider || caller.org == user.org
}

/// True if the caller may delete and invite a user that it may see.
fn administers(caller: &Member, user: &Member) -> bool {
    match caller.role {
        Role::Provider => true,
        Role::OrgAdmin => user.role != Role::Provider,
        Role::BusinessManager => false,
    }
}

fn may_update(caller: &Member, oneself: bool, before: &Member, after: &Member) -> Result<(), u16> {
    let membership_changes =
        (before.role, before.status, &before.businesses) != (after.role, after.status, &after.businesses);
    let moved = before.org != after.org;
    refuse_if(!administers(caller, before) && !oneself, 403)?;
    refuse_if(membership_changes && (oneself || caller.role == Role::BusinessManager), 403)?;
    refuse_if(moved && (oneself || caller.role != Role::Provider), 403)?;
    refuse_if(after.role > caller.role, 403)
}
