//! SES's mailbox simulator: addresses at `simulator.amazonses.com` whose mails bounce or are complained about.
//!
//! Addresses: <https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html>. A label may follow the name after a `+`.
//! `EventBridge` has the events as the template's rule selects them: bounces and complaints, and nothing about mails that arrive.

use presence_runtime::clock::{Clock as _, SystemClock};
use serde_json::{Value, json};

use super::mailbox::SentMail;

/// Domain of the simulator.
const DOMAIN: &str = "simulator.amazonses.com";
/// Account, region and configuration set in the events.
const ACCOUNT: &str = "123456789012";
const REGION: &str = "eu-west-1";
const CONFIGURATION_SET: &str = "presence";

/// Outcome of a mail to an address of the simulator that SES reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The mail server does not know the address.
    Bounce,
    /// The address is on the suppression list, so the mail counts as bounced.
    Suppressed,
    /// The recipient reports the mail as spam.
    Complaint,
    /// The recipient is absent. SES reports the automatic answer as a transient bounce.
    OutOfOffice,
}

impl Outcome {
    /// Returns the outcome of a mail to the address; `None` if it arrives and SES reports nothing.
    fn of(address: &str) -> Option<Self> {
        let address = address.to_ascii_lowercase();
        let (name, domain) = address.rsplit_once('@')?;
        if domain != DOMAIN {
            return None;
        }
        match name.split('+').next()? {
            "bounce" => Some(Self::Bounce),
            "suppressionlist" => Some(Self::Suppressed),
            "complaint" => Some(Self::Complaint),
            "ooto" => Some(Self::OutOfOffice),
            _ => None,
        }
    }
}

/// Returns the event of `EventBridge` about a mail to the simulator; `None` if SES reports nothing.
pub(super) fn feedback_event(mail: &SentMail) -> Option<Value> {
    let outcome = Outcome::of(&mail.to)?;
    let at = format!("{:.3}", SystemClock.now());
    let mut detail = json!({
        "eventType": if outcome == Outcome::Complaint { "Complaint" } else { "Bounce" },
        "mail": {
            "timestamp": mail.sent_at,
            "source": "no-reply@presence.example",
            "sendingAccountId": ACCOUNT,
            "messageId": mail.id,
            "destination": [mail.to],
            "headersTruncated": false,
            "headers": [{ "name": "To", "value": mail.to }, { "name": "Subject", "value": mail.subject }],
            "commonHeaders": { "to": [mail.to], "subject": mail.subject, "messageId": mail.id },
            "tags": { "ses:configuration-set": [CONFIGURATION_SET], "ses:from-domain": ["presence.example"] },
        },
    });
    let (name, content) = content(outcome, mail, &at);
    detail[name] = content;
    Some(json!({
        "version": "0",
        "id": format!("{:032x}", fastrand::u128(..)),
        "detail-type": if outcome == Outcome::Complaint { "Email Complaint Received" } else { "Email Bounced" },
        "source": "aws.ses",
        "account": ACCOUNT,
        "time": format!("{:.0}", SystemClock.now()),
        "region": REGION,
        "resources": [format!("arn:aws:ses:{REGION}:{ACCOUNT}:configuration-set/{CONFIGURATION_SET}")],
        "detail": detail,
    }))
}

/// Returns the part of the detail that tells what happened, with its name.
fn content(outcome: Outcome, mail: &SentMail, at: &str) -> (&'static str, Value) {
    let bounce = |kind: &str, sub_kind: &str, recipient: Value| {
        let bounce = json!({
            "feedbackId": mail.id,
            "bounceType": kind,
            "bounceSubType": sub_kind,
            "bouncedRecipients": [recipient],
            "timestamp": at,
            "reportingMTA": "dsn; a8-70.smtp-out.amazonses.com",
        });
        ("bounce", bounce)
    };
    let refused = json!({
        "emailAddress": mail.to, "action": "failed", "status": "5.1.1", "diagnosticCode": "smtp; 550 5.1.1 user unknown",
    });
    match outcome {
        Outcome::Bounce => bounce("Permanent", "General", refused),
        Outcome::Suppressed => bounce("Permanent", "Suppressed", refused),
        Outcome::OutOfOffice => bounce("Transient", "General", json!({ "emailAddress": mail.to })),
        Outcome::Complaint => {
            let complaint = json!({
                "feedbackId": mail.id,
                "complaintSubType": null,
                "complainedRecipients": [{ "emailAddress": mail.to }],
                "timestamp": at,
                "userAgent": "Amazon SES Mailbox Simulator",
                "complaintFeedbackType": "abuse",
                "arrivalDate": at,
            });
            ("complaint", complaint)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_simulator_may_have_labels_and_any_case() {
        for (address, expected) in [
            ("bounce@simulator.amazonses.com", Some(Outcome::Bounce)),
            ("Bounce+ada@Simulator.AmazonSES.com", Some(Outcome::Bounce)),
            ("suppressionlist+1@simulator.amazonses.com", Some(Outcome::Suppressed)),
            ("complaint+a+b@simulator.amazonses.com", Some(Outcome::Complaint)),
            ("ooto@simulator.amazonses.com", Some(Outcome::OutOfOffice)),
            ("success+x@simulator.amazonses.com", None),
            ("bounces@simulator.amazonses.com", None),
            ("bounce@example.com", None),
        ] {
            assert_eq!(Outcome::of(address), expected, "{address}");
        }
    }
}
