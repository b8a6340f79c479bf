//! The keys that a start prints.

use std::collections::BTreeMap;

use anyhow::anyhow;
use jiff::Timestamp;
use presence::domain::email::EmailAddress;
use presence::domain::user::Role;
use presence::store::{KeyRefused, NewApiKey, Store};

/// Whose keys are printed: the first of each role in the sample.
const DEMO_USERS: [(Role, &str); 3] = [
    (Role::Provider, "ines.moreau@presence.example"),
    (Role::OrgAdmin, "camille.bernard@maison-verte.example"),
    (Role::BusinessManager, "zoe.dubois@maison-verte.example"),
];
/// What the demo keys are called: those of an earlier start are known by it.
const DEMO_LABEL: &str = "demo";

/// Role → key, in plain text: for the developer's eyes.
pub type DemoKeys = BTreeMap<&'static str, String>;

/// Fresh keys of the demo users.
pub(super) async fn keys(store: &Store, now: Timestamp) -> anyhow::Result<DemoKeys> {
    let mut keys = DemoKeys::new();
    for (role, address) in DEMO_USERS {
        if let Some(key) = demo_key(store, address, now).await? {
            keys.insert(role.as_str(), key);
        }
    }
    Ok(keys)
}

/// A fresh key of a demo user, in the place of those of earlier starts; none when the user is gone or not active.
async fn demo_key(store: &Store, address: &str, now: Timestamp) -> anyhow::Result<Option<String>> {
    let address = EmailAddress::parse(address).map_err(|text| anyhow!("address {text}"))?;
    let Some(id) = store.user_id_by_email(address.key()).await? else { return Ok(None) };
    for key in store.keys_of(id).await?.unwrap_or_default() {
        if key.label.as_deref() == Some(DEMO_LABEL) && key.is_live(now) {
            store.revoke_key(&key.id(), now).await.map_err(refused)?;
        }
    }
    let new = NewApiKey { label: Some(DEMO_LABEL.to_owned()), expires_at: None };
    match store.issue_key(id, &new, now).await {
        Ok(issued) => Ok(Some(issued.key.expose().to_owned())),
        Err(KeyRefused::OwnerNotActive | KeyRefused::TooMany) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

fn refused(refusal: KeyRefused) -> anyhow::Error {
    match refusal {
        KeyRefused::Failed(error) => error.into(),
        other => anyhow!("a demo key was refused: {other:?}"),
    }
}
