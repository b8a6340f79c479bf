//! All users of an organisation, for operators.

use crate::UserStore;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::{Role, Status};
use presence_domain::user_directory::{ListedUser, UserFilter};

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

    /// Returns the ids of the active administrators of an organisation, as [`UserStore::list_members`].
    pub async fn list_active_admins(&self, org_id: OrgId) -> Result<Vec<UserId>, Error> {
        let active = UserFilter { status: Some(Status::Active), ..UserFilter::default() };
        let members = self.list_members(Some(org_id), &active).await?;
        Ok(members.into_iter().filter(|member| member.role == Role::OrgAdmin).map(|member| member.id).collect())
    }
}
