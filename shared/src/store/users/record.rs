//! Reading single users.

use crate::access::Scope;
use crate::domain::ids::UserId;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::keys::{LOCK_SK, USER_SK, lock_pk, user_pk};
use crate::store::outbox::OutboxRow;
use crate::store::read::{Partition, pk_sk, text};
use crate::store::{Store, schema};

use super::item::from_item;

/// Mails that one user may have in the outbox: there is one pending, and a few that were given up.
const MAX_MAILS: i32 = 50;

/// A user with its mails in the outbox: what an update must see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserRecord {
    /// The user.
    pub user: User,
    /// Its mails, oldest first.
    pub mails: Vec<OutboxRow>,
}

impl Store {
    /// The user, read strongly; `None` where there is none in the scope.
    pub async fn user(&self, scope: Scope, id: UserId) -> Result<Option<User>, Error> {
        let item = self.get(&schema::USERS, pk_sk(user_pk(id), USER_SK)).await?;
        let user = item.map(from_item).transpose()?;
        Ok(user.filter(|user| scope.covers(user.org_id)))
    }

    /// The user and its mails, read strongly in one Query; `None` where there is none in the scope.
    pub async fn user_record(&self, scope: Scope, id: UserId) -> Result<Option<UserRecord>, Error> {
        let partition = Partition {
            table: &schema::USERS,
            index: None,
            value: text(user_pk(id)),
            between: None,
            page: MAX_MAILS,
            max_pages: 4,
        };
        let mut items = self.query(partition).await?;
        // The user sorts behind its mails.
        let Some(last) = items.pop() else { return Ok(None) };
        let user = from_item(last)?;
        let mails = items.into_iter().map(OutboxRow::read).collect::<Result<_, _>>()?;
        Ok(scope.covers(user.org_id).then_some(UserRecord { user, mails }))
    }

    /// The id that holds the lock on an address, read strongly.
    pub async fn user_id_by_email(&self, email_key: &str) -> Result<Option<UserId>, Error> {
        let item = self.get(&schema::USERS, pk_sk(lock_pk(email_key), LOCK_SK)).await?;
        let id = item.and_then(|item| item.get("user_id")?.as_s().ok().and_then(|text| UserId::parse(text)));
        Ok(id)
    }
}
