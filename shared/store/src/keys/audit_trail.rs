//! Sort keys of the audit table. A record has the partition of its user.

use jiff::Timestamp;
use presence_domain::random::random_u64;

/// Returns a new sort key for a record of the audit trail: milliseconds in 13 digits, then a random number.
pub fn audit_sk(at: Timestamp) -> String {
    format!("{:013}#{:016x}", at.as_millisecond().max(0), random_u64())
}

/// Reads the instant in [`audit_sk`]; `None` if the text has another form.
pub fn parse_audit_sk(text: &str) -> Option<Timestamp> {
    let (milliseconds, _) = text.split_once('#')?;
    Timestamp::from_millisecond(milliseconds.parse().ok()?).ok()
}

/// Returns the least and the largest sort key of the records from an instant on.
pub fn audit_since(from: Timestamp) -> (String, String) {
    // `~` sorts after every digit.
    (format!("{:013}", from.as_millisecond().max(0)), "~".to_owned())
}
