//! Rows of the sample files, and their conversion to domain types.

use anyhow::{Context as _, anyhow};
use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::InvitationLinks;
use presence_domain::user::{Lang, PersonName, Phone, Role, Status, User};
use presence_store::{Business, Org};
use serde::Deserialize;
use serde::de::DeserializeOwned;

const ORGS: &str = include_str!("../../sample/orgs.jsonl");
const BUSINESSES: &str = include_str!("../../sample/businesses.jsonl");
const USERS: &str = include_str!("../../sample/users.jsonl");

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
    id: String,
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

/// Parses a file of one JSON object a line.
pub(super) fn parse_lines<T: DeserializeOwned>(file: &str) -> impl Iterator<Item = anyhow::Result<T>> {
    file.lines().map(|line| serde_json::from_str(line).with_context(|| format!("sample row {line}")))
}

pub(super) fn orgs() -> anyhow::Result<Vec<Org>> {
    parse_lines(ORGS).map(|row| org(row?)).collect()
}

pub(super) fn businesses() -> anyhow::Result<Vec<Business>> {
    parse_lines(BUSINESSES).map(|row| business(row?)).collect()
}

/// Returns the users. The examples in the OpenAPI description use their ids.
pub(super) fn users() -> anyhow::Result<Vec<User>> {
    parse_lines(USERS).map(|row| user(row?)).collect()
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
    let status = Status::parse(&row.status).context("status")?;
    Ok(User {
        id: UserId::parse(&row.id).context("user id")?,
        version: 1,
        status,
        role: Role::parse(&row.role).context("role")?,
        org_id: row.org_id.map(|number| OrgId::new(number).context("org id")).transpose()?,
        first_name: PersonName::parse(&row.first_name).map_err(|text| anyhow!("first name {text}"))?,
        last_name: PersonName::parse(&row.last_name).map_err(|text| anyhow!("last name {text}"))?,
        email: EmailAddress::parse(&row.email).map_err(|text| anyhow!("address {text}"))?,
        phone: row.phone.and_then(|phone| Phone::parse(&phone).ok().flatten()),
        lang: row.lang.and_then(|lang| Lang::from_tag(&lang)),
        business_ids: row.business_ids.iter().filter_map(|id| BusinessId::parse(id)).collect(),
        password: None,
        // No invitation was sent, so that one can be sent at once.
        invited_at: None,
        quiet_until: None,
        links: InvitationLinks::default(),
        keys: Vec::new(),
    })
}
