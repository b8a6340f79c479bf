//! Rows that meet changes made here, line by line of the rules.

use super::Step::{Delete, Put, Report, Row, Set, Unstamped};
use super::{Step, after, row, step, stored, summary};
use crate::review::ReplyOutcome::{Published, Rejected, Removed};
use crate::review::ReviewState::{Deleted, NotTreated, Treated};
use crate::review::reply::ReplyStatus;
use crate::review::{AcceptedRow, Partner, Review, ReviewId, ReviewState, RowOutcome, RowPlace, SeenAt};

#[test]
fn a_later_row_says_what_the_rules_give_it() {
    let (published, replaced) = ([Put("A"), Report(1, Published)], [Put("A"), Report(1, Published), Put("B")]);
    let removing = [Put("A"), Report(1, Published), Delete];
    let refused = [Put("A"), Report(1, Published), Put("B"), Report(2, Rejected)];
    let own = [Row(NotTreated, "P", None), Put("A")];
    let text = |text| Row(Treated, text, None);
    let cases: [(&[Step], Step, &str); 33] = [
        // States: the author wrote again, or did not.
        (&[Set(Treated)], Row(NotTreated, "-", None), "treated -"),
        (&[Set(Treated)], Row(NotTreated, "-", Some(10)), "treated -"),
        (&[Set(Treated)], Row(NotTreated, "-", Some(11)), "not_treated -"),
        (&[Set(Treated), Set(NotTreated)], Row(Treated, "-", Some(15)), "not_treated -"),
        (&[Set(Treated)], Row(Deleted, "-", None), "deleted -"),
        (&[Set(Treated), Row(Deleted, "-", None)], Row(NotTreated, "-", None), "not_treated -"),
        (&[Row(Treated, "-", None)], Row(NotTreated, "-", None), "not_treated -"),
        // No text.
        (&[Put("A")], text("-"), "treated A | pending1 A"),
        (&published, text("-"), "treated -"),
        (&removing, text("-"), "treated -"),
        (&refused, text("-"), "treated - | rejected2 B"),
        (&own[..1], text("-"), "treated -"),
        // The text that is pending, white space apart.
        (&[Put("A")], text("A"), "treated A | published1 A"),
        (&[Put("a  b\nc")], text(" a b c"), "treated a  b\nc | published1 a  b\nc"),
        (&replaced, text("B"), "treated B | published2 B"),
        (&[Put("A"), Report(1, Published), Put("A")], text("A"), "treated A | published2 A"),
        // The text that was last published.
        (&published, text("A"), "treated A | published1 A"),
        (&published, text(" A\n"), "treated A | published1 A"),
        (&replaced, text("A"), "treated B | pending2 B"),
        (&removing, text("A"), "treated - | removing2 -"),
        (&refused, text("A"), "treated A | rejected2 B"),
        (&own, text("P"), "treated A | pending1 A"),
        (&[Put("A"), Delete], text("A"), "treated - | removing2 -"),
        // Any other text.
        (&[Put("A")], text("X"), "treated X | unmanaged X"),
        (&[Put("a b")], text("ab"), "treated ab | unmanaged ab"),
        (&published, text("X"), "treated X | unmanaged X"),
        (&replaced, text("X"), "treated X | unmanaged X"),
        (&removing, text("X"), "treated X | unmanaged X"),
        (&refused, text("X"), "treated X | unmanaged X"),
        (&refused, text("B"), "treated B | unmanaged B"),
        (&[Set(Treated)], text("X"), "treated X | unmanaged X"),
        // An operator's row counts as made now.
        (&[Put("A")], Unstamped(NotTreated, "X"), "treated X | unmanaged X"),
        (&published, Unstamped(Deleted, "-"), "deleted -"),
    ];
    for (steps, row, expected) in cases {
        let review = step(&after(steps), row, 90).expect("a row");
        assert_eq!(summary(&review), expected, "{steps:?} {row:?}");
        assert_eq!(step(&review, row, 90).map(|again| summary(&again)).as_deref(), Ok(expected), "again: {row:?}");
    }
}

#[test]
fn an_older_row_says_nothing_about_state_and_reply_and_all_about_the_rest() {
    let changed: [&[Step]; 5] = [
        &[Set(Treated)],
        &[Put("A")],
        &[Put("A"), Report(1, Published)],
        &[Put("A"), Report(1, Published), Delete],
        &[Put("A"), Delete, Report(2, Removed)],
    ];
    for steps in changed {
        let review = after(steps);
        let last = i64::try_from(steps.len()).expect("few") * 10;
        for state in ReviewState::ALL {
            for (text, second) in [("-", 5), ("A", 5), ("X", 5), ("X", last)] {
                let title = Some("New".to_owned());
                let older = Review { title: title.clone(), ..row(state, text, Some(1_000), Some(second)) };
                let AcceptedRow { review: met, outcome } = Review::accept(Some(&review), &older);
                assert_eq!((summary(&met), &met.title), (summary(&review), &title), "{steps:?} {state:?} {text}");
                assert_eq!((&met.reply, met.acted_at, outcome), (&review.reply, review.acted_at, RowOutcome::Updated));
                assert_eq!(met.update_date, Some(1_000));
            }
        }
    }
}

#[test]
fn a_row_that_comes_again_after_a_change_has_its_first_outcome_and_changes_nothing() {
    let place = Some(RowPlace { object_at: 9_000_000, line: 1 });
    let seen_at = Some(SeenAt { place, ..SeenAt::at(9_000_000) });
    let first = Review { seen_at, ..row(NotTreated, "-", Some(8), None) };
    let created = Review::accept(None, &first).review;
    for act in [Set(Treated), Put("A")] {
        let changed = step(&created, act, 20).expect("a change");
        let AcceptedRow { review, outcome } = Review::accept(Some(&changed), &first);
        assert_eq!((summary(&review), outcome), (summary(&changed), RowOutcome::Created), "{act:?}");
        let confirming = Review { seen_at: Some(SeenAt::at(30_000_000)), ..first.clone() };
        let AcceptedRow { review, outcome } = Review::accept(Some(&changed), &confirming);
        assert_eq!((summary(&review), outcome), (summary(&changed), RowOutcome::Unchanged), "{act:?}");
    }
}

#[test]
fn versions_go_on_after_a_reply_is_gone() {
    let gone = after(&[Put("A"), Report(1, Rejected), Delete, Put("B"), Report(2, Published), Row(Treated, "X", None)]);
    assert_eq!(summary(&gone), "treated X | unmanaged X");
    assert_eq!(step(&gone, Put("C"), 99).map(|review| summary(&review)).as_deref(), Ok("treated C | pending3 C"));
    assert_eq!(step(&stored(), Put("C"), 99).map(|review| summary(&review)).as_deref(), Ok("treated C | pending1 C"));
}

#[test]
fn the_row_that_settles_a_reply_says_when() {
    let settled = |row| step(&after(&[Put("A")]), row, 90).expect("a row").reply.expect("a reply").settled_at;
    assert_eq!(settled(Row(Treated, "A", None)), Some(90));
    assert_eq!(settled(Unstamped(Treated, "A")), None, "the row has no instant");
}

#[test]
fn a_row_says_nothing_about_id_and_version() {
    let id = ReviewId::derive(&stored().business_id, Partner::Partner8, "y", 1);
    let before = Review { id, version: 7, ..stored() };
    let met = Review::accept(Some(&before), &row(Treated, "P", None, Some(5))).review;
    assert_eq!((met.id, met.version, met.state), (before.id, 7, Treated));
}

#[test]
fn a_reply_that_ends_has_the_instant_at_which_it_was_settled_and_no_reason_of_before() {
    let reply = |steps: &[Step]| after(steps).reply.expect("a reply");
    let removed = reply(&[Put("A"), Report(1, Published), Delete, Row(Treated, "-", None)]);
    assert_eq!((removed.status, removed.settled_at), (ReplyStatus::Ended, Some(40)));
    let replaced = reply(&[Put("A"), Report(1, Rejected), Row(Treated, "C", None)]);
    assert_eq!((replaced.status, replaced.settled_at, replaced.reason), (ReplyStatus::Ended, Some(20), None));
    let reported = reply(&[Put("A"), Report(1, Published), Delete, Report(2, Removed), Row(Treated, "C", None)]);
    assert!(reported.reason.is_some(), "what a connector said of the end stays");
}
