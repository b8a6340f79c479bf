//! Keys of the users table: users, their mails, addresses and directories.

use jiff::Timestamp;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::random::random_u64;
use presence_domain::user::{PersonName, Status};
use presence_domain::user_directory::SEPARATOR;

use super::org_key;

/// Prefix of the partitions of users.
pub const USER_PK_PREFIX: &str = "USER#";
/// Sort key of a user item.
pub const USER_SK: &str = "USER";
/// Sort key of the reservation of an e-mail address.
pub const LOCK_SK: &str = "EMAIL";
/// Sort key of the sending window of an address.
pub const MAILBOX_SK: &str = "MAILBOX";
/// Sort key of the mark of an address.
pub const MARK_SK: &str = "MARK";
/// Prefix of the sort keys of outbox rows. They sort before [`USER_SK`].
pub const MAIL_SK_PREFIX: &str = "MAIL#";
/// Prefix of the partition keys of notices, whose sort keys are those of outbox rows.
pub const NOTICE_PK_PREFIX: &str = "NOTICE#";
/// Partition of `outbox-index` with the mails to be sent.
pub const OUTBOX_PENDING: &str = "pending";
/// Partition of `outbox-index` with the mails that failed for good.
pub const OUTBOX_FAILED: &str = "failed";
/// Partition of `outbox-index` with the mails that a restore of the tables held back.
pub const OUTBOX_HELD: &str = "held";
/// Partition of `outbox-index` with the rows that could not be read.
pub const OUTBOX_UNREADABLE: &str = "unreadable";
/// Prefix of the partitions with the heads of user directories.
pub const ROSTERS_PK_PREFIX: &str = "ROSTERS#";
/// Number of partitions with the heads of user directories. A partition takes 1,000 write units a second, and every write of a user in a
/// transaction takes two of them.
pub const ROSTER_PARTITIONS: u64 = 16;
/// Prefix of the partitions with the logs of changes.
pub const CHANGES_PK_PREFIX: &str = "CHANGES#";

/// Returns the partition of the head of an organisation's user directory.
pub fn roster_pk(org_id: Option<OrgId>) -> String {
    numbered_roster_pk(org_id.map_or(0, OrgId::get) % ROSTER_PARTITIONS)
}

/// Returns the partition of heads with this number, below [`ROSTER_PARTITIONS`].
pub(crate) fn numbered_roster_pk(number: u64) -> String {
    format!("{ROSTERS_PK_PREFIX}{number:02}")
}

/// Returns the partition of a user and its outbox rows.
pub fn user_pk(id: UserId) -> String {
    format!("{USER_PK_PREFIX}{id}")
}

/// Returns the partition of the reservation of an e-mail address.
#[must_use]
pub fn lock_pk(email_key: &str) -> String {
    format!("EMAIL#{email_key}")
}

/// Returns the partition of the sending window of an address.
pub fn mailbox_pk(email_key: &str) -> String {
    format!("MAILBOX#{email_key}")
}

/// Returns the partition of the mark of an address.
pub fn mark_pk(email_key: &str) -> String {
    format!("MARK#{email_key}")
}

/// Returns a new sort key for an outbox row: the time, then a random number.
pub fn mail_sk(now: Timestamp) -> String {
    format!("{MAIL_SK_PREFIX}{:013}-{:016x}", now.as_millisecond(), random_u64())
}

/// Returns the partition with the log of changes of an organisation's users.
pub fn changes_pk(org_id: Option<OrgId>) -> String {
    format!("{CHANGES_PK_PREFIX}{}", org_key(org_id))
}

/// Returns a new sort key for an entry of the log of changes: the time, then a random number.
pub fn change_sk(now: Timestamp) -> String {
    format!("{:013}-{:016x}", now.as_millisecond(), random_u64())
}

/// Returns the key by which a user search is sorted: folded last name, folded first name, id by number.
pub fn name_order(last_name: &PersonName, first_name: &PersonName, id: UserId) -> String {
    presence_domain::user_directory::name_order(last_name.as_str(), first_name.as_str(), id)
}

/// Returns the sort key of `status-index`: the status, then [`name_order`].
pub fn listing(status: Status, name_order: &str) -> String {
    format!("{}{SEPARATOR}{name_order}", status.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_sorts_before_its_extension() {
        let id = UserId::parse("1").expect("a valid id");
        let name = |text| PersonName::parse(text).expect("a valid name");
        let (short, long) =
            (name_order(&name("Martin"), &name("Zoé"), id), name_order(&name("Martin Luc"), &name("Ann"), id));
        assert!(short < long);
    }

    #[test]
    fn the_longest_names_fit_a_sort_key() {
        let name = PersonName::parse(&"\u{fdfa}".repeat(100)).expect("100 characters");
        let id = UserId::parse("1").expect("a valid id");
        assert!(listing(Status::Invited, &name_order(&name, &name, id)).len() <= 1024);
    }
}
