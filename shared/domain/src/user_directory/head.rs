//! Head of a directory: facts about all users of an organisation that are known without reading them.

use sha2::{Digest as _, Sha256};

use crate::ids::UserId;
use crate::user::{Status, User};

/// Counts and digest of the users of one organisation. It is always the sum of [`DirectoryHead::of`] over these users.
///
/// Every write of a user adds the difference to the stored head, in the same transaction. So a list of users is complete and
/// current if, and only if, it adds up to the stored head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirectoryHead {
    /// Number of active users.
    pub active: i64,
    /// Number of invited users.
    pub invited: i64,
    /// Number of active `ORG_ADMINs`.
    pub admins: i64,
    /// Sum of [`user_digest`] over the users. It never overflows: the sum over 2^53 users fits the 38 digits of a number of DynamoDB.
    pub digest: i128,
}

impl DirectoryHead {
    /// Returns the head of one user.
    pub fn of(user: &User) -> Self {
        Self {
            active: i64::from(user.status == Status::Active),
            invited: i64::from(user.status == Status::Invited),
            admins: i64::from(user.is_active_admin()),
            digest: user_digest(user.id, user.version),
        }
    }

    /// Returns the number of users.
    pub fn count(&self) -> i64 {
        self.active + self.invited
    }

    /// Returns the number of users with the status, or of all users if no status is given.
    pub fn count_of(&self, status: Option<Status>) -> i64 {
        match status {
            None => self.count(),
            Some(Status::Active) => self.active,
            Some(Status::Invited) => self.invited,
        }
    }
}

impl std::ops::Add for DirectoryHead {
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

impl std::ops::Sub for DirectoryHead {
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

impl std::iter::Sum for DirectoryHead {
    fn sum<I: Iterator<Item = Self>>(heads: I) -> Self {
        heads.fold(Self::default(), |sum, head| sum + head)
    }
}

/// Returns the digest of one user in one version: the first 64 bits of SHA-256 over both numbers.
pub fn user_digest(id: UserId, version: u64) -> i128 {
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
    fn digests_of_other_users_and_versions_differ() {
        let id = |text| UserId::parse(text).expect("a valid id");
        let digests =
            [user_digest(id("1"), 1), user_digest(id("1"), 2), user_digest(id("2"), 1), user_digest(id("257"), 1)];
        for (index, digest) in digests.iter().enumerate() {
            assert!((0..1 << 64).contains(digest));
            assert!(!digests[..index].contains(digest));
        }
        // Python: int.from_bytes(hashlib.sha256((7).to_bytes(8, "big") + (2).to_bytes(8, "big")).digest()[:8], "big")
        assert_eq!(user_digest(id("7"), 2), 10_201_198_260_634_252_195);
    }
}
