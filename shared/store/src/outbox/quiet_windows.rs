//! Quiet windows of addresses: one mail to each address in five minutes.
//!
//! A window belongs to an address, not to a user, since addresses move between users. A mailer claims the window in the
//! transaction that claims the mail, and settles the claim once the outcome is known. A claim that is never settled expires when
//! a second mail breaks no rule.

use aws_sdk_dynamodb::types::Put;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, number, pk_sk, text};
use crate::client::tables::Condition;
use crate::format::{MAILBOX, item, kind_of, parse};
use crate::keys::{MAILBOX_SK, mailbox_pk};
use crate::{Database, OutboxStore, schema};
use presence_domain::error::Error;
use presence_domain::invitation::ActivationTokenHash;

/// Seconds for which a window is kept after its end. The clocks of functions and of DynamoDB differ by less.
const KEPT_SECONDS: i64 = 3_600;
/// Items in a page of a scan.
const PAGE: i32 = 1_000;

/// Claim of the quiet window of an address.
#[derive(Clone, Copy, Debug)]
pub struct MailboxClaim<'a> {
    /// Key of the address.
    pub email_key: &'a str,
    /// Hash of the token in the mail. It identifies the claim.
    pub hash: ActivationTokenHash,
    /// End of the window.
    pub quiet_until: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
struct MailboxItem {
    pk: String,
    sk: String,
    /// Milliseconds since 1970.
    quiet_until: i64,
    /// Hash of the token in the last mail.
    claim: String,
    /// Seconds since 1970.
    ttl: i64,
}

/// Returns the put of a claim. Its condition fails while another mail holds the window.
pub(crate) fn claim(db: &Database, claim: MailboxClaim<'_>, now: Timestamp) -> Result<Put, Error> {
    let stored = item(&MailboxItem {
        pk: mailbox_pk(claim.email_key),
        sk: MAILBOX_SK.to_owned(),
        quiet_until: claim.quiet_until.as_millisecond(),
        claim: claim.hash.as_hex(),
        ttl: ttl(claim.quiet_until),
    })?;
    // An item with this claim exists only if an earlier attempt succeeded and its reply was lost.
    Put::builder()
        .table_name(db.name(&schema::USERS))
        .set_item(Some(stored))
        .condition_expression("attribute_not_exists(pk) OR quiet_until <= :now OR claim = :claim")
        .expression_attribute_values(":now", number(now.as_millisecond()))
        .expression_attribute_values(":claim", text(claim.hash.as_hex()))
        .build()
        .map_err(Error::internal)
}

/// Returns the second after which DynamoDB may remove a window.
fn ttl(quiet_until: Timestamp) -> i64 {
    quiet_until.as_second() + KEPT_SECONDS
}

/// True if the item is a valid window.
pub(crate) fn is_readable(item: Item) -> bool {
    parse::<MailboxItem>(item).is_ok_and(|stored| Timestamp::from_millisecond(stored.quiet_until).is_ok())
}

impl OutboxStore {
    /// Returns the instant before which no mail is sent to the address, read strongly; `None` if one may be sent now.
    pub async fn get_quiet_until(&self, email_key: &str, now: Timestamp) -> Result<Option<Timestamp>, Error> {
        let stored = self.db.get(&schema::USERS, pk_sk(mailbox_pk(email_key), MAILBOX_SK)).await?;
        let Some(stored) = stored.map(parse::<MailboxItem>).transpose()? else { return Ok(None) };
        let quiet_until = Timestamp::from_millisecond(stored.quiet_until).map_err(Error::internal)?;
        Ok(Some(quiet_until).filter(|quiet_until| *quiet_until > now))
    }

    /// Copies the open windows of another store, except where one here ends later. Scans the users table of the other store.
    pub async fn copy_open_windows(&self, other: &Self, now: Timestamp) -> Result<(), Error> {
        let mut start = None;
        loop {
            let (items, next) = other.db.scan_page(&schema::USERS, PAGE, start).await?;
            for window in items.into_iter().filter(|item| kind_of(&schema::USERS, item) == MAILBOX) {
                let until = parse::<MailboxItem>(window.clone()).map_or(0, |window| window.quiet_until);
                if let Some(until) = u64::try_from(until).ok().filter(|_| until > now.as_millisecond()) {
                    let is_shorter = Condition::NotThereOrBelow("quiet_until", until);
                    self.db.put_if(&schema::USERS, window, is_shorter).await?;
                }
            }
            start = next;
            if start.is_none() {
                return Ok(());
            }
        }
    }

    /// Settles a claim whose mail was sent: the window ends at the instant. Does nothing if another claim holds the window.
    pub async fn shorten_window(
        &self,
        email_key: &str,
        hash: ActivationTokenHash,
        quiet_until: Timestamp,
    ) -> Result<(), Error> {
        let update = self
            .db
            .dynamo
            .client
            .update_item()
            .table_name(self.db.name(&schema::USERS))
            .set_key(Some(pk_sk(mailbox_pk(email_key), MAILBOX_SK)))
            .update_expression("SET quiet_until = :quiet_until, #ttl = :ttl")
            .condition_expression("claim = :claim")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":claim", text(hash.as_hex()))
            .expression_attribute_values(":quiet_until", number(quiet_until.as_millisecond()))
            .expression_attribute_values(":ttl", number(ttl(quiet_until)));
        self.db.retry_conditional(|| update.clone().send()).await.map(drop)
    }

    /// Deletes a claim whose mail was not sent. Does nothing if another claim holds the window. No earlier window is lost: it was
    /// over when this one was claimed.
    pub async fn release_window(&self, email_key: &str, hash: ActivationTokenHash) -> Result<(), Error> {
        let delete = self
            .db
            .dynamo
            .client
            .delete_item()
            .table_name(self.db.name(&schema::USERS))
            .set_key(Some(pk_sk(mailbox_pk(email_key), MAILBOX_SK)))
            .condition_expression("claim = :claim")
            .expression_attribute_values(":claim", text(hash.as_hex()));
        self.db.retry_conditional(|| delete.clone().send()).await.map(drop)
    }
}
