//! Reading single users.

use crate::client::read::{Item, Partition, pk_sk, text};
use crate::keys::{LOCK_SK, USER_SK, lock_pk, user_pk};
use crate::outbox::OutboxRow;
use crate::{UserStore, format, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::ActivationTokenHash;
use presence_domain::user::User;

use super::item::from_item;

/// Mails of one user in one page: there is one that waits.
const MAILS_PAGE: i32 = 50;

/// A user and its place in the outbox: what an update must see, in one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserRecord {
    /// The user.
    pub user: User,
    /// The sort key of the mail that waits for it.
    pub mail: Option<String>,
}

impl UserStore {
    /// The user, read strongly; `None` where there is none in the scope.
    pub async fn get(&self, scope: Scope, id: UserId) -> Result<Option<User>, Error> {
        Ok(self.get_record(scope, id).await?.map(|record| record.user))
    }

    /// The user and what waits for it, read strongly; `None` where there is none in the scope.
    pub async fn get_record(&self, scope: Scope, id: UserId) -> Result<Option<UserRecord>, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(user_pk(id), USER_SK)).await?;
        let record = item.map(from_item).transpose()?;
        Ok(record.filter(|record| scope.covers(record.user.org_id)))
    }

    /// The user and what waits for it, read strongly, if it was sent the link with this token, whatever became of the link:
    /// for whoever holds the link, and has no scope. `None` in every other case.
    pub async fn get_record_by_link(&self, id: UserId, hash: ActivationTokenHash) -> Result<Option<UserRecord>, Error> {
        let record = self.get_record(Scope::for_operator(), id).await?;
        Ok(record.filter(|record| record.user.links.contains(hash)))
    }

    /// The mails of a user in the outbox, oldest first, read strongly.
    pub async fn list_mails(&self, id: UserId) -> Result<Vec<OutboxRow>, Error> {
        let value = text(user_pk(id));
        let partition =
            Partition { table: &schema::USERS, index: None, value, between: None, page: MAILS_PAGE, max_pages: 4 };
        let items = self.db.query(partition).await?;
        // The user itself sorts behind its mails.
        let is_mail = |item: &Item| item.get("sk").is_some_and(|sk| sk.as_s().is_ok_and(|sk| sk != USER_SK));
        items.into_iter().filter(is_mail).map(OutboxRow::read).collect()
    }

    /// The id that holds the lock on an address, read strongly.
    pub async fn get_id_by_email(&self, email_key: &str) -> Result<Option<UserId>, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(lock_pk(email_key), LOCK_SK)).await?;
        item.iter().try_for_each(|item| format::check(format::LOCK, item))?;
        let id = item.and_then(|item| item.get("user_id")?.as_s().ok().and_then(|text| UserId::parse(text)));
        Ok(id)
    }
}
