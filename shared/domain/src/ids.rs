//! Identifiers. A value of one of these types is well-formed; nothing raw travels past the edge.

use std::fmt;

/// The largest identifier: 2^53 − 1, the largest integer that every JSON reader holds exactly.
pub const MAX_ID: u64 = (1 << 53) - 1;

/// A user: a random integer in 1..=[`MAX_ID`], written as a decimal string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(u64);

impl UserId {
    /// A fresh random id. Unpredictable, so that ids cannot be walked.
    #[must_use]
    pub fn random() -> Self {
        loop {
            let candidate = random_u64() & MAX_ID;
            if candidate > 0 {
                return Self(candidate);
            }
        }
    }

    /// Reads the one canonical spelling: decimal digits without sign or leading zero.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        canonical_decimal(text).map(Self)
    }

    /// The id as a number.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An organisation: a positive integer up to [`MAX_ID`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrgId(u64);

impl OrgId {
    /// The id, if the number lies in range.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        (1..=MAX_ID).contains(&number).then_some(Self(number))
    }

    /// The id as a number.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for OrgId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A business: opaque text of 1 to 64 letters, digits, `:`, `_`, `.` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BusinessId(String);

impl BusinessId {
    /// The id, if the text has its form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_opaque(text).then(|| Self(text.to_owned()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the text has the form of an id that others gave: 1 to 64 letters, digits, `:`, `_`, `.` and `-`.
pub(super) fn is_opaque(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":_.-".contains(&byte))
}

/// Eight bytes from the operating system's generator.
///
/// # Panics
/// When the operating system has no randomness to give: nothing safe can be done then.
#[must_use]
pub fn random_u64() -> u64 {
    getrandom::u64().expect("the operating system provides randomness")
}

fn canonical_decimal(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || text.starts_with('0') {
        return None;
    }
    text.parse().ok().filter(|number| *number <= MAX_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_id_has_one_spelling() {
        assert_eq!(UserId::parse("9007199254740991").map(UserId::get), Some(MAX_ID));
        for wrong in ["", "0", "01", "+1", "-1", " 1", "1 ", "1.0", "9007199254740992", "٣", "18446744073709551617"] {
            assert_eq!(UserId::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_business_id_is_opaque_but_bounded() {
        assert!(BusinessId::parse("5409c35a97bbc544d8e26737").is_some());
        assert!(BusinessId::parse(&"a".repeat(64)).is_some());
        for wrong in ["", "a b", "é", "a/b", &"a".repeat(65)] {
            assert_eq!(BusinessId::parse(wrong), None, "{wrong:?}");
        }
    }
}
