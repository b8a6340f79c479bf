//! Items of the transaction that writes a user: the user, the reservation of the address, and the directory heads.

use std::borrow::Cow;

use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::OutboxMessage;
use presence_domain::user::{DeliveryReport, MailEffect, Role, Status, User, UserChange};
use presence_domain::user_directory::DirectoryHead;

use super::refusal::Guard;
use crate::client::read::{Item, number, pk_sk, text};
use crate::client::transaction::Transaction;
use crate::keys::{LOCK_SK, USER_SK, lock_pk, mail_sk, user_pk};
use crate::users::directory_heads;
use crate::users::item::{to_item, to_item_after};
use crate::{UserStore, schema};

impl UserStore {
    pub(super) fn add_user(
        &self,
        transaction: &mut Transaction<Guard>,
        before: Option<&User>,
        after: Option<&User>,
        mail: Option<&str>,
        delivery: Option<DeliveryReport>,
    ) -> Result<(), Error> {
        let table = self.db.name(&schema::USERS);
        match (before, after) {
            (None, Some(new)) => {
                let put = Put::builder().table_name(table).set_item(Some(to_item(new, mail)?));
                let put = put.condition_expression("attribute_not_exists(pk)");
                transaction.put(Guard::User, put.build().map_err(Error::internal)?);
            }
            (Some(old), Some(new)) => {
                let put = Put::builder().table_name(table).set_item(Some(to_item_after(new, mail, delivery)?));
                let put = put
                    .condition_expression("version = :version")
                    .expression_attribute_values(":version", number(old.version));
                transaction.put(Guard::User, put.build().map_err(Error::internal)?);
            }
            (Some(old), None) => {
                let delete = Delete::builder().table_name(table).set_key(Some(pk_sk(user_pk(old.id), USER_SK)));
                let delete = delete
                    .condition_expression("version = :version")
                    .expression_attribute_values(":version", number(old.version));
                transaction.delete(Guard::User, delete.build().map_err(Error::internal)?);
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Returns the check that a user is an active PROVIDER. No caller takes its own role away, so that the transaction has no other item
    /// of this user.
    pub(super) fn check_active_provider(&self, id: UserId) -> Result<ConditionCheck, Error> {
        let check = ConditionCheck::builder().table_name(self.db.name(&schema::USERS));
        check
            .set_key(Some(pk_sk(user_pk(id), USER_SK)))
            .condition_expression("#role = :provider AND #status = :active")
            .expression_attribute_names("#role", "role")
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":provider", text(Role::Provider.as_str()))
            .expression_attribute_values(":active", text(Status::Active.as_str()))
            .build()
            .map_err(Error::internal)
    }

    pub(super) fn add_reservations(
        &self,
        transaction: &mut Transaction<Guard>,
        before: Option<&User>,
        after: Option<&User>,
    ) -> Result<(), Error> {
        let (old_key, new_key) = (before.map(|user| user.email.key()), after.map(|user| user.email.key()));
        if old_key == new_key {
            return Ok(());
        }
        if let Some(old) = before {
            let delete = Delete::builder()
                .table_name(self.db.name(&schema::USERS))
                .set_key(Some(pk_sk(lock_pk(old.email.key()), LOCK_SK)));
            transaction.delete(Guard::Reservation, delete.build().map_err(Error::internal)?);
        }
        if let Some(new) = after {
            transaction.put(Guard::Reservation, self.put_reservation(new.email.key(), new.id)?);
        }
        Ok(())
    }

    /// Returns the put that reserves a free address for a user.
    fn put_reservation(&self, email_key: &str, id: UserId) -> Result<Put, Error> {
        let item = reservation_item(email_key, id);
        let put = Put::builder().table_name(self.db.name(&schema::USERS)).set_item(Some(item));
        put.condition_expression("attribute_not_exists(pk)").build().map_err(Error::internal)
    }

    pub(super) fn add_heads(
        &self,
        transaction: &mut Transaction<Guard>,
        before: Option<&User>,
        after: Option<&User>,
        keeps_an_admin: bool,
    ) {
        // One update for each organisation: a transaction must not have the same item twice.
        let removed = before.map(|user| (user.org_id, DirectoryHead::default() - DirectoryHead::of(user)));
        let added = after.map(|user| (user.org_id, DirectoryHead::of(user)));
        let differences = match (removed, added) {
            (Some((old, minus)), Some((new, plus))) if old == new => vec![(old, minus + plus)],
            (removed, added) => removed.into_iter().chain(added).collect(),
        };
        for (org_id, difference) in differences {
            let loses_an_admin = org_id.is_some() && difference.admins < 0;
            let update = directory_heads::add(&self.db, org_id, &difference, keeps_an_admin && loses_an_admin);
            transaction.update(Guard::DirectoryHead, update);
        }
    }
}

/// Returns the message that a change puts into the outbox: a new one, or the new state of the one that waits.
pub(super) fn message_to_put(change: &UserChange) -> Option<Cow<'_, OutboxMessage>> {
    match (&change.mail, &change.after) {
        (MailEffect::Send { due_at }, Some(user)) => {
            let message = OutboxMessage::new(mail_sk(change.at), user.id, change.at, *due_at);
            Some(Cow::Owned(message.invited_by(change.caller())))
        }
        (MailEffect::Rewrite(message), _) => Some(Cow::Borrowed(message)),
        _ => None,
    }
}

pub(super) fn reservation_item(email_key: &str, id: UserId) -> Item {
    let mut item = pk_sk(lock_pk(email_key), LOCK_SK);
    item.insert("user_id".to_owned(), text(id.to_string()));
    item
}
