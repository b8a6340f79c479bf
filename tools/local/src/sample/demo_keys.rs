//! Demo keys: an API key for the first user of each role, printed at the start.

use std::collections::BTreeMap;

use anyhow::{Context as _, anyhow};
use jiff::Timestamp;
use presence_domain::api_key::{ApiKeyId, PlaintextApiKey};
use presence_domain::audit::Actor;
use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_domain::key_rights::{KeyAccess, KeyRights};
use presence_domain::user::Role;
use presence_store::{ApiKeyError, NewApiKey, Stores};

/// Role, address and known key of each demo user. Everyone knows these keys: they give access to tables on this machine only.
const DEMO_USERS: [(Role, &str, &str); 3] = [
    (Role::Provider, "ines.moreau@presence.example", "pk_ExampleKeyOfTheProvider00000002Y4yOn"),
    (Role::OrgAdmin, "camille.bernard@maison-verte.example", "pk_ExampleKeyOfTheOrgAdmin00000001gBpoe"),
    (Role::BusinessManager, "zoe.dubois@maison-verte.example", "pk_ExampleKeyOfTheManager000000002g2yxP"),
];
/// Known key of the demo `ORG_ADMIN` that may only read. Examples and events name it; a sample with random keys has none.
const READ_KEY: &str = "pk_ExampleKeyOfAReadOnlyReport0012KUpp3";
/// Label of the demo keys. It marks the keys of earlier starts, which are revoked.
const DEMO_LABEL: &str = "demo";

/// Demo keys in plain text, by the name of the role.
pub type DemoKeys = BTreeMap<&'static str, String>;

/// Issues a key for each demo user: the known one, or a random one. With random keys, the known ones give no access any more.
pub(super) async fn issue(store: &Stores, are_known: bool, by: &Actor, now: Timestamp) -> anyhow::Result<DemoKeys> {
    let mut keys = DemoKeys::new();
    for (role, address, known) in DEMO_USERS {
        let known = are_known.then(|| PlaintextApiKey::parse(known).context("a known key")).transpose()?;
        if let Some(key) = replace_demo_key(store, address, known.as_ref(), by, now).await? {
            keys.insert(role.as_str(), key);
        }
    }
    let address = EmailAddress::parse(DEMO_USERS[1].1).map_err(|text| anyhow!("address {text}"))?;
    if let Some(owner) = store.users.get_id_by_email(address.key()).await? {
        let key = PlaintextApiKey::parse(READ_KEY).context("a known key")?;
        if are_known {
            issue_read_key(store, owner, &key, by, now).await?;
        } else {
            revoke_if_issued(store, ApiKeyId::new(owner, &key.hash()), by, now).await?;
        }
    }
    Ok(keys)
}

/// Issues the known key that may only read. A later start issues it again.
async fn issue_read_key(
    store: &Stores,
    owner: UserId,
    key: &PlaintextApiKey,
    by: &Actor,
    now: Timestamp,
) -> anyhow::Result<()> {
    let rights = KeyRights { access: KeyAccess::Read, ..KeyRights::default() };
    let new = NewApiKey { label: Some("report".to_owned()), rights };
    match store.users.issue_given_key(owner, key, &new, by, now).await {
        Ok(_) | Err(ApiKeyError::OwnerNotActive | ApiKeyError::TooMany(_)) => Ok(()),
        Err(error) => Err(into_error(error)),
    }
}

/// Revokes a key. One that was never issued, or is deleted, is none.
async fn revoke_if_issued(store: &Stores, id: ApiKeyId, by: &Actor, now: Timestamp) -> anyhow::Result<()> {
    match store.users.revoke_key(id, by, now).await {
        Ok(()) | Err(ApiKeyError::NotFound) => Ok(()),
        Err(error) => Err(into_error(error)),
    }
}

/// Revokes the earlier demo keys of a user and issues a new one. Returns `None` if the user is deleted or not active.
async fn replace_demo_key(
    store: &Stores,
    address: &str,
    known: Option<&PlaintextApiKey>,
    by: &Actor,
    now: Timestamp,
) -> anyhow::Result<Option<String>> {
    let address = EmailAddress::parse(address).map_err(|text| anyhow!("address {text}"))?;
    let Some(id) = store.users.get_id_by_email(address.key()).await? else { return Ok(None) };
    for key in store.users.list_keys(id).await?.unwrap_or_default() {
        if key.label.as_deref() == Some(DEMO_LABEL) && key.is_live(now) {
            store.users.revoke_key(key.id(), by, now).await.map_err(into_error)?;
        }
    }
    let new = NewApiKey { label: Some(DEMO_LABEL.to_owned()), ..NewApiKey::default() };
    let issued = match known {
        Some(key) => store.users.issue_given_key(id, key, &new, by, now).await,
        None => store.users.issue_key(id, &new, by, now).await,
    };
    match issued {
        Ok(issued) => Ok(Some(issued.key.expose().to_owned())),
        Err(ApiKeyError::OwnerNotActive | ApiKeyError::TooMany(_)) => Ok(None),
        Err(error) => Err(into_error(error)),
    }
}

fn into_error(error: ApiKeyError) -> anyhow::Error {
    match error {
        ApiKeyError::Failed(error) => error.into(),
        other => anyhow!("a demo key was refused: {other:?}"),
    }
}
