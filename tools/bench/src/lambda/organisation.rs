//! Organisations with many generated users, and their callers.

use std::cell::Cell;

use anyhow::{Context as _, anyhow, ensure};
use aws_sdk_dynamodb::Client;
use jiff::Timestamp;
use presence_domain::audit::{Actor, AuditAction, OperatorName};
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::{Role, Status, User, UserChange};
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::clock::{Clock as _, SystemClock};
use presence_store::schema::{self, Table};
use presence_store::{NewApiKey, Org, Stores};

use super::environment::PREFIX;
use super::generated_users::{self, generate_user};

/// Number of items that are imported at once.
const IMPORT_CHUNK: usize = 10_000;

/// Organisation with many users.
pub(super) struct Organisation {
    pub(super) users: usize,
    /// Key of an `ORG_ADMIN` of the organisation.
    pub(super) key: String,
    /// Number of its first user among all generated users.
    first_user: usize,
    /// Number of users that requests have used up, by use.
    taken: [Cell<usize>; 4],
}

/// Use of a user by a request. No user is used twice, so that each request finds the user unchanged.
#[derive(Clone, Copy, Debug)]
pub(super) enum UserUse {
    Update,
    Invite,
    Delete,
    Mail,
}

impl Organisation {
    /// Returns the id of a user that no request has used.
    ///
    /// One user in seven is invited: invitations and mails take these in turn. Updates and deletions take active users.
    pub(super) fn take_user(&self, user_use: UserUse) -> anyhow::Result<u64> {
        let (step, offset) = match user_use {
            UserUse::Invite => (14, 0),
            UserUse::Mail => (14, 7),
            UserUse::Update => (7, 1),
            UserUse::Delete => (7, 2),
        };
        let taken = &self.taken[user_use as usize];
        let number = self.first_invited() + step * taken.replace(taken.get() + 1) + offset;
        ensure!(number < self.first_user + self.users, "{} users are too few for so many requests", self.users);
        Ok(generated_users::user_id(number))
    }

    /// Returns the address of a user that no request changes.
    pub(super) fn unchanged_email(&self) -> anyhow::Result<String> {
        let user = generated_users::generate_user(self.first_invited() + 4, self.users as u64)?;
        Ok(user.email.as_str().to_owned())
    }

    /// Returns the number of its first invited user. Users are invited whose number is divisible by seven.
    fn first_invited(&self) -> usize {
        self.first_user.next_multiple_of(7)
    }
}

/// Loads organisations of these sizes.
pub(super) async fn load_orgs(
    store: &Stores,
    dynamodb: &EmbeddedDynamo,
    sizes: &[usize],
) -> anyhow::Result<Vec<Organisation>> {
    let mut orgs = Vec::new();
    let mut first_user = 0;
    for users in sizes {
        orgs.push(load_org(store, dynamodb, *users, first_user).await?);
        first_user += users;
    }
    Ok(orgs)
}

async fn load_org(
    store: &Stores,
    dynamodb: &EmbeddedDynamo,
    users: usize,
    first_user: usize,
) -> anyhow::Result<Organisation> {
    // The id of an organisation is its number of users.
    let org = users as u64;
    let org_id = OrgId::new(org).context("an organisation")?;
    store.businesses.put_org(&Org { id: org_id, name: format!("Chain of {users}") }).await?;
    let generated = (first_user..first_user + users).map(|number| generated_users::generate_user(number, org));
    let mut items = store.users.to_items(&generated.collect::<anyhow::Result<Vec<_>>>()?)?;
    while !items.is_empty() {
        let rest = items.split_off(items.len().min(IMPORT_CHUNK));
        dynamodb.import(&store.database.name(&schema::USERS), items)?;
        items = rest;
    }
    let key = create_caller(store, Role::OrgAdmin, org, SystemClock.now()).await?;
    Ok(Organisation { users, key, first_user, taken: Default::default() })
}

/// Creates the users table without a stream: at every write to a table with one, the embedded database searches all of its
/// stream records.
pub(super) async fn create_users_table(url: &str) -> anyhow::Result<()> {
    let table = Table { stream: None, ..schema::USERS };
    table.create(&Client::new(&sdk_config(url)), &format!("{PREFIX}users")).send().await?;
    Ok(())
}

/// Creates an active user with a role in an organisation, or in none if it is a PROVIDER. Returns a key of the user.
pub(crate) async fn create_caller(store: &Stores, role: Role, org: u64, now: Timestamp) -> anyhow::Result<String> {
    // A number that no loaded user has: the address must be free.
    let template = generate_user(usize::MAX >> 16, org)?;
    let org_id = template.org_id.filter(|_| role != Role::Provider);
    let id = UserId::random();
    let caller = User { id, role, org_id, status: Status::Active, business_ids: Vec::new(), ..template };
    let actor = Actor::Operator(OperatorName::local("bench").context("the name of an operator")?);
    let created = store.users.write(None, &UserChange::by(&actor, AuditAction::Create, caller, now)).await;
    created.map_err(|error| anyhow!("{error:?}"))?;
    let issued = store.users.issue_key(id, &NewApiKey::default(), &actor, now).await;
    issued.map(|issued| issued.key.expose().to_owned()).ok().context("a new user can have a key")
}
