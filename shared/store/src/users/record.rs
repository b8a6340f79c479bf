//! Reads of single users.

use crate::client::read::{Item, Partition, pk_sk, text};
use crate::keys::{LOCK_SK, USER_SK, lock_pk, user_pk};
use crate::outbox::item as outbox_item;
use crate::{UserStore, format, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::OutboxMessage;
use presence_domain::user::User;

use super::item::from_item;

/// Number of mails of one user in one page. At most one waits.
const MAILS_PAGE: i32 = 50;

/// User and its place in the outbox, in one item: all that a change must see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserRecord {
    /// User.
    pub user: User,
    /// Id of the mail that waits for it.
    pub mail: Option<String>,
}

impl UserStore {
    /// Returns the user, read strongly; `None` if there is none in the scope.
    pub async fn get(&self, scope: Scope, id: UserId) -> Result<Option<User>, Error> {
        Ok(self.get_record(scope, id).await?.map(|record| record.user))
    }

    /// Returns the user and the id of the mail that waits for it, read strongly; `None` if there is none in the scope.
    pub async fn get_record(&self, scope: Scope, id: UserId) -> Result<Option<UserRecord>, Error> {
        Ok(self.get_unscoped(id).await?.filter(|record| scope.covers_user(&record.user)))
    }

    /// Returns the record of a user for the store's own checks, which act for no caller.
    pub(crate) async fn get_unscoped(&self, id: UserId) -> Result<Option<UserRecord>, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(user_pk(id), USER_SK)).await?;
        item.map(from_item).transpose()
    }

    /// Returns the record of a user for the mailer, read strongly. The mailer acts for no caller, and so it has no scope.
    pub async fn get_recipient(&self, id: UserId) -> Result<Option<UserRecord>, Error> {
        self.get_unscoped(id).await
    }

    /// Returns the users among the ids that exist, in no order, by strong reads. They are the recipients of mails that an operator
    /// lists. No id may be there twice.
    pub async fn get_recipients(&self, ids: &[UserId]) -> Result<Vec<User>, Error> {
        let keys = ids.iter().map(|id| pk_sk(user_pk(*id), USER_SK)).collect();
        let items = self.db.get_batch(&schema::USERS, keys, &[]).await?;
        items.into_iter().map(|item| Ok(from_item(item)?.user)).collect()
    }

    /// Returns the mails of a user in the outbox, oldest first, read strongly.
    pub async fn list_mails(&self, id: UserId) -> Result<Vec<OutboxMessage>, Error> {
        let value = text(user_pk(id));
        let partition =
            Partition { table: &schema::USERS, index: None, value, between: None, page: MAILS_PAGE, max_pages: 4 };
        let items = self.db.query(partition).await?;
        // The user itself sorts behind its mails.
        let is_mail = |item: &Item| item.get("sk").is_some_and(|sk| sk.as_s().is_ok_and(|sk| sk != USER_SK));
        items.into_iter().filter(is_mail).map(outbox_item::read).collect()
    }

    /// Returns the id of the user that has an address, read strongly.
    pub async fn get_id_by_email(&self, email_key: &str) -> Result<Option<UserId>, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(lock_pk(email_key), LOCK_SK)).await?;
        item.iter().try_for_each(|item| format::check(format::LOCK, item))?;
        let id = item.and_then(|item| item.get("user_id")?.as_s().ok().and_then(|text| UserId::parse(text)));
        Ok(id)
    }
}
