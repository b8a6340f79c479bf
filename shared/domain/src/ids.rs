//! Identifiers. A value of one of these types is well-formed: raw text is parsed where it enters the service.

use std::fmt;
use std::marker::PhantomData;

use crate::random::random_u64;

/// Largest number of an id: 2^53 − 1, the largest integer that every JSON reader holds exactly.
pub const MAX_ID: u64 = (1 << 53) - 1;

/// Id of a user: a random integer in 1..=[`MAX_ID`], written as a decimal string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(u64);

impl UserId {
    /// Generates a random id. It is unpredictable, so that nobody can enumerate ids.
    pub fn random() -> Self {
        loop {
            let candidate = random_u64() & MAX_ID;
            if candidate > 0 {
                return Self(candidate);
            }
        }
    }

    /// Parses the one canonical spelling: decimal digits without sign or leading zero.
    pub fn parse(text: &str) -> Option<Self> {
        canonical_decimal(text).map(Self)
    }

    /// Returns the id, if the number lies in range.
    pub fn new(number: u64) -> Option<Self> {
        (1..=MAX_ID).contains(&number).then_some(Self(number))
    }

    /// Returns the id as a number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Id of an organisation: a positive integer up to [`MAX_ID`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrgId(u64);

impl OrgId {
    /// Least id, for a value that gets its organisation later.
    pub(crate) const LEAST: Self = Self(1);

    /// Returns the id, if the number lies in range.
    pub fn new(number: u64) -> Option<Self> {
        (1..=MAX_ID).contains(&number).then_some(Self(number))
    }

    /// Returns the id as a number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for OrgId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Id that others gave: opaque text of 1 to 64 letters, digits, `:`, `_`, `.` and `-`. `K` tells ids of two kinds apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpaqueId<K>(String, PhantomData<K>);

impl<K> OpaqueId<K> {
    /// Largest number of bytes.
    const MAX_BYTES: usize = 64;

    /// Parses an id; `None` for text of another form.
    pub fn parse(text: &str) -> Option<Self> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b":_.-".contains(&byte);
        let is_id = (1..=Self::MAX_BYTES).contains(&text.len()) && text.bytes().all(is_allowed);
        is_id.then(|| Self(text.to_owned(), PhantomData))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<K> fmt::Debug for OpaqueId<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpaqueId({:?})", self.0)
    }
}

/// Kind of the ids of businesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BusinessKind {}

/// Kind of the ids of categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CategoryKind {}

/// Id of a business.
pub type BusinessId = OpaqueId<BusinessKind>;

/// Id of a category.
pub type CategoryId = OpaqueId<CategoryKind>;

fn canonical_decimal(text: &str) -> Option<u64> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits || text.starts_with('0') {
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
    fn random_ids_are_in_range_and_differ() {
        let ids: std::collections::BTreeSet<_> = (0..100).map(|_| UserId::random()).collect();
        assert_eq!(ids.len(), 100);
        assert!(ids.iter().all(|id| UserId::new(id.get()) == Some(*id)));
    }

    #[test]
    fn an_opaque_id_is_bounded() {
        assert!(BusinessId::parse("5409c35a97bbc544d8e26737").is_some());
        assert!(BusinessId::parse(&"a".repeat(64)).is_some());
        for wrong in ["", "a b", "é", "a/b", &"a".repeat(65)] {
            assert_eq!(BusinessId::parse(wrong), None, "{wrong:?}");
        }
    }
}
