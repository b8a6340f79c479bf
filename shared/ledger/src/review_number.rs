//! Ids of reviews as numbers, which take 8 bytes in storage.

use presence_domain::review::ReviewId;

/// Largest prime below 2¹⁶. The remainder of a number depends on all of its digits.
const PRIME: u64 = 65_521;

/// Id of a review as a number. Numbers are in the order of the ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReviewNumber(u64);

impl ReviewNumber {
    /// Smallest number.
    pub const MIN: Self = Self(0);
    /// Number above that of every id.
    pub const MAX: Self = Self(u64::MAX);

    /// Returns the number of an id: its 12 characters (digits, then letters) as digits of base 36.
    pub fn of(id: &ReviewId) -> Self {
        let digit = |byte: u8| if byte.is_ascii_digit() { byte - b'0' } else { byte.wrapping_sub(b'a') % 26 + 10 };
        Self(id.as_str().bytes().fold(0, |number, byte| number * 36 + u64::from(digit(byte))))
    }

    /// Returns the number with this value. Values that no id has stay usable for comparisons.
    pub fn new(value: u64) -> Self {
        Self(value)
    }

    /// Returns the number as an integer.
    pub fn get(self) -> u64 {
        self.0
    }

    /// Returns the id; `None` if no id has this number.
    pub fn to_id(self) -> Option<ReviewId> {
        let mut characters = [b'0'; ReviewId::LENGTH];
        let mut rest = self.0;
        for character in characters.iter_mut().rev() {
            *character = b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize];
            rest /= 36;
        }
        (rest == 0).then(|| ReviewId::parse(std::str::from_utf8(&characters).ok()?)).flatten()
    }

    /// Returns the lane of the log that holds the changes of the review, below [`LANES`](super::LANES).
    ///
    /// The lane depends on all characters of the id. The remainder of the number itself would depend on the last two. Ids leave out four
    /// letters, so one lane would have 14 % of the reviews, and another 11 %.
    pub fn lane(self) -> usize {
        (self.0 % PRIME % super::LANES as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use presence_domain::ids::BusinessId;
    use presence_domain::review::Partner;

    use super::*;
    use crate::LANES;

    #[test]
    fn numbers_are_the_ids_in_base_36_and_in_their_order() {
        let largest = 36_u64.pow(12) - 1;
        for (text, number) in [
            ("000000000000", 0),
            ("000000000009", 9),
            ("00000000000z", 35),
            ("000000000010", 36),
            ("zzzzzzzzzzzz", largest),
        ] {
            let id = ReviewId::parse(text).expect("an id");
            assert_eq!((ReviewNumber::of(&id).get(), ReviewNumber::new(number).to_id()), (number, Some(id)));
        }
        assert_eq!(ReviewNumber::new(largest + 1).to_id(), None);
        assert_eq!([0, 7, 8, 9].map(|number| ReviewNumber::new(number).lane()), [0, 7, 0, 1]);
    }

    #[test]
    fn each_lane_has_an_eighth_of_the_reviews() {
        const REVIEWS: usize = 80_000;
        let business = BusinessId::parse("b1").expect("an id");
        let mut lanes = [0_usize; LANES];
        for number in 0..REVIEWS {
            let id = ReviewId::derive(&business, Partner::Partner8, &number.to_string(), 0);
            lanes[ReviewNumber::of(&id).lane()] += 1;
        }
        let eighth = REVIEWS / LANES;
        assert!(lanes.iter().all(|reviews| reviews.abs_diff(eighth) < eighth / 20), "{lanes:?}");
    }
}
