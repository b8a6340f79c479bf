//! What is known of an organisation's users without reading them: counts, and a digest that tells
//! whether a list of them is complete and current.

use sha2::{Digest as _, Sha256};

use super::ids::UserId;
use super::user::{Status, User};

/// Counts and digest of one organisation's users. The sum of [`Roster::of`] over its users, always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// Active users.
    pub active: i64,
    /// Invited users.
    pub invited: i64,
    /// Active `ORG_ADMINs`.
    pub admins: i64,
    /// Sum of [`member_digest`] over the users. A plain sum: 2^53 users would still fit the 38 digits
    /// of a DynamoDB number.
    pub digest: i128,
}

impl Roster {
    /// The share of one user.
    #[must_use]
    pub fn of(user: &User) -> Self {
        Self {
            active: i64::from(user.status == Status::Active),
            invited: i64::from(user.status == Status::Invited),
            admins: i64::from(user.is_active_admin()),
            digest: member_digest(user.id, user.version),
        }
    }

    /// All users.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.active + self.invited
    }

    /// How many users have the status; all, when none is asked for.
    #[must_use]
    pub fn count_of(&self, status: Option<Status>) -> i64 {
        match status {
            None => self.count(),
            Some(Status::Active) => self.active,
            Some(Status::Invited) => self.invited,
        }
    }
}

impl std::ops::Add for Roster {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            active: self.active + other.active,
            invited: self.invited + other.invited,
            admins: self.admins + other.admins,
            digest: self.digest + other.digest,
        }
    }
}

impl std::ops::Sub for Roster {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            active: self.active - other.active,
            invited: self.invited - other.invited,
            admins: self.admins - other.admins,
            digest: self.digest - other.digest,
        }
    }
}

impl std::iter::Sum for Roster {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), |sum, share| sum + share)
    }
}

/// 64 bits that stand for one user in one version: the first eight bytes of SHA-256 over both numbers.
#[must_use]
pub fn member_digest(id: UserId, version: u64) -> i128 {
    let mut bytes = [0_u8; 16];
    bytes[..8].copy_from_slice(&id.get().to_be_bytes());
    bytes[8..].copy_from_slice(&version.to_be_bytes());
    let hash = Sha256::digest(bytes);
    hash.iter().take(8).fold(0, |number, byte| (number << 8) | i128::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_tells_versions_and_users_apart() {
        let id = |text| UserId::parse(text).expect("a valid id");
        let digests = [
            member_digest(id("1"), 1),
            member_digest(id("1"), 2),
            member_digest(id("2"), 1),
            member_digest(id("257"), 1),
        ];
        for (index, digest) in digests.iter().enumerate() {
            assert!((0..1 << 64).contains(digest));
            assert!(!digests[..index].contains(digest));
        }
    }
}
