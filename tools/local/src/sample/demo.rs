//! The keys that a start prints.

use std::collections::BTreeMap;

use anyhow::{Context as _, anyhow};
use jiff::Timestamp;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::email::EmailAddress;
use presence_domain::user::Role;
use presence_store::{KeyRefused, NewApiKey, Store};

/// Whose keys are printed: the first of each role in the sample; and the keys that are theirs where keys are fixed. They are
/// known to everybody, and open nothing but the sample on one's own machine.
const DEMO_USERS: [(Role, &str, &str); 3] = [
    (Role::Provider, "ines.moreau@presence.example", "pk_ExampleKeyOfTheProvider00000002Y4yOn"),
    (Role::OrgAdmin, "camille.bernard@maison-verte.example", "pk_ExampleKeyOfTheOrgAdmin00000001gBpoe"),
    (Role::BusinessManager, "zoe.dubois@maison-verte.example", "pk_ExampleKeyOfTheManager000000002g2yxP"),
];
/// What the demo keys are called: those of an earlier start are known by it.
const DEMO_LABEL: &str = "demo";

/// Role → key, in plain text: for the developer's eyes.
pub type DemoKeys = BTreeMap<&'static str, String>;

/// Keys of the demo users: fresh ones, or the fixed ones.
pub(super) async fn keys(store: &Store, is_fixed: bool, now: Timestamp) -> anyhow::Result<DemoKeys> {
    let mut keys = DemoKeys::new();
    for (role, address, fixed) in DEMO_USERS {
        let fixed = is_fixed.then(|| PlaintextApiKey::parse(fixed).context("a fixed key")).transpose()?;
        if let Some(key) = demo_key(store, address, fixed.as_ref(), now).await? {
            keys.insert(role.as_str(), key);
        }
    }
    Ok(keys)
}

/// A key of a demo user, in the place of those of earlier starts; none when the user is gone or not active.
async fn demo_key(
    store: &Store,
    address: &str,
    fixed: Option<&PlaintextApiKey>,
    now: Timestamp,
) -> anyhow::Result<Option<String>> {
    let address = EmailAddress::parse(address).map_err(|text| anyhow!("address {text}"))?;
    let Some(id) = store.user_id_by_email(address.key()).await? else { return Ok(None) };
    for key in store.keys_of(id).await?.unwrap_or_default() {
        if key.label.as_deref() == Some(DEMO_LABEL) && key.is_live(now) {
            store.revoke_key(&key.id(), now).await.map_err(refused)?;
        }
    }
    let new = NewApiKey { label: Some(DEMO_LABEL.to_owned()), expires_at: None };
    let issued = match fixed {
        Some(key) => store.issue_given_key(id, key, &new, now).await,
        None => store.issue_key(id, &new, now).await,
    };
    match issued {
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
