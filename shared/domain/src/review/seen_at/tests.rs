//! Order of rows by the time at which they were seen.

use super::*;
use crate::review::fixture;

fn review(title: &str, seen_at: Option<SeenAt>) -> Review {
    Review { version: 0, title: Some(title.to_owned()), seen_at, ..fixture::review("x") }
}

fn seen(at: i64, object_at: i64, line: u64) -> SeenAt {
    SeenAt { at, place: Some(RowPlace { object_at, line }), effect: RowEffect::Updated }
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
        (SeenAt { effect: RowEffect::Confirmed, ..seen(17, 17, 3) }, "17#3="),
        (SeenAt { effect: RowEffect::Created, ..seen(-5, 17, 3) }, "-5@17#3+"),
    ] {
        assert_eq!((stamp.to_string().as_str(), SeenAt::parse(text)), (text, Some(stamp)));
    }
    for wrong in ["", "x", "1#", "1@#2", "1#2#3", "@1#2", "1@2@3#4", "=", "+", "17+=", "17=+"] {
        assert_eq!(SeenAt::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn of_two_rows_of_one_place_the_greater_content_wins_and_a_row_always_places_its_business() {
    let [less, greater] = ["a", "b"].map(|title| review(title, Some(seen(17, 17, 3))));
    for rows in [[less.clone(), greater.clone()], [greater.clone(), less]] {
        assert_eq!(apply(&rows).0.title.as_deref(), Some("b"));
    }
    let older = Review { org_id: crate::user::fixture::org(2), ..review("older", Some(seen(16, 17, 3))) };
    let (after, outcomes) = apply(&[greater.clone(), older.clone()]);
    assert_eq!((after.org_id, after.title, outcomes[1]), (older.org_id, greater.title, RowOutcome::Unchanged));
}

#[test]
fn places_in_messages_of_one_millisecond_follow_their_sequence_numbers_and_then_their_lines() {
    // Numbers as SQS gives them: more than 64 bits hold.
    let first = 18_867_000_000_000_000_000_001;
    let places = [(first, 1), (first, 2), (first, 1 << 21), (first + 1, 1), (first + 256, 7), (first + (1 << 40), 1)]
        .map(|(sequence, line)| RowPlace::in_message(17, sequence, line));
    assert!(places.is_sorted_by(|one, next| one < next), "{places:?}");
    assert!(places[5] < RowPlace::in_message(18, 0, 1), "a later millisecond is later");
    assert_eq!(RowPlace::in_message(17, 0, 3), RowPlace { object_at: 17, line: 3 });
    assert!(RowPlace::in_message(17, u128::MAX, u64::MAX) < RowPlace::LAST);
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
        let seen_at = stored.seen_at.map(|seen| seen.at);
        assert_eq!((stored.title.as_deref(), seen_at, seen), (Some("new"), Some(20), outcomes));
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
    assert_eq!(outcome, RowOutcome::Unchanged, "the row says nothing new");
}

#[test]
fn a_row_counts_as_before_after_its_business_moved() {
    let moved = |stored: Review| Review { version: stored.version + 1, city_key: "paris".to_owned(), ..stored };
    let (first, second) = (review("a", Some(seen(10, 10, 1))), review("b", Some(seen(20, 20, 1))));
    for (rows, outcome) in [(vec![first.clone()], RowOutcome::Created), (vec![first, second], RowOutcome::Updated)] {
        let (stored, _) = apply(&rows);
        let row = rows.last().expect("a row");
        // The row comes again, with the place from before the move or with the present one.
        for row in [row.clone(), Review { city_key: "paris".to_owned(), ..row.clone() }] {
            assert_eq!(Review::accept(Some(&moved(stored.clone())), &row).outcome, outcome);
        }
    }
}
