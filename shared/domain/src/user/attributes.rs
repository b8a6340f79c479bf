//! Attributes of a user: role, status, name and phone number.

crate::listed_enum! {
    /// Role of a user. A greater role may do more. Clients read the choices greatest first.
    pub enum Role {
        /// Manages every organisation.
        Provider = 2 => "PROVIDER",
        /// Manages the users of one organisation.
        OrgAdmin = 1 => "ORG_ADMIN",
        /// Manages the businesses that are listed for it.
        BusinessManager = 0 => "BUSINESS_MANAGER",
    }
}

crate::listed_enum! {
    /// Status of an account. Clients read the choices in this order.
    pub enum Status {
        /// The account is in use.
        Active => "active",
        /// The account was created, and no password was chosen yet.
        Invited => "invited",
    }
}

impl Status {
    /// Returns the status of a new user: the requested one, or else the one that fits the invitation.
    pub fn of_new_user(requested: Option<Self>, send_invitation: Option<bool>) -> Self {
        let default = if send_invitation == Some(true) { Self::Invited } else { Self::Active };
        requested.unwrap_or(default)
    }
}

/// First or last name: trimmed, 1 to 100 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonName(String);

impl PersonName {
    /// Largest number of characters.
    pub const MAX_CHARS: usize = 100;

    /// Trims and parses a name. The client reads the error.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let trimmed = text.trim();
        match trimmed.chars().count() {
            1..=Self::MAX_CHARS => Ok(Self(trimmed.to_owned())),
            _ => Err("must have 1 to 100 characters"),
        }
    }

    /// Returns the name as it was typed, trimmed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Phone number as people write it: 1 to 32 digits, blanks and `+-.()/`, trimmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone(String);

impl Phone {
    /// Largest number of characters.
    pub const MAX_CHARS: usize = 32;

    /// Trims and parses a number; blank text is no number. The client reads the error.
    pub fn parse(text: &str) -> Result<Option<Self>, &'static str> {
        let trimmed = text.trim();
        let is_allowed = |char: char| char.is_ascii_digit() || " +-.()/".contains(char);
        if trimmed.chars().count() > Self::MAX_CHARS || !trimmed.chars().all(is_allowed) {
            return Err("must have at most 32 characters: digits, spaces and + - . ( ) /");
        }
        Ok((!trimmed.is_empty()).then(|| Self(trimmed.to_owned())))
    }

    /// Returns the number as it was typed, trimmed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_outranks_those_below_it() {
        assert!(Role::Provider > Role::OrgAdmin && Role::OrgAdmin > Role::BusinessManager);
    }

    #[test]
    fn a_new_user_is_invited_if_it_is_to_be_sent_an_invitation() {
        use Status::{Active, Invited};
        for (requested, send_invitation, status) in [
            (None, None, Active),
            (None, Some(false), Active),
            (None, Some(true), Invited),
            (Some(Active), Some(true), Active),
            (Some(Invited), Some(false), Invited),
            (Some(Invited), None, Invited),
        ] {
            assert_eq!(Status::of_new_user(requested, send_invitation), status, "{requested:?} {send_invitation:?}");
        }
    }

    #[test]
    fn a_name_is_measured_in_characters_after_trimming() {
        assert_eq!(PersonName::parse("  Zoë ").as_ref().map(PersonName::as_str), Ok("Zoë"));
        assert!(PersonName::parse(&"é".repeat(100)).is_ok());
        assert!(PersonName::parse(&"é".repeat(101)).is_err());
        assert!(PersonName::parse("   ").is_err());
    }

    #[test]
    fn a_phone_number_keeps_its_spelling() {
        assert_eq!(Phone::parse(" +33 (0)4.77-12/34 "), Ok(Some(Phone("+33 (0)4.77-12/34".to_owned()))));
        assert_eq!(Phone::parse(""), Ok(None));
        assert!(Phone::parse("call me").is_err());
        assert!(Phone::parse(&"1".repeat(32)).is_ok() && Phone::parse(&"1".repeat(33)).is_err());
    }
}
