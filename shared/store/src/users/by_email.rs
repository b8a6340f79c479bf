//! Search of users by address. The reservation of the address names the one user, so no directory is read.

use super::find::BusinessIds;
use super::item::{business_ids, from_item, listed_user};
use crate::client::read::{Item, pk_sk};
use crate::keys::{USER_SK, user_pk};
use crate::{UserStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::page::{Page, PageRequest};
use presence_domain::user_directory::{ListedUser, UserDirectory, UserFilter};

impl UserStore {
    /// Searches as [`UserStore::search_with_businesses`] does, for a filter that names an address. Makes two strong reads: of the
    /// reservation, and of the user that holds it, or of nobody.
    ///
    /// A user that gives the address up between the two reads is not found. That is right: the reservation is deleted in the same
    /// transaction, so nobody had the address at that instant.
    pub(super) async fn find_by_email(
        &self,
        scope: Scope,
        org_id: Option<OrgId>,
        filter: &UserFilter,
        request: PageRequest,
        email_key: &str,
    ) -> Result<(Page<ListedUser>, BusinessIds), Error> {
        // The same two reads if nobody has the address: the time of an answer must not tell who is in another organisation.
        let holder = self.get_id_by_email(email_key).await?.unwrap_or_else(UserId::random);
        let item = self.item_in(scope, org_id, holder).await?;
        let Some(item) = item else { return Ok((Page { request, count: 0, items: Vec::new() }, BusinessIds::new())) };
        let user = listed_user(item.clone())?;
        // The filter includes the address, so it does not match a user who has given it up.
        let count = UserDirectory::new(std::slice::from_ref(&user)).search(filter)?.len() as u64;
        let items = request.range(count).map(|_| user.clone()).collect();
        let (id, (_, business_ids)) = business_ids(item)?;
        Ok((Page { request, count, items }, BusinessIds::from([(id, business_ids)])))
    }

    /// Gets the item of a user by a strong read, if the user is in the scope and in the organisation of the filter.
    async fn item_in(&self, scope: Scope, org_id: Option<OrgId>, id: UserId) -> Result<Option<Item>, Error> {
        let Some(item) = self.db.get(&schema::USERS, pk_sk(user_pk(id), USER_SK)).await? else { return Ok(None) };
        let user_org = from_item(item.clone())?.user.org_id;
        let is_in = scope.covers(user_org) && (org_id.is_none() || user_org == org_id);
        Ok(is_in.then_some(item))
    }
}
