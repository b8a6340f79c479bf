//! Facets of a review: the properties that a search filters on and the ledger counts by.

use super::{Partner, Rating, Review, ReviewState};

/// Number of facet keys: 3 states × 5 ratings × 3 partners × with or without content.
pub const FACET_KEY_COUNT: usize = 90;

/// One combination of state, rating, partner and presence of content, as a number.
///
/// Keys are numbered in this order of properties. The numbers are stored: they must never change.
/// Storage holds these numbers: their order must never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FacetKey(u8);

impl FacetKey {
    /// Returns the key of a combination.
    pub fn new(state: ReviewState, rating: Rating, partner: Partner, has_content: bool) -> Self {
        let number = ((state as u8 * 5 + rating.get() - 1) * 3 + partner as u8) * 2 + u8::from(has_content);
        Self(number)
    }

    /// Returns the key of a review.
    pub fn of(review: &Review) -> Self {
        Self::new(review.state, review.rating, review.partner, review.has_content())
    }

    /// Returns the key with a number; `None` from [`FACET_KEY_COUNT`] on.
    pub fn from_number(number: u8) -> Option<Self> {
        (usize::from(number) < FACET_KEY_COUNT).then_some(Self(number))
    }

    /// Returns the number of the key, below [`FACET_KEY_COUNT`].
    pub fn number(self) -> u8 {
        self.0
    }
}

/// A set of facet keys, as bits. Every filter on facets is such a set, whatever properties it combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FacetMask(u128);

impl FacetMask {
    /// Mask of every key: a filter that admits all reviews.
    pub const ALL: Self = Self((1 << FACET_KEY_COUNT) - 1);
    /// Mask of no key: a filter that admits nothing.
    pub const NONE: Self = Self(0);

    /// Returns the mask of all combinations that the predicate admits.
    pub fn from_predicate(admits: impl Fn(ReviewState, Rating, Partner, bool) -> bool) -> Self {
        let mut mask = Self::NONE;
        for state in ReviewState::ALL {
            for rating in Rating::ALL {
                for partner in Partner::ALL {
                    for has_content in [false, true] {
                        if admits(state, rating, partner, has_content) {
                            mask.0 |= 1 << FacetKey::new(state, rating, partner, has_content).0;
                        }
                    }
                }
            }
        }
        mask
    }

    /// True if the mask contains the key.
    pub fn contains(self, key: FacetKey) -> bool {
        self.0 >> key.0 & 1 == 1
    }

    /// True if the mask contains no key.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the key of a mask of one key.
    pub fn only_key(self) -> Option<FacetKey> {
        let number = u8::try_from(self.0.trailing_zeros()).ok()?;
        FacetKey::from_number(number).filter(|_| self.0.is_power_of_two())
    }

    /// Returns the mask as bits: the lowest is that of key 0.
    pub fn bits(self) -> u128 {
        self.0
    }
}

impl FromIterator<FacetKey> for FacetMask {
    fn from_iter<T: IntoIterator<Item = FacetKey>>(keys: T) -> Self {
        Self(keys.into_iter().fold(0, |mask, key| mask | 1 << key.0))
    }
}

/// Number of reviews for each facet key. As a difference between two counts, a number may be negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCounts([i64; FACET_KEY_COUNT]);

impl Default for FacetCounts {
    fn default() -> Self {
        Self([0; FACET_KEY_COUNT])
    }
}

impl FacetCounts {
    /// Returns the counts with these numbers, in the order of the keys.
    pub fn from_array(counts: &[i64; FACET_KEY_COUNT]) -> Self {
        Self(*counts)
    }

    /// Returns the numbers in the order of the keys.
    pub fn as_array(&self) -> &[i64; FACET_KEY_COUNT] {
        &self.0
    }

    /// Adds the counts of others.
    pub fn add_all(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own += other;
        }
    }

    /// Subtracts the counts of others.
    pub fn subtract_all(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own -= other;
        }
    }

    /// Raises negative counts to 0. Returns how many there were.
    pub fn raise_to_zero(&mut self) -> usize {
        let negative = self.0.iter_mut().filter(|count| **count < 0);
        negative.map(|count| *count = 0).count()
    }

    /// Returns the count of a key.
    pub fn get(&self, key: FacetKey) -> i64 {
        self.0[usize::from(key.number())]
    }

    /// Adds a difference to the count of a key.
    pub fn add(&mut self, key: FacetKey, difference: i64) {
        self.0[usize::from(key.number())] += difference;
    }

    /// Returns the number of reviews that the mask admits.
    pub fn count(&self, mask: FacetMask) -> i64 {
        self.nonzero().filter(|(key, _)| mask.contains(*key)).map(|(_, count)| count).sum()
    }

    /// Returns the counts of those keys that the mask contains; the others are 0.
    #[must_use]
    pub fn masked(&self, mask: FacetMask) -> Self {
        let mut masked = self.clone();
        for (count, number) in masked.0.iter_mut().zip(0..) {
            *count *= i64::from(mask.contains(FacetKey(number)));
        }
        masked
    }

    /// Returns the number of all reviews.
    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }

    /// Returns the keys whose count is not zero, ascending, each with its count.
    pub fn nonzero(&self) -> impl Iterator<Item = (FacetKey, i64)> {
        let counts = (0..).zip(self.0).map(|(number, count)| (FacetKey(number), count));
        counts.filter(|(_, count)| *count != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facet_keys_are_numbered_by_state_rating_partner_and_content() {
        let mut next = 0;
        for state in ReviewState::ALL {
            for rating in Rating::ALL {
                for partner in Partner::ALL {
                    for has_content in [false, true] {
                        assert_eq!(FacetKey::new(state, rating, partner, has_content).number(), next);
                        next += 1;
                    }
                }
            }
        }
        assert_eq!(usize::from(next), FACET_KEY_COUNT);
    }

    #[test]
    fn a_mask_of_one_key_names_it() {
        let of = |keys: &[u8]| keys.iter().map(|key| FacetKey(*key)).collect::<FacetMask>();
        assert_eq!([&[7_u8][..], &[7, 8], &[]].map(|keys| of(keys).only_key()), [Some(FacetKey(7)), None, None]);
    }

    #[test]
    fn negative_counts_are_raised_and_told() {
        let mut counts = FacetCounts::default();
        for (key, count) in [(0, -1), (1, 2), (89, -3)] {
            counts.add(FacetKey(key), count);
        }
        assert_eq!((counts.raise_to_zero(), counts.raise_to_zero()), (2, 0));
        assert_eq!([0, 1, 89].map(|key| counts.get(FacetKey(key))), [0, 2, 0]);
    }
}
