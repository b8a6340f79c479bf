//! All users of an organisation, for operators, and its administrators, for notices.

use crate::client::read::{Item, Partition, text};
use crate::keys::{listing, org_key};
use crate::{UserStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::{Role, Status};
use presence_domain::user_directory::{ListedUser, UserFilter};

/// Number of users in one page of a Query: a third of the 1 MB that DynamoDB reads at once.
const PAGE: i32 = 1_000;
/// Largest number of pages: enough for a million active users of one organisation.
const MAX_PAGES: usize = 1_000;

impl UserStore {
    /// Returns the organisations that have users, in the order of their numbers, by strong reads. `None` comes first if there are
    /// users of no organisation.
    pub async fn list_orgs_with_users(&self) -> Result<Vec<Option<OrgId>>, Error> {
        let heads = self.list_heads().await?.into_iter();
        Ok(heads.filter(|(_, head)| head.count() > 0).map(|(org_id, _)| org_id).collect())
    }

    /// Returns the users of an organisation that the filter admits, ordered by name, as they are at one instant during the call.
    ///
    /// They come from the directory, which its head proves complete. It costs a read unit for each 32 users of the organisation.
    pub async fn list_members(&self, org_id: Option<OrgId>, filter: &UserFilter) -> Result<Vec<ListedUser>, Error> {
        let started = self.directory_cache.start_request();
        let head = self.get_head(org_id).await?;
        let directory = self.get_directory(org_id, head, started).await?;
        Ok(directory.search(filter)?.into_iter().map(|position| directory.user(position)).collect())
    }

    /// Returns the ids of the active administrators of an organisation; `None` while the index that has them lags behind the head, which
    /// knows their number. It costs half a read unit for each 4 KB of active users.
    pub async fn list_active_admins(&self, org_id: OrgId) -> Result<Option<Vec<UserId>>, Error> {
        let active = ["", "\u{10ffff}"].map(|name_order| listing(Status::Active, name_order));
        let partition = Partition {
            table: &schema::USERS,
            index: Some(&schema::STATUS_INDEX),
            value: text(org_key(Some(org_id))),
            between: Some(active.into()),
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        let (head, listed) = futures::try_join!(self.get_head(Some(org_id)), self.db.query(partition))?;
        let of = |item: &Item, name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned();
        let admins = listed.iter().filter(|item| of(item, "role").as_deref() == Some(Role::OrgAdmin.as_str()));
        let admins: Vec<_> = admins.filter_map(|item| UserId::parse(&of(item, "id")?)).collect();
        Ok((i64::try_from(admins.len()) == Ok(head.admins)).then_some(admins))
    }
}
