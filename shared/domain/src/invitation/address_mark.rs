//! Marks of addresses: mail to them bounced for good, or was reported as spam. No mail is sent to a marked address.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::Error;

crate::listed_enum! {
    /// Reason why an address is marked.
    pub enum MarkReason {
        /// The mail server of the address refused a mail for good.
        Bounced => "bounced",
        /// The owner of the address reported a mail as spam.
        Complained => "complained",
    }
}

impl MarkReason {
    /// Returns the code in the outbox of a mail that is given up because its address is marked.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Bounced => "AddressBounced",
            Self::Complained => "AddressComplained",
        }
    }
}

/// Mark of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressMark {
    /// Reason.
    pub reason: MarkReason,
    /// Instant of the bounce or complaint.
    pub at: Timestamp,
}

impl AddressMark {
    /// Returns the text for the person who invites: the reason with its day in UTC, and the remedy.
    pub fn text(&self) -> String {
        let day = self.at.to_zoned(TimeZone::UTC).date();
        match self.reason {
            MarkReason::Bounced => format!("mail to this address bounced on {day}: correct the address"),
            MarkReason::Complained => {
                format!("mail to this address was reported as spam on {day}: use another address")
            }
        }
    }

    /// Returns the error of a request that would send a mail to the address.
    pub fn error(&self) -> Error {
        Error::invalid_field("email", self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_the_day_in_utc_and_the_remedy() {
        let at: Timestamp = "2026-11-20T23:59:59Z".parse().expect("an instant");
        for (reason, expected) in [
            (MarkReason::Bounced, "mail to this address bounced on 2026-11-20: correct the address"),
            (MarkReason::Complained, "mail to this address was reported as spam on 2026-11-20: use another address"),
        ] {
            assert_eq!(AddressMark { reason, at }.text(), expected);
            assert_eq!(MarkReason::parse(reason.as_str()), Some(reason));
        }
        assert_eq!(MarkReason::parse("Bounced"), None);
    }
}
