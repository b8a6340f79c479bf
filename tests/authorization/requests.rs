//! Callers, targets and the requests between them.

use std::sync::atomic::{AtomicU64, Ordering};

use presence_domain::user::{Role, Status};
use presence_tests::{AnyRoute, Fixtures, Reply, TestStack, TestUser, no_key_of, path_of, send};
use serde_json::{Value, json};

use super::expected_policy::Relation;

/// Body of every 404.
pub(super) const NOT_FOUND: &str = r#"{"errors":{"json":"not found"}}"#;

/// Ids of no user: an unknown one and malformed ones.
pub(super) const UNKNOWN_IDS: [&str; 8] =
    ["9007199254740991", "9007199254740992", "0", "01", "-1", "1.0", "abc", "99999999999999999999999999999999"];

/// User that calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// PROVIDER without organisation.
    Provider,
    /// PROVIDER in organisation 1.
    ProviderIn1,
    /// `ORG_ADMIN` of organisation 1.
    Admin,
    /// `BUSINESS_MANAGER` of organisation 1.
    Manager,
}

impl Caller {
    /// All callers.
    pub(super) const ALL: [Self; 4] = [Self::Provider, Self::ProviderIn1, Self::Admin, Self::Manager];

    pub(super) fn role(self) -> Role {
        match self {
            Self::Provider | Self::ProviderIn1 => Role::Provider,
            Self::Admin => Role::OrgAdmin,
            Self::Manager => Role::BusinessManager,
        }
    }

    pub(super) fn org(self) -> Option<u64> {
        (self != Self::Provider).then_some(1)
    }

    pub(super) fn user(self, fixtures: &Fixtures) -> &TestUser {
        match self {
            Self::Provider => &fixtures.provider,
            Self::ProviderIn1 => &fixtures.provider_in_1,
            Self::Admin => &fixtures.admin_1,
            Self::Manager => &fixtures.manager_1,
        }
    }
}

/// User that an operation is called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// User of the caller, with this role and organisation.
    SelfUser(Role, Option<u64>),
    /// Other user, with this role, organisation and status.
    Other(Role, Option<u64>, Status),
    /// One of [`UNKNOWN_IDS`].
    Nobody(&'static str),
}

impl Target {
    /// Returns all targets of a caller.
    pub(super) fn all(caller: Caller) -> Vec<Self> {
        let mut targets = vec![Self::SelfUser(caller.role(), caller.org())];
        for status in Status::ALL {
            let everywhere = [Some(1), Some(2)].into_iter().flat_map(|org| Role::ALL.map(|role| (role, org)));
            let people = everywhere.chain([(Role::Provider, None)]);
            targets.extend(people.map(|(role, org)| Self::Other(role, org, status)));
        }
        targets.extend(UNKNOWN_IDS.map(Self::Nobody));
        targets
    }

    pub(super) fn relation(self, caller: Caller) -> Relation {
        match self {
            Self::SelfUser(..) => Relation::SelfUser,
            Self::Other(role, org, _) if org.is_some() && org == caller.org() => Relation::Colleague(role),
            Self::Other(..) => Relation::Stranger,
            Self::Nobody(_) => Relation::Nobody,
        }
    }

    pub(super) fn role(self) -> Role {
        match self {
            Self::SelfUser(role, _) | Self::Other(role, _, _) => role,
            Self::Nobody(_) => Role::BusinessManager,
        }
    }

    pub(super) fn org(self) -> Option<u64> {
        match self {
            Self::SelfUser(_, org) | Self::Other(_, org, _) => org,
            Self::Nobody(_) => Some(1),
        }
    }

    pub(super) fn status(self) -> Status {
        match self {
            Self::Other(_, _, status) => status,
            Self::SelfUser(..) | Self::Nobody(_) => Status::Active,
        }
    }

    /// Returns the id of the target. Another user than the caller is created.
    pub(super) async fn create(self, stack: &TestStack, myself: &TestUser) -> String {
        match self {
            Self::SelfUser(..) => myself.id.clone(),
            Self::Nobody(id) => id.to_owned(),
            Self::Other(role, org, status) => {
                let local = format!("target-{}", next_number());
                stack.create_user(&local, role, org, status).await.id
            }
        }
    }
}

/// Returns a number that is used once, for addresses.
fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Returns the body of a valid create.
pub(super) fn newcomer() -> Value {
    let email = presence_tests::address(&format!("new-{}", next_number()));
    json!({"email": email, "first_name": "New", "last_name": "Comer"})
}

/// Category in the paths.
const CATEGORY: &str = "c-bank";

/// Calls an operation. The id and the body are used by the operations that take them.
pub(super) async fn call(stack: &TestStack, route: &AnyRoute, id: &str, key: &str, body: &Value) -> Reply {
    let mut path = path_of(route, id, CATEGORY);
    if route.path.contains("{key_id}") {
        path = path.replace(&no_key_of(id), &stack.newest_key(id).await);
    }
    if path.starts_with("/category/") {
        path += "?lang=GB";
    }
    // A PROVIDER must name the organisation.
    if ["list_events", "list_webhooks"].contains(&route.name) {
        path += "?org_id=1";
    }
    let request = stack.request(route.method, &path);
    let request = if key.is_empty() { request } else { request.header("x-api-key", key) };
    let reads_a_body = route.body == presence_api::Body::Json;
    let request =
        if reads_a_body { request.header("content-type", "application/json").body(body.to_string()) } else { request };
    send(request).await
}
