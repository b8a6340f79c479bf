//! Item of a user.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::attributes::with_attributes;
use crate::client::read::Item;
use crate::format::{USER, item_as, parse_as};
use crate::keys::{USER_SK, listing, name_order, org_key, user_pk};
use crate::users::UserRecord;
use presence_domain::api_key::ApiKeyHash;
use presence_domain::email::EmailAddress;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::{ActivationTokenHash, InvitationLink, InvitationLinks, LinkState};
use presence_domain::password::PasswordHash;
use presence_domain::user::{DeliveryReport, Lang, PersonName, Phone, Role, Status, User};
use presence_domain::user_directory::{DirectoryUser, ListedUser, SEPARATOR, UserDirectoryBuilder};

#[derive(Serialize, Deserialize)]
struct UserItem {
    pk: String,
    sk: String,
    org: String,
    listing: String,
    id: String,
    version: u64,
    status: String,
    role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    org_id: Option<u64>,
    first_name: String,
    last_name: String,
    email: String,
    email_key: String,
    /// Empty in an item that lost it, which the audit finds.
    #[serde(default)]
    email_domain: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<String>,
    business_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    password_hash: Option<String>,
    /// Milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    invited_at: Option<i64>,
    /// Milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet_until: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkItem>,
    keys: Vec<String>,
    /// Sort key of the mail that waits in the outbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    mail: Option<String>,
    /// End of the delivery that this write recorded. The next write of the user leaves it out, so that the table's stream shows it once.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery: Option<String>,
}

/// Activation link that was sent to the user.
#[derive(Serialize, Deserialize)]
struct LinkItem {
    hash: String,
    /// Milliseconds since 1970.
    expires_at: i64,
    state: String,
}

/// Attributes of `status-index` that a directory reads. The status and the id are in `listing`.
pub(crate) const LISTED: [&str; 7] = ["listing", "version", "role", "first_name", "last_name", "email", "phone"];

with_attributes! {
    /// Attributes of a user's item that a directory reads.
    #[derive(Deserialize)]
    pub(crate) struct ListedItem {
        id: String,
        org: String,
        version: u64,
        status: String,
        role: String,
        first_name: String,
        last_name: String,
        email: String,
        phone: Option<String>,
    }
}

with_attributes! {
    /// Attributes of a user's item that tell its businesses.
    #[derive(Deserialize)]
    pub(super) struct BusinessIdsItem {
        id: String,
        version: u64,
        business_ids: Vec<String>,
    }
}

/// Serialises a user, and names its mail that waits in the outbox.
pub(crate) fn to_item(user: &User, mail: Option<&str>) -> Result<Item, Error> {
    to_item_after(user, mail, None)
}

/// Serialises a user as [`to_item`], with the end of the delivery that the write records.
pub(super) fn to_item_after(user: &User, mail: Option<&str>, delivery: Option<DeliveryReport>) -> Result<Item, Error> {
    let order = name_order(&user.last_name, &user.first_name, user.id);
    item_as(
        USER,
        &UserItem {
            pk: user_pk(user.id),
            sk: USER_SK.to_owned(),
            org: org_key(user.org_id),
            listing: listing(user.status, &order),
            id: user.id.to_string(),
            version: user.version,
            status: user.status.as_str().to_owned(),
            role: user.role.as_str().to_owned(),
            org_id: user.org_id.map(OrgId::get),
            first_name: user.first_name.as_str().to_owned(),
            last_name: user.last_name.as_str().to_owned(),
            email: user.email.as_str().to_owned(),
            email_key: user.email.key().to_owned(),
            email_domain: user.email.domain().to_owned(),
            phone: user.phone.as_ref().map(|phone| phone.as_str().to_owned()),
            lang: user.lang.map(|lang| lang.as_str().to_owned()),
            business_ids: user.business_ids.iter().map(|id| id.as_str().to_owned()).collect(),
            password_hash: user.password.as_ref().map(|hash| hash.as_phc().to_owned()),
            invited_at: user.invited_at.map(Timestamp::as_millisecond),
            quiet_until: user.quiet_until.map(Timestamp::as_millisecond),
            links: user.links.as_slice().iter().map(link_item).collect(),
            keys: user.keys.iter().map(ApiKeyHash::as_hex).collect(),
            mail: mail.map(str::to_owned),
            delivery: delivery.map(|report| report.as_str().to_owned()),
        },
    )
}

/// Parses the item of a user.
pub(crate) fn from_item(item: Item) -> Result<UserRecord, Error> {
    let mut stored: UserItem = parse_as(USER, item)?;
    let mail = stored.mail.take();
    let record = parse_user(stored).map(|user| UserRecord { user, mail });
    record.ok_or_else(|| Error::internal("a stored user breaks the rules of its fields"))
}

fn parse_user(stored: UserItem) -> Option<User> {
    Some(User {
        id: UserId::parse(&stored.id)?,
        version: stored.version,
        status: Status::parse(&stored.status)?,
        role: Role::parse(&stored.role)?,
        org_id: match stored.org_id {
            Some(number) => Some(OrgId::new(number)?),
            None => None,
        },
        first_name: PersonName::parse(&stored.first_name).ok()?,
        last_name: PersonName::parse(&stored.last_name).ok()?,
        email: EmailAddress::parse(&stored.email).ok()?,
        phone: stored.phone.and_then(|phone| Phone::parse(&phone).ok().flatten()),
        lang: stored.lang.and_then(|lang| Lang::from_tag(&lang)),
        business_ids: stored.business_ids.iter().map(|id| BusinessId::parse(id)).collect::<Option<_>>()?,
        password: stored.password_hash.map(PasswordHash::from_phc),
        invited_at: stored.invited_at.map(Timestamp::from_millisecond).transpose().ok()?,
        quiet_until: stored.quiet_until.map(Timestamp::from_millisecond).transpose().ok()?,
        links: InvitationLinks::new(stored.links.iter().map(link).collect::<Option<_>>()?),
        keys: stored.keys.iter().map(|hex| ApiKeyHash::from_hex(hex)).collect::<Option<_>>()?,
    })
}

fn link_item(link: &InvitationLink) -> LinkItem {
    LinkItem {
        hash: link.hash.as_hex(),
        expires_at: link.expires_at.as_millisecond(),
        state: link.state.as_str().to_owned(),
    }
}

fn link(stored: &LinkItem) -> Option<InvitationLink> {
    Some(InvitationLink {
        hash: ActivationTokenHash::from_hex(&stored.hash)?,
        expires_at: Timestamp::from_millisecond(stored.expires_at).ok()?,
        state: LinkState::parse(&stored.state)?,
    })
}

/// Adds an entry of `status-index` with the attributes [`LISTED`] to a directory. Parses by hand, since a cold function does it
/// for every user of an organisation.
pub(crate) fn add_listed(item: &Item, directory: &mut UserDirectoryBuilder) -> Result<(), Error> {
    let added = listed_row(item).map(|(row, name_order)| directory.push(&row, name_order));
    added.ok_or_else(|| Error::internal("a listed user breaks the rules of its fields"))
}

fn listed_row(item: &Item) -> Option<(DirectoryUser<'_>, &str)> {
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map(String::as_str);
    let (listed_status, name_order) = text("listing")?.split_once(SEPARATOR)?;
    let (_, id) = name_order.rsplit_once(SEPARATOR)?;
    let row = DirectoryUser {
        id: UserId::parse(id.trim_start_matches('0'))?,
        version: item.get("version")?.as_n().ok()?.parse().ok()?,
        status: Status::parse(listed_status)?,
        role: Role::parse(text("role")?)?,
        first_name: text("first_name")?,
        last_name: text("last_name")?,
        email: text("email")?,
        phone: text("phone").unwrap_or_default(),
    };
    Some((row, name_order))
}

/// Parses the attributes of [`ListedItem`], or a whole item; `None` if the user is in another organisation.
pub(crate) fn listed_in(item: Item, org_id: Option<OrgId>) -> Result<Option<ListedUser>, Error> {
    let stored: ListedItem = parse_as(USER, item)?;
    if stored.org != org_key(org_id) {
        return Ok(None);
    }
    from_listed(stored).map(Some)
}

/// Parses the attributes of a user that a search lists.
pub(super) fn listed_user(item: Item) -> Result<ListedUser, Error> {
    from_listed(parse_as(USER, item)?)
}

fn from_listed(stored: ListedItem) -> Result<ListedUser, Error> {
    let broken = || Error::internal("a stored user breaks the rules of its fields");
    Ok(ListedUser {
        id: UserId::parse(&stored.id).ok_or_else(broken)?,
        version: stored.version,
        status: Status::parse(&stored.status).ok_or_else(broken)?,
        role: Role::parse(&stored.role).ok_or_else(broken)?,
        first_name: stored.first_name,
        last_name: stored.last_name,
        email: stored.email,
        phone: stored.phone,
    })
}

/// Parses the id, the version and the businesses of a user.
pub(super) fn business_ids(item: Item) -> Result<(UserId, (u64, Vec<String>)), Error> {
    let stored: BusinessIdsItem = parse_as(USER, item)?;
    let id =
        UserId::parse(&stored.id).ok_or_else(|| Error::internal("a stored user breaks the rules of its fields"))?;
    Ok((id, (stored.version, stored.business_ids)))
}
