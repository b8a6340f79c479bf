//! Random histories of a service, each restored to a random instant: no user, key or link can do more than before the restore.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::ids::UserId;
use presence_domain::invitation::ActivationToken;
use presence_domain::rate_limit::KeyLimit;
use presence_domain::user::{Role, Status, User};
use presence_runtime::clock::Clock as _;
use presence_store::{ApiKeyRecord, NewApiKey};
use presence_tests::{TestStack, address, operator, rng, rounds};
use serde_json::{Value, json};

use super::restore_env::{RestoreEnv, send_mails};

/// Number of histories. There are more if nobody moves to the late organisation in any of them.
const HISTORIES: usize = 4;
/// Number of histories in which somebody moves there, for any seed.
const MAX_HISTORIES: usize = 100;
const STEPS: usize = 40;
/// Organisation that is created after the copy, so that the restored tables do not have it.
const LATE_ORG: u64 = 3;

struct History {
    env: RestoreEnv,
    rng: Rng,
    people: Vec<String>,
    keys: Vec<String>,
}

/// Rights of users, and their ways in.
struct Access {
    users: BTreeMap<String, User>,
    keys: BTreeMap<String, ApiKeyRecord>,
    open_links: BTreeSet<(String, String)>,
    at: Timestamp,
}

impl History {
    async fn start(rng: Rng) -> Self {
        let env = RestoreEnv::at_copy().await;
        env.recovery.hurry();
        let people = env.fixtures.people().into_iter().filter(|(name, _)| *name != "provider");
        let (people, keys): (Vec<_>, Vec<_>) = people.map(|(_, user)| (user.id.clone(), user.key.clone())).unzip();
        let keys = keys.into_iter().filter(|key| !key.is_empty()).collect();
        Self { env, rng, people, keys }
    }

    async fn step(&mut self) {
        let Self { env, rng, people, keys } = self;
        let (stack, provider) = (&env.stack, &env.fixtures.provider.key);
        stack.clock.advance(SignedDuration::from_secs(rng.i64(1..600)));
        let (id, key) = (rng.choice(&*people).expect("people").clone(), rng.choice(&*keys).expect("keys").clone());
        match rng.u8(0..16) {
            0 => drop(stack.delete(&format!("/user/{id}"), provider).await),
            1 | 2 => drop(stack.invite(&id, provider).await),
            3 | 4 => {
                send_mails(&env.stack).await;
            }
            5 => {
                if let Some((id, token)) = rng.choice(links(stack)) {
                    let token = ActivationToken::parse(&token).expect("a token");
                    stack.accept(&id, &token, &format!("password {}", rng.u64(..))).await;
                }
            }
            6 => {
                let new = json!({ "email": address(&format!("m{}", rng.u8(0..8))), "first_name": "Zoe", "last_name": "Roy",
                    "org_id": 1, "status": rng.choice(["active", "invited"]), "send_invitation": true });
                let created = stack.post("/user", provider, &new).await;
                people.extend(created.json()["id"].as_str().map(str::to_owned));
            }
            7 | 8 => keys.extend(change_key(stack, rng, &id, &key).await),
            _ => drop(stack.post(&format!("/user/{id}"), provider, &update(rng)).await),
        }
    }

    async fn access(&self, stack: &TestStack) -> Access {
        let (mut users, mut keys, mut open_links) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for id in &self.people {
            users.extend(stack.stored(id).await.map(|stored| (id.clone(), stored.user)));
        }
        for key in &self.keys {
            let hash = PlaintextApiKey::parse(key).expect("a key").hash();
            let record = stack.stores().api_keys.get(&hash).await.expect("the store answers");
            keys.extend(record.map(|record| (key.clone(), record)));
        }
        for (id, token) in links(&self.env.stack) {
            if stack.follow(&id, &ActivationToken::parse(&token).expect("a token")).await.status == 200 {
                open_links.insert((id, token));
            }
        }
        Access { users, keys, open_links, at: stack.clock.now() }
    }
}

/// Returns the users and tokens of the links that were mailed.
fn links(stack: &TestStack) -> Vec<(String, String)> {
    let mails = stack.local.mailbox().mails();
    let parts = mails.iter().flat_map(|mail| &mail.links).filter_map(|link| {
        let (user, token) = link.split_once("user=")?.1.split_once("&token=")?;
        Some((user.to_owned(), token.to_owned()))
    });
    parts.collect()
}

/// Returns the fields of a random update. Not all of them are allowed.
fn update(rng: &mut Rng) -> Value {
    let mut fields = json!({});
    let (org, number) = (rng.u64(1..=LATE_ORG), rng.u8(1..=3));
    for (name, value) in [
        ("role", json!(rng.choice(["PROVIDER", "ORG_ADMIN", "BUSINESS_MANAGER"]))),
        ("status", json!(rng.choice(["active", "invited"]))),
        ("password", json!(format!("password {}", rng.u64(..)))),
        ("email", json!(address(&format!("m{}", rng.u8(0..8))))),
        ("business_ids", json!([format!("b1-{number}")])),
    ] {
        if rng.u8(0..3) == 0 {
            fields[name] = value;
        }
    }
    if rng.u8(0..4) == 0 {
        (fields["org_id"], fields["business_ids"]) = (json!(org), json!([]));
    }
    fields
}

/// Issues, revokes, rotates or limits a key. Returns the new one.
async fn change_key(stack: &TestStack, rng: &mut Rng, owner: &str, key: &str) -> Option<String> {
    let (users, now, new) = (&stack.stores().users, stack.clock.now(), NewApiKey::default());
    let owner = UserId::parse(owner).expect("an id");
    let hash = PlaintextApiKey::parse(key).expect("a key").hash();
    let id = stack.stores().api_keys.get(&hash).await.expect("the store answers")?.id();
    let issued = match rng.u8(0..4) {
        0 => users.issue_key(owner, &new, &operator(), now).await.ok(),
        1 => {
            let ends_at = now + SignedDuration::from_hours(rng.i64(0..3));
            users.rotate_key(id, &new, ends_at, &operator(), now).await.ok()
        }
        2 => users.revoke_key(id, &operator(), now).await.ok().and(None),
        _ => {
            let limit = KeyLimit::from_number(rng.u32(1..100)).expect("a limit");
            users.set_key_limit(id, limit, &operator(), now).await.ok().and(None)
        }
    };
    issued.map(|issued| issued.key.expose().to_owned())
}

/// Returns the things that a user has and did not have before.
pub(crate) fn gains_of_user(user: &User, before: Option<&User>) -> Vec<&'static str> {
    let Some(before) = before else { return vec!["existence"] };
    let has_all = before.role == Role::Provider;
    let is_role_within = has_all || (user.role <= before.role && user.org_id == before.org_id);
    let are_listed = user.business_ids.iter().all(|id| before.business_ids.contains(id));
    let is_list_within = has_all || before.role > user.role || are_listed;
    let is_active = user.status == Status::Active;
    let gains = [
        ("access", is_active && before.status != Status::Active),
        ("rights", is_active && !(is_role_within && is_list_within)),
        ("a password", user.password.is_some() && user.password != before.password),
        ("an address", is_active && user.email.key() != before.email.key()),
    ];
    gains.into_iter().filter(|(_, is_gained)| *is_gained).map(|(name, _)| name).collect()
}

/// True if a key gives no access, or did so before, for as long and as often.
pub(crate) fn is_key_within(key: &ApiKeyRecord, before: Option<&ApiKeyRecord>, at: Timestamp) -> bool {
    let Some(principal) = key.principal(at) else { return true };
    let Some((before, former)) = before.and_then(|before| Some((before, before.principal(at)?))) else { return false };
    let ends_in_time = before.expires_at.is_none_or(|end| key.expires_at.is_some_and(|expires_at| expires_at <= end));
    principal.role <= former.role && ends_in_time && key.limit == before.limit
}

impl Access {
    fn assert_within(&self, before: &Self, then: &Self, report: &Value) {
        for (id, user) in &self.users {
            assert_eq!(
                gains_of_user(user, before.users.get(id)),
                Vec::<&str>::new(),
                "{user:?} {:?}",
                before.users.get(id)
            );
            let summary = |user: &User| {
                let User { role, org_id, status, business_ids, password, email, links, .. } = user.clone();
                (role, org_id, status, business_ids, password, email, links)
            };
            let named = ["restricted_users", "secured_users"].map(|list| report[list].as_array().expect("a list"));
            let is_named = named.iter().any(|ids| ids.contains(&json!(id)));
            assert!(is_named || summary(user) == summary(&then.users[id]), "{user:?} {report}");
        }
        for (key, record) in &self.keys {
            assert!(is_key_within(record, before.keys.get(key), self.at), "{record:?} {:?}", before.keys.get(key));
        }
        assert!(self.open_links.is_subset(&before.open_links), "a link works again");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_restore_of_a_random_history_gives_anything_back() {
    let mut rng = rng("histories of restores");
    let (mut number, mut secured) = (0, 0);
    while number < rounds(HISTORIES) || secured == 0 {
        number += 1;
        assert!(number <= rounds(MAX_HISTORIES), "nobody moved to an organisation that was created since");
        let mut history = History::start(rng.fork()).await;
        let copied_after = history.rng.usize(5..STEPS - 10);
        let mut then = None;
        for step in 0..STEPS {
            history.step().await;
            if step == copied_after {
                history.env.copy_again().await;
                then = Some(history.access(&history.env.stack).await);
                history.env.stack.create_org(LATE_ORG).await;
            }
        }
        let before = history.access(&history.env.stack).await;
        let unreadable = history.rng.choice(before.users.keys()).expect("a user");
        history.env.stack.corrupt(unreadable, "none").await;
        let report = history.env.restore("").await;
        let stack = history.env.restored_stack().await;
        history.access(&stack).await.assert_within(&before, &then.expect("a copy"), &report);
        let restored = history.env.content(&history.env.restored_prefix()).await;
        let again = history.env.restore("").await;
        assert_eq!(again["secured_users"], report["secured_users"]);
        assert!(history.env.content(&history.env.restored_prefix()).await == restored, "another run writes nothing");
        secured += report["secured_users"].as_array().expect("a list").len();
    }
}
