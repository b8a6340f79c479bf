//! Order of what partners say about one review: which row wins.

use std::cmp::Ordering;
use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::Review;

/// Instant at which a partner said what a row says, with what orders rows of the same instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenAt {
    /// Instant in microseconds since 1970.
    pub at: i64,
    /// Place of the row; `None` for a row of an operator's file, whose order the file gives.
    pub place: Option<RowPlace>,
    /// True if the row found its content stored already, so that it changed this stamp only.
    pub is_confirmation: bool,
}

/// Place of a row among all objects that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowPlace {
    /// Time of the object, in microseconds since 1970.
    pub object_at: i64,
    /// Number of the line in the object, from 1.
    pub line: u64,
}

impl RowPlace {
    /// Place behind all objects, of an operator's row that overruled what had arrived.
    pub const LAST: Self = Self { object_at: i64::MAX, line: u64::MAX };
}

/// Longest time by which a row may be ahead of the clock of its reader. Clocks of partners differ, and the day of a time zone may
/// begin 14 hours before that of UTC.
pub(super) const MAX_TIME_AHEAD: SignedDuration = SignedDuration::from_hours(24);

impl SeenAt {
    /// True if the instant is more than 24 hours after the present one. Such a stamp would win over every row until then.
    #[must_use]
    pub fn is_in_future(&self, now: Timestamp) -> bool {
        i128::from(self.at) > i128::from(now.as_microsecond()) + MAX_TIME_AHEAD.as_micros()
    }

    /// Returns the stamp of a row that says when it was seen.
    #[must_use]
    pub fn at(at: i64) -> Self {
        Self { at, place: None, is_confirmation: false }
    }

    /// Returns the stamp of an operator's row with this instant.
    #[must_use]
    pub fn without_place(self) -> Self {
        Self::at(self.at)
    }

    /// Reads a stamp in the form that [`SeenAt`] is shown in; `None` for another form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (rest, is_confirmation) = text.strip_suffix('=').map_or((text, false), |rest| (rest, true));
        let (times, line) = rest.split_once('#').map_or((rest, None), |(times, line)| (times, Some(line)));
        let (at, object_at) = times.split_once('@').map_or((times, times), |(at, object_at)| (at, object_at));
        let line: Option<u64> = line.map(str::parse).transpose().ok()?;
        let object_at = object_at.parse().ok()?;
        Some(Self { at: at.parse().ok()?, place: line.map(|line| RowPlace { object_at, line }), is_confirmation })
    }

    /// Returns the stamp behind every object of its instant, if an object wrote it.
    fn with_last_place(self) -> Self {
        Self { place: self.place.map(|_| RowPlace::LAST), ..self }
    }

    /// Compares two stamps by instant, then by place. `None` if they have the same instant, and a place is missing.
    fn compare(self, other: Self) -> Option<Ordering> {
        match (self.at.cmp(&other.at), self.place, other.place) {
            (Ordering::Equal, Some(place), Some(other)) => Some(place.cmp(&other)),
            (Ordering::Equal, ..) => None,
            (order, ..) => Some(order),
        }
    }
}

impl fmt::Display for SeenAt {
    /// Shows the stored form: the instant, `@` and the time of the object if that is another one, `#` and the line, and `=` for a
    /// confirmation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.at)?;
        if let Some(RowPlace { object_at, line }) = self.place {
            if object_at != self.at {
                write!(f, "@{object_at}")?;
            }
            write!(f, "#{line}")?;
        }
        if self.is_confirmation { f.write_str("=") } else { Ok(()) }
    }
}

/// Outcome of a row, as reports count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowOutcome {
    /// The row made a new review.
    Created,
    /// The row changed a review.
    Updated,
    /// The row changed nothing that anybody sees.
    Unchanged,
}

/// Review after a row, and the outcome of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedRow {
    /// Review to be stored. Id and version are those of the stored one, if there is one.
    pub review: Review,
    /// Outcome to be counted.
    pub outcome: RowOutcome,
}

impl Review {
    /// Decides which row wins: returns the review after a row, given what is stored.
    ///
    /// A row that is older than what is stored changes nothing. One of the same instant and place wins if its content is greater, so
    /// that the order of arrival decides nothing. A row without a stamp wins always, and keeps the stored instant. The place of the
    /// business is no word of the partner: it is always the row's.
    #[must_use]
    pub fn accept(stored: Option<&Self>, row: &Self) -> AcceptedRow {
        let Some(stored) = stored else {
            return AcceptedRow { review: row.clone(), outcome: RowOutcome::Created };
        };
        let order = match (row.seen_at, stored.seen_at) {
            (Some(row), Some(stored)) => row.compare(stored),
            _ => None,
        };
        let located = Self { org_id: row.org_id, city_key: row.city_key.clone(), ..stored.clone() };
        let is_same = located.content_eq(row);
        if order == Some(Ordering::Equal) && is_same {
            let outcome = if stored.content_eq(row) { stored.first_outcome() } else { RowOutcome::Updated };
            return AcceptedRow { review: located, outcome };
        }
        let wins = match order {
            None | Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => row.content_key() > stored.content_key(),
            Some(Ordering::Less) => false,
        };
        let review = if !wins {
            located
        } else if is_same {
            Self { seen_at: stored.confirmed_by(row), ..located }
        } else {
            let Self { id, version, .. } = stored.clone();
            Self { id, version, seen_at: stored.overruled_by(row), ..row.clone() }
        };
        let outcome = if review.content_eq(stored) { RowOutcome::Unchanged } else { RowOutcome::Updated };
        AcceptedRow { review, outcome }
    }

    /// Returns the outcome of the row that wrote this stamp, which comes a second time: its first outcome.
    fn first_outcome(&self) -> RowOutcome {
        match self.seen_at {
            Some(SeenAt { is_confirmation: false, .. }) if self.version == 1 => RowOutcome::Created,
            Some(SeenAt { is_confirmation: false, .. }) if self.version > 1 => RowOutcome::Updated,
            _ => RowOutcome::Unchanged,
        }
    }

    /// Returns the stamp after a row with the same content. A stamp without a place tells nothing new at its own instant.
    fn confirmed_by(&self, row: &Self) -> Option<SeenAt> {
        match (self.seen_at, row.seen_at) {
            (stored, None) => stored,
            (Some(stored), Some(row)) if stored.at == row.at && row.place.is_none() => Some(stored),
            (_, Some(row)) => Some(SeenAt { is_confirmation: true, ..row }),
        }
    }

    /// Returns the stamp after a row with another content. An operator's row stands behind every object of the stored instant, so
    /// that no object that comes again takes it back.
    fn overruled_by(&self, row: &Self) -> Option<SeenAt> {
        match (self.seen_at, row.seen_at) {
            (Some(stored), None) => Some(stored.with_last_place()),
            (Some(stored), Some(row)) if stored.at == row.at && row.place.is_none() => Some(stored.with_last_place()),
            (_, row) => row,
        }
    }

    /// Returns what orders two contents of one instant and place.
    fn content_key(&self) -> impl Ord + '_ {
        let texts =
            [&self.author_name, &self.title, &self.content, &self.reply_comment, &self.link].map(Option::as_deref);
        (self.update_date, self.date, self.delete_date, self.state, self.rating, texts, self.key.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BusinessId, OrgId};
    use crate::review::{Partner, Rating, ReviewId, ReviewState};

    fn review(title: &str, seen_at: Option<SeenAt>) -> Review {
        let business_id = BusinessId::parse("b1").expect("an id");
        Review {
            id: ReviewId::derive(&business_id, Partner::Partner8, "x", 0),
            version: 0,
            org_id: OrgId::new(42).expect("an id"),
            business_id,
            city_key: "lyon".to_owned(),
            partner: Partner::Partner8,
            partner_id: "x".to_owned(),
            key: "x".to_owned(),
            author_name: None,
            date: 0,
            update_date: None,
            delete_date: None,
            rating: Rating::ALL[0],
            title: Some(title.to_owned()),
            content: None,
            reply_comment: None,
            state: ReviewState::Treated,
            link: None,
            seen_at,
        }
    }

    fn seen(at: i64, object_at: i64, line: u64) -> SeenAt {
        SeenAt { at, place: Some(RowPlace { object_at, line }), is_confirmation: false }
    }

    /// Applies rows one after another, as writes do. Returns the review and the outcome of each row.
    fn apply(rows: &[Review]) -> (Review, Vec<RowOutcome>) {
        let (mut stored, mut outcomes): (Option<Review>, Vec<RowOutcome>) = (None, Vec::new());
        for row in rows {
            let AcceptedRow { review, outcome } = Review::accept(stored.as_ref(), row);
            let is_written = stored.as_ref().is_none_or(|stored| !stored.content_eq(&review));
            let version = stored.as_ref().map_or(0, |stored| stored.version) + u64::from(is_written);
            stored = Some(Review { version, ..review });
            outcomes.push(outcome);
        }
        (stored.expect("a row"), outcomes)
    }

    #[test]
    fn stamps_are_read_as_they_are_written() {
        for (stamp, text) in [
            (SeenAt::at(17), "17"),
            (SeenAt::at(-17), "-17"),
            (seen(17, 17, 3), "17#3"),
            (seen(-5, 17, 3), "-5@17#3"),
            (SeenAt { is_confirmation: true, ..seen(17, 17, 3) }, "17#3="),
        ] {
            assert_eq!((stamp.to_string().as_str(), SeenAt::parse(text)), (text, Some(stamp)));
        }
        for wrong in ["", "x", "1#", "1@#2", "1#2#3", "@1#2", "1@2@3#4", "="] {
            assert_eq!(SeenAt::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_instant_is_in_the_future_from_more_than_24_hours_ahead() {
        let hour = 3_600_000_000;
        for (ahead, is_in_future) in [
            (-1, false),
            (0, false),
            (hour, false),
            (24 * hour, false),
            (24 * hour + 1, true),
            (25 * hour, true),
            (24 * 366 * hour, true),
        ] {
            for now in ["2026-03-01T12:00:00Z", "1969-12-31T23:59:59.999999Z"] {
                let now: Timestamp = now.parse().expect("an instant");
                assert_eq!(SeenAt::at(now.as_microsecond() + ahead).is_in_future(now), is_in_future, "{now} {ahead}");
            }
        }
        assert!(SeenAt::at(i64::MAX).is_in_future(Timestamp::MIN) && SeenAt::at(i64::MAX).is_in_future(Timestamp::MAX));
        assert!(!SeenAt::at(i64::MIN).is_in_future(Timestamp::MIN));
    }

    #[test]
    fn the_newer_row_wins_and_an_older_one_counts_as_unchanged() {
        use RowOutcome::{Created, Unchanged, Updated};
        let (old, new) = (review("old", Some(SeenAt::at(10))), review("new", Some(SeenAt::at(20))));
        for (rows, outcomes) in [
            (vec![old.clone(), new.clone()], vec![Created, Updated]),
            (vec![new.clone(), old.clone()], vec![Created, Unchanged]),
            (vec![new.clone(), new.clone()], vec![Created, Unchanged]),
            (vec![old.clone(), new.clone(), old.clone()], vec![Created, Updated, Unchanged]),
        ] {
            let (stored, seen) = apply(&rows);
            assert_eq!((stored.title.as_deref(), stored.seen_at, seen), (Some("new"), Some(SeenAt::at(20)), outcomes));
        }
    }

    #[test]
    fn a_row_that_confirms_the_content_makes_rows_in_between_old() {
        let rows =
            [review("a", Some(SeenAt::at(10))), review("a", Some(SeenAt::at(30))), review("b", Some(SeenAt::at(20)))];
        let (stored, outcomes) = apply(&rows);
        assert_eq!(stored.title.as_deref(), Some("a"));
        assert_eq!(outcomes, [RowOutcome::Created, RowOutcome::Unchanged, RowOutcome::Unchanged]);
        assert_eq!(stored.version, 1, "a confirmation is no write of the review");
    }

    #[test]
    fn a_row_without_a_stamp_wins_and_keeps_the_stored_stamp() {
        let stamped = review("a", Some(SeenAt::at(10)));
        let (stored, outcomes) = apply(&[stamped.clone(), review("b", None)]);
        assert_eq!((stored.title.as_deref(), stored.seen_at), (Some("b"), Some(SeenAt::at(10))));
        assert_eq!(outcomes, [RowOutcome::Created, RowOutcome::Updated]);
        let (stored, _) = apply(&[review("b", None), stamped]);
        assert_eq!((stored.title.as_deref(), stored.seen_at), (Some("a"), Some(SeenAt::at(10))));
    }

    #[test]
    fn an_object_that_comes_again_does_not_take_back_what_an_operator_wrote() {
        for (arrived, corrected) in [("a", "b"), ("b", "a")] {
            for stamp in [None, Some(SeenAt::at(10))] {
                let arrives = review(arrived, Some(seen(10, 10, 1)));
                let (stored, _) = apply(&[arrives.clone(), review(corrected, stamp), arrives]);
                assert_eq!(stored.title.as_deref(), Some(corrected), "{stamp:?}");
            }
        }
    }

    #[test]
    fn rows_of_one_instant_are_ordered_by_their_object_and_line() {
        let rows =
            [review("a", Some(seen(10, 1, 9))), review("b", Some(seen(10, 2, 1))), review("c", Some(seen(10, 2, 5)))];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let (stored, _) = apply(&order.map(|row| rows[row].clone()));
            assert_eq!(stored.title.as_deref(), Some("c"), "{order:?}");
        }
        let (later_line, _) = apply(&[review("a", Some(SeenAt::at(10))), review("b", Some(SeenAt::at(10)))]);
        assert_eq!(later_line.title.as_deref(), Some("b"), "the order of an operator's file");
    }

    #[test]
    fn rows_delivered_twice_and_in_any_order_leave_the_same_review() {
        for seed in 0..2_000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let title = |rng: &mut fastrand::Rng| ["a", "b", "c"][rng.usize(0..3)];
            let rows: Vec<_> = (0..rng.usize(1..6))
                .map(|_| review(title(&mut rng), Some(seen(rng.i64(0..3), rng.i64(0..2), rng.u64(1..3)))))
                .collect();
            let mut deliveries = [rows.clone(), rows].concat();
            let (first, _) = apply(&deliveries);
            rng.shuffle(&mut deliveries);
            let (second, _) = apply(&deliveries);
            let stamp = |review: &Review| review.seen_at.map(|seen| (seen.at, seen.place));
            assert!(first.content_eq(&second) && stamp(&first) == stamp(&second), "seed {seed}");
        }
    }

    #[test]
    fn a_row_that_was_written_before_has_its_first_outcome_again() {
        let first = review("a", Some(seen(10, 10, 1)));
        let (stored, _) = apply(std::slice::from_ref(&first));
        assert_eq!(Review::accept(Some(&stored), &first).outcome, RowOutcome::Created);
        let second = review("b", Some(seen(20, 20, 1)));
        let (stored, _) = apply(&[first.clone(), second.clone()]);
        assert_eq!(Review::accept(Some(&stored), &second).outcome, RowOutcome::Updated);
        let third = review("b", Some(seen(30, 30, 1)));
        let (stored, _) = apply(&[first, second, third.clone()]);
        assert_eq!(Review::accept(Some(&stored), &third).outcome, RowOutcome::Unchanged);
    }

    #[test]
    fn an_old_row_takes_the_review_to_the_place_of_its_business() {
        let stored = review("new", Some(SeenAt::at(20)));
        let old = Review { city_key: "paris".to_owned(), ..review("old", Some(SeenAt::at(10))) };
        let AcceptedRow { review, outcome } = Review::accept(Some(&stored), &old);
        assert_eq!((review.title.as_deref(), review.city_key.as_str()), (Some("new"), "paris"));
        assert_eq!(outcome, RowOutcome::Updated);
    }
}
