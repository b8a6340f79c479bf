//! Feedback of SES: bounces and complaints, which `EventBridge` hands over.
//!
//! A bounce for good, or a complaint, marks the address of the recipient: no mail is sent to it any more. Transient bounces, such as
//! a full mailbox or a note of absence, change nothing, and neither does a report that a mail is no spam. Events come at least once
//! and in any order: the first one about an address counts.
//!
//! Shape of the events: <https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html>, as the `detail` of
//! an event with the source `aws.ses`. They hold addresses and texts of mail servers, and none of that is logged.

use jiff::Timestamp;
use presence_domain::email::EmailAddress;
use presence_domain::error::Error;
use presence_domain::invitation::{AddressMark, MarkReason};
use presence_runtime::telemetry::{Metric, log_metric};
use presence_store::UserStore;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Largest number of recipients of an event that are marked. Each mail has one recipient; a complaint may name a few more.
const MAX_RECIPIENTS: usize = 50;

#[derive(Deserialize)]
struct Detail {
    bounce: Option<Bounce>,
    complaint: Option<Complaint>,
}

#[derive(Deserialize)]
struct Bounce {
    #[serde(rename = "bounceType")]
    kind: String,
    #[serde(rename = "bouncedRecipients")]
    recipients: Vec<Recipient>,
    #[serde(deserialize_with = "instant")]
    timestamp: Timestamp,
}

#[derive(Deserialize)]
struct Complaint {
    #[serde(rename = "complainedRecipients")]
    recipients: Vec<Recipient>,
    #[serde(rename = "complaintFeedbackType")]
    kind: Option<String>,
    #[serde(deserialize_with = "instant")]
    timestamp: Timestamp,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recipient {
    email_address: String,
}

/// Mark that an event asks for, and the addresses that it names.
struct Feedback {
    mark: AddressMark,
    recipients: Vec<Recipient>,
}

/// Reads an instant of RFC 3339.
fn instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// True if the event comes from SES.
pub(crate) fn is_feedback(event: &Value) -> bool {
    event.get("source").is_some_and(|source| source == "aws.ses")
}

/// Marks the addresses that an event reports. An event that cannot be read is logged without its content, and changes nothing.
pub(crate) async fn receive(users: &UserStore, event: &Value) -> Result<(), Error> {
    let Ok(detail) = Detail::deserialize(&event["detail"]) else {
        tracing::warn!("feedback of SES cannot be read");
        return Ok(());
    };
    let Some(Feedback { mark, recipients }) = detail.into_feedback() else { return Ok(()) };
    for recipient in recipients.iter().take(MAX_RECIPIENTS) {
        if let Some(address) = parse_address(&recipient.email_address) {
            mark_address(users, &address, mark).await?;
        } else {
            tracing::warn!(reason = mark.reason.as_str(), "an address in feedback of SES cannot be read");
        }
    }
    Ok(())
}

impl Detail {
    /// Returns the mark and its recipients; `None` if the event says nothing against an address.
    fn into_feedback(self) -> Option<Feedback> {
        match self {
            Self { bounce: Some(bounce), .. } if bounce.kind == "Permanent" => Some(Feedback {
                mark: AddressMark { reason: MarkReason::Bounced, at: bounce.timestamp },
                recipients: bounce.recipients,
            }),
            Self { complaint: Some(complaint), .. } if complaint.kind.as_deref() != Some("not-spam") => {
                Some(Feedback {
                    mark: AddressMark { reason: MarkReason::Complained, at: complaint.timestamp },
                    recipients: complaint.recipients,
                })
            }
            _ => None,
        }
    }
}

/// Parses the address of a recipient, with or without a name and angle brackets.
fn parse_address(recipient: &str) -> Option<EmailAddress> {
    let bracketed = recipient.trim().strip_suffix('>').and_then(|text| text.rsplit_once('<'));
    EmailAddress::parse(bracketed.map_or(recipient, |(_, address)| address)).ok()
}

async fn mark_address(users: &UserStore, address: &EmailAddress, mark: AddressMark) -> Result<(), Error> {
    if !users.mark_address(address.key(), mark).await? {
        return Ok(());
    }
    let user_id = users.get_id_by_email(address.key()).await?.map(|id| id.to_string());
    let user_id = user_id.as_deref().unwrap_or("none");
    tracing::warn!(user_id, reason = mark.reason.as_str(), "an address was marked");
    let metric = match mark.reason {
        MarkReason::Bounced => Metric::MailsBounced,
        MarkReason::Complained => Metric::MailsComplained,
    };
    log_metric(metric, 1.0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn feedback(detail: &Value) -> Option<(MarkReason, usize)> {
        let detail = Detail::deserialize(detail).expect("a detail");
        detail.into_feedback().map(|Feedback { mark, recipients }| (mark.reason, recipients.len()))
    }

    #[test]
    fn only_bounces_for_good_and_reports_of_spam_mark_an_address() {
        let bounce = |kind: &str| {
            json!({ "eventType": "Bounce", "bounce": { "bounceType": kind, "bounceSubType": "General",
                "bouncedRecipients": [{ "emailAddress": "a@example.com" }], "timestamp": "2026-03-01T12:00:00.000Z" } })
        };
        let complaint = |kind: Value| {
            json!({ "eventType": "Complaint", "complaint": { "complaintFeedbackType": kind,
                "complainedRecipients": [{ "emailAddress": "a@example.com" }], "timestamp": "2026-03-01T12:00:00.000Z" } })
        };
        for (detail, expected) in [
            (bounce("Permanent"), Some((MarkReason::Bounced, 1))),
            (bounce("Transient"), None),
            (bounce("Undetermined"), None),
            (complaint(json!("abuse")), Some((MarkReason::Complained, 1))),
            (complaint(Value::Null), Some((MarkReason::Complained, 1))),
            (complaint(json!("not-spam")), None),
            (json!({ "eventType": "Delivery", "delivery": {} }), None),
        ] {
            assert_eq!(feedback(&detail), expected, "{detail}");
        }
    }

    #[test]
    fn address_may_have_a_name_and_brackets() {
        for text in ["ada@example.com", " ADA@example.com ", "Ada <ada@Example.com>", "<ada@example.com>"] {
            let key = parse_address(text).map(|address| address.key().to_owned());
            assert_eq!(key.as_deref(), Some("ada@example.com"), "{text}");
        }
        assert!(parse_address("rfc822; nobody").is_none());
    }
}
