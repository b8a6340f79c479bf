//! Figures of statistics, from counts by facet key: number, average, and numbers by rating, state, partner and content.

use crate::review::{FacetCounts, FacetKey, Partner, Rating, ReviewState};

/// Average rating of some reviews, in hundredths of a star.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AverageRating(u16);

/// Figures of some reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of reviews.
    pub count: u64,
    /// Number of reviews for each rating, in the order of [`Rating::ALL`].
    pub ratings: [u64; Rating::ALL.len()],
    /// Number of reviews for each state, in the order of [`ReviewState::ALL`].
    pub states: [u64; ReviewState::ALL.len()],
    /// Number of reviews for each partner, in the order of [`Partner::ALL`].
    pub partners: [u64; Partner::ALL.len()],
    /// Number of reviews with text.
    pub with_content: u64,
    /// Number of reviews without text, or with a blank one.
    pub without_content: u64,
}

impl AverageRating {
    /// Returns the average of a number of reviews and the sum of their stars, rounded half up to hundredths. `None` without a review.
    pub fn of(count: u64, stars: u64) -> Option<Self> {
        let (count, stars) = (u128::from(count), u128::from(stars));
        // Twice the hundredths, plus one half of two: the division drops the rest.
        let hundredths = (200 * stars + count).checked_div(2 * count)?;
        u16::try_from(hundredths).ok().map(Self)
    }

    /// Returns the average in stars, with two decimals at most.
    pub fn stars(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl Totals {
    /// Returns the figures of counts. A negative count, which only damaged trees have, counts as 0.
    pub fn of(counts: &FacetCounts) -> Self {
        let mut totals = Self::default();
        for (state_number, state) in ReviewState::ALL.into_iter().enumerate() {
            for (rating_number, rating) in Rating::ALL.into_iter().enumerate() {
                for (partner_number, partner) in Partner::ALL.into_iter().enumerate() {
                    let with = number(counts, FacetKey::new(state, rating, partner, true));
                    let without = number(counts, FacetKey::new(state, rating, partner, false));
                    totals.with_content += with;
                    totals.without_content += without;
                    totals.count += with + without;
                    totals.states[state_number] += with + without;
                    totals.ratings[rating_number] += with + without;
                    totals.partners[partner_number] += with + without;
                }
            }
        }
        totals
    }

    /// Returns the average rating; `None` without a review.
    pub fn average_rating(&self) -> Option<AverageRating> {
        let stars = Rating::ALL.iter().zip(self.ratings).map(|(rating, count)| u64::from(rating.get()) * count);
        AverageRating::of(self.count, stars.sum())
    }
}

fn number(counts: &FacetCounts, key: FacetKey) -> u64 {
    u64::try_from(counts.get(key)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::review::FACET_KEY_COUNT;

    #[test]
    fn average_is_rounded_half_up_to_two_decimals() {
        for (count, stars, expected) in [
            (0, 0, None),
            (1, 1, Some(1.0)),
            (1, 5, Some(5.0)),
            (3, 4, Some(1.33)),
            (3, 5, Some(1.67)),
            (200, 201, Some(1.01)),
            (400, 401, Some(1.0)),
            (8, 33, Some(4.13)),
            (1_000, 4_995, Some(5.0)),
            (1_000, 4_994, Some(4.99)),
            (u64::MAX / 5, u64::MAX / 5 * 5, Some(5.0)),
        ] {
            assert_eq!(AverageRating::of(count, stars).map(AverageRating::stars), expected, "{stars} / {count}");
        }
    }

    #[test]
    fn negative_counts_of_damaged_trees_count_as_none() {
        let mut counts = FacetCounts::default();
        let key = |rating| FacetKey::new(ReviewState::Treated, rating, Partner::Partner8, true);
        counts.add(key(Rating::ALL[0]), -3);
        counts.add(key(Rating::ALL[4]), 2);
        let totals = Totals::of(&counts);
        assert_eq!((totals.count, totals.ratings, totals.with_content), (2, [0, 0, 0, 0, 2], 2));
    }

    proptest! {
        #[test]
        fn figures_are_those_of_the_reviews_one_by_one(numbers in proptest::collection::vec(0..FACET_KEY_COUNT, 0..200)) {
            let mut counts = FacetCounts::default();
            let mut expected = Totals::default();
            let mut stars = 0.0;
            for number in &numbers {
                counts.add(FacetKey::from_number(u8::try_from(*number).expect("small")).expect("a key"), 1);
                // The formula of facet keys, the other way round.
                let (content, partner, rating, state) = (number % 2, number / 2 % 3, number / 6 % 5, number / 30);
                expected.count += 1;
                expected.ratings[rating] += 1;
                expected.states[state] += 1;
                expected.partners[partner] += 1;
                *if content == 1 { &mut expected.with_content } else { &mut expected.without_content } += 1;
                stars += [1.0, 2.0, 3.0, 4.0, 5.0][rating];
            }
            let totals = Totals::of(&counts);
            prop_assert_eq!(&totals, &expected);
            match totals.average_rating() {
                None => prop_assert!(numbers.is_empty()),
                Some(average) => {
                    let exact = stars / f64::from(u32::try_from(numbers.len()).expect("small"));
                    prop_assert!((average.stars() - exact).abs() <= 0.005 + 1e-9);
                }
            }
        }
    }
}
