//! Users with everything that operators look at, from several kinds of items.

use std::collections::HashMap;

use crate::api_keys::{ApiKeyRecord, key};
use crate::client::read::{Item, pk_sk};
use crate::keys::{USER_SK, user_pk};
use crate::outbox::item as outbox_item;
use crate::users::item::from_item;
use crate::{UserRecord, UserStore, schema};
use presence_domain::api_key::ApiKeyHash;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::{AddressMark, OutboxMessage};
use presence_domain::user::User;

/// User with its keys, its mail and the mark of its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDetails {
    /// User.
    pub user: User,
    /// Keys, oldest first, live or not.
    pub keys: Vec<ApiKeyRecord>,
    /// Mail in the outbox: it waits, or was given up.
    pub mail: Option<OutboxMessage>,
    /// Mark of the address, if mail to it bounced or was reported as spam.
    pub mark: Option<AddressMark>,
}

impl UserStore {
    /// Returns the users that exist among the ids, in the order given, by strong reads.
    ///
    /// Costs a unit for each user, key, waiting mail and marked address, and half a round trip a hundred of them. Each user is of
    /// one instant; its keys, mail and mark are read a moment later. No id may be there twice.
    pub async fn get_details(&self, ids: &[UserId]) -> Result<Vec<UserDetails>, Error> {
        let keys = ids.iter().map(|id| pk_sk(user_pk(*id), USER_SK)).collect();
        let items = self.db.get_batch(&schema::USERS, keys, &[]).await?;
        let records = items.into_iter().map(from_item).collect::<Result<Vec<_>, _>>()?;
        let emails = records.iter().map(|record| record.user.email.key());
        let (mut keys, mut mails, mut marks) =
            futures::try_join!(self.keys_of(&records), self.mails_of(&records), self.address_marks(emails))?;
        let mut details: HashMap<UserId, UserDetails> = HashMap::with_capacity(records.len());
        for UserRecord { user, .. } in records {
            let mut keys: Vec<_> = user.keys.iter().filter_map(|hash| keys.remove(hash)).collect();
            keys.sort_unstable_by_key(|record| (record.created_at, record.hash.as_hex()));
            let (mail, mark) = (mails.remove(&user.id), marks.remove(user.email.key()));
            details.insert(user.id, UserDetails { user, keys, mail, mark });
        }
        Ok(ids.iter().filter_map(|id| details.remove(id)).collect())
    }

    async fn keys_of(&self, records: &[UserRecord]) -> Result<HashMap<ApiKeyHash, ApiKeyRecord>, Error> {
        let keys: Vec<Item> = records.iter().flat_map(|record| record.user.keys.iter().map(key)).collect();
        let items = self.db.get_batch(&schema::API_KEYS, keys, &[]).await?;
        items.into_iter().map(|item| ApiKeyRecord::read(item).map(|record| (record.hash, record))).collect()
    }

    async fn mails_of(&self, records: &[UserRecord]) -> Result<HashMap<UserId, OutboxMessage>, Error> {
        let mail = |record: &UserRecord| Some(pk_sk(user_pk(record.user.id), record.mail.as_ref()?));
        let keys = records.iter().filter_map(mail).collect();
        let items = self.db.get_batch(&schema::USERS, keys, &[]).await?;
        items.into_iter().map(|item| outbox_item::read(item).map(|mail| (mail.user_id, mail))).collect()
    }
}
