//! Search of users by a part of their addresses, over all organisations, for operators. It reads `email-index`.

use std::collections::HashSet;

use serde::Deserialize;

use crate::client::attributes::with_attributes;
use crate::client::read::{Item, Partition, pk_sk, text};
use crate::format::{USER, parse_as};
use crate::keys::{USER_SK, user_pk};
use crate::{UserStore, schema};
use presence_domain::email_pattern::EmailPattern;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::{Role, Status};

/// Index entries in one page: about 150 KB, and at most ten batches of users.
const PAGE: i32 = 1_000;

/// User found by address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundUser {
    /// Identifier of the user.
    pub id: UserId,
    /// Organisation of the user; none for those outside organisations.
    pub org_id: Option<OrgId>,
    /// Status in the life of the account.
    pub status: Status,
    /// Role that the policy table knows.
    pub role: Role,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Address as it was typed.
    pub email: String,
    email_key: String,
}

with_attributes! {
    /// Attributes of a user that are shown.
    #[derive(Deserialize)]
    struct FoundItem {
        id: String,
        status: String,
        role: String,
        org_id: Option<u64>,
        first_name: String,
        last_name: String,
        email: String,
        email_key: String,
    }
}

/// Search by a pattern of addresses, page by page.
///
/// The index lags: a user written a moment ago may be missing. Each match is read strongly and checked again, so that the search
/// never shows an outdated user.
#[derive(Debug)]
pub struct EmailSearch<'a> {
    store: &'a UserStore,
    pattern: EmailPattern,
    position: SearchPosition,
    /// Users found so far. An entry that moves while the index is read may come twice.
    seen: HashSet<UserId>,
}

#[derive(Debug)]
enum SearchPosition {
    Start,
    /// After the entry with this key.
    After(Item),
    End,
}

impl UserStore {
    /// Starts a search for users whose addresses match the pattern, over all organisations. Makes no call.
    pub fn search_emails(&self, pattern: EmailPattern) -> EmailSearch<'_> {
        EmailSearch { store: self, pattern, position: SearchPosition::Start, seen: HashSet::new() }
    }
}

impl EmailSearch<'_> {
    /// Returns the users of the next page, in the order of their addresses; it may be empty. `None` after the last page.
    ///
    /// An address costs two units. A domain costs half a unit for each 4 KB of its entries, which are some 25 users. A local part
    /// costs the same for the whole index. Each match costs one more unit.
    pub async fn next_page(&mut self) -> Result<Option<Vec<FoundUser>>, Error> {
        let start = match std::mem::replace(&mut self.position, SearchPosition::End) {
            SearchPosition::Start => None,
            SearchPosition::After(key) => Some(key),
            SearchPosition::End => return Ok(None),
        };
        let mut ids = self.candidates(start).await?;
        ids.retain(|id| self.seen.insert(*id));
        let keys = ids.into_iter().map(|id| pk_sk(user_pk(id), USER_SK)).collect();
        let items = self.store.db.get_batch(&schema::USERS, keys, FoundItem::ATTRIBUTES).await?;
        let mut users = items.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        users.retain(|user| self.pattern.admits(&user.email_key));
        users.sort_unstable_by(|one, other| one.email_key.cmp(&other.email_key));
        Ok(Some(users))
    }

    /// Returns users that may match: from the reservation of an address, else from one page of the index.
    async fn candidates(&mut self, start: Option<Item>) -> Result<Vec<UserId>, Error> {
        let index = &schema::EMAIL_INDEX;
        let (entries, next) = match &self.pattern {
            EmailPattern::Address(key) => return Ok(self.store.get_id_by_email(key).await?.into_iter().collect()),
            EmailPattern::Domain(domain) => {
                let value = text(domain);
                let index = Some(index);
                let partition =
                    Partition { table: &schema::USERS, index, value, between: None, page: PAGE, max_pages: 1 };
                self.store.db.query_page(&partition, start).await?
            }
            EmailPattern::LocalPart(local) => {
                let prefix = Some(("email_key", format!("{local}@")));
                self.store.db.scan_index_page(&schema::USERS, index, PAGE, prefix, start).await?
            }
        };
        self.position = next.map_or(SearchPosition::End, SearchPosition::After);
        let id = |entry: Item| entry.get("id").and_then(|id| id.as_s().ok()).and_then(|id| UserId::parse(id));
        Ok(entries.into_iter().filter_map(id).collect())
    }
}

fn read(item: Item) -> Result<FoundUser, Error> {
    let stored: FoundItem = parse_as(USER, item)?;
    found(stored).ok_or_else(|| Error::internal("a stored user breaks the rules of its fields"))
}

fn found(stored: FoundItem) -> Option<FoundUser> {
    Some(FoundUser {
        id: UserId::parse(&stored.id)?,
        org_id: match stored.org_id {
            Some(number) => Some(OrgId::new(number)?),
            None => None,
        },
        status: Status::parse(&stored.status)?,
        role: Role::parse(&stored.role)?,
        first_name: stored.first_name,
        last_name: stored.last_name,
        email: stored.email,
        email_key: stored.email_key,
    })
}
