//! Sample data that looks real, and a key for each role.

use std::collections::BTreeMap;

use anyhow::{Context as _, anyhow};
use jiff::Timestamp;
use presence::access::Scope;
use presence::domain::category::CategoryRow;
use presence::domain::email::EmailAddress;
use presence::domain::ids::{BusinessId, OrgId, UserId};
use presence::domain::invitation::InvitationLinks;
use presence::domain::user::{Lang, PersonName, Phone, Role, Status, User};
use presence::store::{Business, KeyRefused, MailChange, NewApiKey, Org, Refused, Store, UserChange};
use serde::Deserialize;
use serde::de::DeserializeOwned;

const ORGS: &str = include_str!("../sample/orgs.jsonl");
const BUSINESSES: &str = include_str!("../sample/businesses.jsonl");
const CATEGORIES: &str = include_str!("../sample/categories.jsonl");
const USERS: &str = include_str!("../sample/users.jsonl");

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

#[derive(Deserialize)]
struct OrgRow {
    id: u64,
    name: String,
}

#[derive(Deserialize)]
struct BusinessRow {
    id: String,
    org_id: u64,
    name: String,
    city: String,
}

#[derive(Deserialize)]
struct UserRow {
    first_name: String,
    last_name: String,
    email: String,
    role: String,
    org_id: Option<u64>,
    status: String,
    lang: Option<String>,
    phone: Option<String>,
    business_ids: Vec<String>,
}

/// Loads the sample where there are no users yet, and issues fresh demo keys.
pub(crate) async fn load(store: &Store, now: Timestamp) -> anyhow::Result<DemoKeys> {
    if store.count_users(Scope::for_operator()).await?.count() == 0 {
        for row in rows::<OrgRow>(ORGS) {
            store.put_org(&org(row?)?).await?;
        }
        for row in rows::<BusinessRow>(BUSINESSES) {
            store.put_business(&business(row?)?).await?;
        }
        for row in rows::<UserRow>(USERS) {
            write(store, &user(row?)?, now).await?;
        }
        load_categories(store).await?;
    }
    let mut keys = DemoKeys::new();
    for (role, address) in DEMO_USERS {
        if let Some(key) = demo_key(store, address, now).await? {
            keys.insert(role.as_str(), key);
        }
    }
    Ok(keys)
}

async fn load_categories(store: &Store) -> anyhow::Result<()> {
    let mut import = store.begin_category_import(false).await?;
    for row in rows::<CategoryRow>(CATEGORIES) {
        import.put(row?.read().map_err(|text| anyhow!("sample category: {text}"))?).await?;
    }
    Ok(import.publish().await?)
}

fn rows<T: DeserializeOwned>(file: &str) -> impl Iterator<Item = anyhow::Result<T>> {
    file.lines().map(|line| serde_json::from_str(line).with_context(|| format!("sample row {line}")))
}

fn org(row: OrgRow) -> anyhow::Result<Org> {
    Ok(Org { id: OrgId::new(row.id).context("org id")?, name: row.name })
}

fn business(row: BusinessRow) -> anyhow::Result<Business> {
    Ok(Business {
        id: BusinessId::parse(&row.id).context("business id")?,
        org_id: OrgId::new(row.org_id).context("org id")?,
        name: row.name,
        city: row.city,
    })
}

fn user(row: UserRow) -> anyhow::Result<User> {
    let status = Status::ALL.into_iter().find(|status| status.as_str() == row.status).context("status")?;
    Ok(User {
        id: UserId::random(),
        version: 1,
        status,
        role: Role::ALL.into_iter().find(|role| role.as_str() == row.role).context("role")?,
        org_id: row.org_id.map(|number| OrgId::new(number).context("org id")).transpose()?,
        first_name: PersonName::parse(&row.first_name).map_err(|text| anyhow!("first name {text}"))?,
        last_name: PersonName::parse(&row.last_name).map_err(|text| anyhow!("last name {text}"))?,
        email: EmailAddress::parse(&row.email).map_err(|text| anyhow!("address {text}"))?,
        phone: row.phone.and_then(|phone| Phone::parse(&phone).ok().flatten()),
        lang: row.lang.and_then(|lang| Lang::parse(&lang)),
        business_ids: row.business_ids.iter().filter_map(|id| BusinessId::parse(id)).collect(),
        password: None,
        // Not sent a mail: an invitation can be tried at once.
        invited_at: None,
        quiet_until: None,
        links: InvitationLinks::default(),
        keys: Vec::new(),
    })
}

async fn write(store: &Store, user: &User, now: Timestamp) -> anyhow::Result<()> {
    let change = UserChange { before: None, after: Some(user), mail: MailChange::Keep, keep_an_admin: false, now };
    match store.write_user(change).await {
        Ok(()) => Ok(()),
        Err(Refused::Failed(error)) => Err(error.into()),
        Err(refused) => Err(anyhow!("a sample user was refused: {refused:?}")),
    }
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
