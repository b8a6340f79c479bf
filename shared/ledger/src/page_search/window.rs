//! Range of the answer's order in which the postings of a page may lie.

use std::ops::Range;

use super::order::Position;

/// Number of weights up to which they are sorted at once.
const SORT_AT_ONCE: usize = 32;

/// Matches at known or estimated positions. The sum of weights up to a position is a bound of the number of matches before it.
#[derive(Debug, Default)]
pub(super) struct MatchWeights(Vec<(Position, u64)>);

/// Range in which the postings of a page may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Every match before this position comes before the page.
    pub(super) before_until: Position,
    /// Every match from this position on comes after the page.
    pub(super) after_from: Position,
}

impl MatchWeights {
    /// Adds a number of matches at a position.
    #[inline]
    pub(super) fn add(&mut self, position: Position, weight: u64) {
        if weight > 0 {
            self.0.push((position, weight));
        }
    }

    /// Returns the position of the match with this rank, counted from 0; behind every position if there are fewer matches.
    ///
    /// Takes linear time: it halves the weights around their median, and goes on in the half that holds the rank.
    fn position_of(&mut self, rank: u64) -> Position {
        let (mut weights, mut rank) = (&mut self.0[..], u128::from(rank));
        while weights.len() > SORT_AT_ONCE {
            let (earlier, later) = {
                let middle = weights.len() / 2;
                weights.select_nth_unstable_by_key(middle, |(position, _)| *position);
                weights.split_at_mut(middle)
            };
            let sum: u128 = earlier.iter().map(|(_, weight)| u128::from(*weight)).sum();
            if rank < sum {
                weights = earlier;
            } else {
                rank -= sum;
                weights = later;
            }
        }
        weights.sort_unstable_by_key(|(position, _)| *position);
        let mut sum = 0;
        let found = weights.iter().find(|(_, weight)| {
            sum += u128::from(*weight);
            rank < sum
        });
        found.map_or(Position::MAX, |(position, _)| *position)
    }
}

impl Window {
    /// Returns the window of a page of ranks. `least` counts at each position what is certainly before it, `most` what may be
    /// before the next one.
    pub(super) fn new(page: &Range<u64>, mut least: MatchWeights, mut most: MatchWeights) -> Self {
        let before_until = most.position_of(page.start);
        let after_from = page.end.checked_sub(1).map_or(0, |last| least.position_of(last));
        Self { before_until, after_from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_is_found_at_the_position_where_the_sum_of_weights_passes_it() {
        let weights =
            || MatchWeights((0..1_000).map(|number| (Position::from(number * 7919 % 1_000_u64), 3)).collect());
        for rank in 0..3_000 {
            assert_eq!(weights().position_of(rank), Position::from(rank / 3), "{rank}");
        }
        assert_eq!(weights().position_of(3_000), Position::MAX);
    }
}
