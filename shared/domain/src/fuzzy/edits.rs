//! Distance of two words in edits, as far as it is small.

/// Finds out whether words are few edits apart. An edit is a letter added, removed or replaced, or two neighbours swapped; no letter is
/// edited twice (optimal string alignment).
///
/// Only cells near the diagonal can be small. So the time is the length of the words times the number of edits, not the product of lengths.
#[derive(Debug, Default)]
pub(super) struct EditDistance {
    other: Vec<char>,
    /// Row of the table, the one before it, and the one before that.
    rows: [Vec<usize>; 3],
}

impl EditDistance {
    /// Returns the number of edits between two words if it is at most `max`.
    pub(super) fn within(&mut self, word: &[char], other: &str, max: usize) -> Option<usize> {
        self.other.clear();
        self.other.extend(other.chars());
        let (length, far) = (self.other.len(), max + 1);
        if word.len().abs_diff(length) > max {
            return None;
        }
        for row in &mut self.rows {
            row.clear();
            row.resize(length + 1, far);
        }
        for (column, cell) in self.rows[1].iter_mut().enumerate().take(max + 1) {
            *cell = column;
        }
        for (number, letter) in (1_usize..).zip(word) {
            let [row, above, second_above] = &mut self.rows;
            let (first, last) = (number.saturating_sub(max), (number + max).min(length));
            row[first.saturating_sub(1)] = far;
            let mut fewest = far;
            for column in first..=last {
                row[column] = if column == 0 {
                    number
                } else {
                    let is_same = self.other[column - 1] == *letter;
                    let mut edits = (above[column - 1] + usize::from(!is_same)).min(row[column - 1] + 1);
                    // The cell above the last one of a row lies outside of the band of the row before.
                    if column < number + max {
                        edits = edits.min(above[column] + 1);
                    }
                    let is_swapped = number > 1
                        && column > 1
                        && self.other[column - 2] == *letter
                        && self.other[column - 1] == word[number - 2];
                    if is_swapped { edits.min(second_above[column - 2] + 1) } else { edits }
                };
                fewest = fewest.min(row[column]);
            }
            if fewest > max {
                return None;
            }
            self.rows.rotate_right(1);
        }
        // The last row was rotated to the second place.
        Some(self.rows[1][length]).filter(|edits| *edits <= max)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_distance_of_the_whole_table_as_far_as_it_is_small(
            word in "[abé]{0,14}",
            other in "[abé]{0,14}",
            max in 0..4_usize,
        ) {
            let letters: Vec<char> = word.chars().collect();
            let mut distance = EditDistance::default();
            for _ in 0..2 {
                let whole = strsim::osa_distance(&word, &other);
                prop_assert_eq!(distance.within(&letters, &other, max), Some(whole).filter(|whole| *whole <= max));
            }
        }
    }
}
