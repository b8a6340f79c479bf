//! Id of a webhook. It names the organisation and one of its slots, so that the webhook is found by its id alone.

use std::fmt;

use crate::ids::OrgId;
use crate::random::random_u64;

/// Largest number of webhooks of an organisation: the number of its slots.
pub const MAX_WEBHOOKS: u8 = 10;

/// Number of random hexadecimal digits. They tell a webhook from those that had its slot before.
const RANDOM_DIGITS: usize = 11;

/// Id of a webhook: the organisation, a dash, the digit of the slot, and 11 random hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebhookId {
    org_id: OrgId,
    slot: u8,
    random: u64,
}

impl WebhookId {
    /// Returns a new id in a slot, which is below [`MAX_WEBHOOKS`].
    pub fn random(org_id: OrgId, slot: u8) -> Self {
        Self { org_id, slot, random: random_u64() >> (64 - 4 * RANDOM_DIGITS) }
    }

    /// Parses an id; `None` for text of another form.
    pub fn parse(text: &str) -> Option<Self> {
        let (org_id, digits) = text.split_once('-')?;
        let (slot, random) = digits.split_at_checked(1)?;
        let org_id = OrgId::new(org_id.parse().ok()?)?;
        let id = Self { org_id, slot: slot.parse().ok()?, random: u64::from_str_radix(random, 16).ok()? };
        // Each id has one spelling.
        (id.to_string() == text).then_some(id)
    }

    /// Returns the organisation.
    pub fn org_id(self) -> OrgId {
        self.org_id
    }

    /// Returns the slot.
    pub fn slot(self) -> u8 {
        self.slot
    }
}

impl fmt::Display for WebhookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { org_id, slot, random } = self;
        write!(f, "{org_id}-{slot}{random:0RANDOM_DIGITS$x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_organisation_and_slot_and_has_one_spelling() {
        let org = OrgId::new(42).expect("an id");
        for slot in 0..MAX_WEBHOOKS {
            let id = WebhookId::random(org, slot);
            assert_eq!(WebhookId::parse(&id.to_string()), Some(id));
            assert_eq!((id.org_id(), id.slot()), (org, slot));
        }
        let ids: Vec<String> = (0..100).map(|_| WebhookId::random(org, 3).to_string()).collect();
        assert!(ids.iter().all(|id| id.len() == "42-30000000000a".len()));
        assert!(ids.iter().any(|id| !id.starts_with("42-30")), "all digits are random");
        assert!(WebhookId::parse("42-30000000000a").is_some());
        for text in ["", "42", "42-", "042-30000000000a", "42-3000000000A0", "42-3000000000a", "42-é", "-30000000000a"]
        {
            assert_eq!(WebhookId::parse(text), None, "{text}");
        }
    }
}
