//! Acts of people and connectors: each one upon every state of a reply.

use super::Step::{Delete, Put, Report, Row, Set};
use super::{Step, after, row, step, stored, summary};
use crate::review::ReplyOutcome::{Published, Rejected, Removed};
use crate::review::ReviewState::{Deleted, NotTreated, Treated};
use crate::review::{OutcomeReason, ReplyAction, ReplyText, Review};

/// Ways to each state of a reply, by name.
const WAYS: [(&str, &[Step]); 9] = [
    ("none", &[]),
    ("own", &[Row(NotTreated, "P", None)]),
    ("pending", &[Put("A")]),
    ("published", &[Put("A"), Report(1, Published)]),
    ("rejected", &[Put("A"), Report(1, Rejected)]),
    ("replaced", &[Put("A"), Report(1, Published), Put("B")]),
    ("refused", &[Put("A"), Report(1, Published), Put("B"), Report(2, Rejected)]),
    ("removing", &[Put("A"), Report(1, Published), Delete]),
    ("removed", &[Put("A"), Report(1, Published), Delete, Report(2, Removed)]),
];

#[test]
fn each_act_upon_each_state_of_a_reply() {
    let expected = [
        ("none", ["treated N | pending1 N", "not found", "version", "version", "version"]),
        ("own", ["treated N | pending1 N", "not_treated - | removing1 -", "version", "version", "version"]),
        (
            "pending",
            [
                "treated N | pending2 N",
                "treated - | removing2 -",
                "treated A | published1 A",
                "treated - | rejected1 A",
                "outcome",
            ],
        ),
        ("published", ["treated N | pending2 N", "treated - | removing2 -", "same", "same", "outcome"]),
        ("rejected", ["treated N | pending2 N", "treated -", "same", "same", "outcome"]),
        (
            "replaced",
            [
                "treated N | pending3 N",
                "treated - | removing3 -",
                "treated B | published2 B",
                "treated A | rejected2 B",
                "outcome",
            ],
        ),
        ("refused", ["treated N | pending3 N", "treated - | removing3 -", "same", "same", "outcome"]),
        ("removing", ["treated N | pending3 N", "same", "outcome", "treated A | published2 A", "treated -"]),
        ("removed", ["treated N | pending3 N", "not found", "outcome", "same", "same"]),
    ];
    for ((name, steps), (expected_name, expected)) in WAYS.into_iter().zip(expected) {
        assert_eq!(name, expected_name);
        let review = after(steps);
        let version = review.reply.as_ref().map_or(1, |reply| reply.version);
        let outcomes = [Published, Rejected, Removed].map(|outcome| Report(version, outcome));
        let acts = [Put("N"), Delete, outcomes[0], outcomes[1], outcomes[2]];
        for (act, expected) in acts.into_iter().zip(expected) {
            let found = step(&review, act, 99);
            let is_same = found.as_ref().is_ok_and(|found| *found == review);
            let found = if is_same { Ok("same".to_owned()) } else { found.map(|found| summary(&found)) };
            assert_eq!(found.unwrap_or_else(|field| field), expected, "{name}: {act:?}");
        }
    }
}

#[test]
fn reports_of_older_versions_change_nothing_and_later_ones_are_wrong() {
    for (name, steps) in WAYS.iter().skip(2) {
        let review = after(steps);
        let version = review.reply.as_ref().expect("a reply").version;
        for outcome in [Published, Rejected, Removed] {
            assert_eq!(step(&review, Report(version + 1, outcome), 99), Err("version".to_owned()), "{name}");
            for older in 0..version {
                assert_eq!(step(&review, Report(older, outcome), 99).as_ref(), Ok(&review), "{name} {older}");
            }
        }
    }
}

#[test]
fn a_deleted_review_takes_no_state_and_no_reply_but_its_reply_may_end() {
    let deleted = after(&[Put("A"), Row(Deleted, "-", None)]);
    assert_eq!(step(&deleted, Set(Treated), 99), Err("state".to_owned()));
    assert_eq!(step(&deleted, Put("B"), 99), Err("content".to_owned()));
    assert_eq!(step(&deleted, Delete, 99).map(|review| summary(&review)), Ok("deleted - | removing2 -".to_owned()));
    let published = step(&deleted, Report(1, Published), 99).map(|review| summary(&review));
    assert_eq!(published, Ok("deleted A | published1 A".to_owned()));
}

#[test]
fn the_present_state_again_is_no_change() {
    let treated = step(&stored(), Set(Treated), 10).expect("a change");
    assert_eq!((treated.state, treated.acted_at), (Treated, Some(10_000_000)));
    assert_eq!(step(&treated, Set(Treated), 20), Ok(treated));
    assert_eq!(step(&stored(), Set(NotTreated), 20), Ok(stored()));
}

#[test]
fn a_change_is_never_before_what_it_saw() {
    let ahead = Review::accept(Some(&stored()), &row(NotTreated, "-", None, Some(500))).review;
    let treated = step(&ahead, Set(Treated), 100).expect("a change");
    assert_eq!(treated.acted_at, Some(500_000_000));
    let again = step(&treated, Row(NotTreated, "-", Some(600)), 500).expect("a row");
    assert_eq!(again.state, Treated, "a row of the same instant");
}

#[test]
fn only_a_reply_that_is_on_its_way_has_a_request() {
    for (name, steps) in WAYS {
        let review = after(steps);
        let found = review.reply_request().map(|request| (request.action, request.version, request.content));
        let expected = match name {
            "pending" => Some((ReplyAction::Publish, 1, Some("A".to_owned()))),
            "replaced" => Some((ReplyAction::Publish, 2, Some("B".to_owned()))),
            "removing" => Some((ReplyAction::Remove, 2, None)),
            _ => None,
        };
        assert_eq!(found, expected, "{name}");
    }
    let reply = after(&[Put("A"), Report(1, Rejected)]).reply.expect("a reply");
    assert_eq!((reply.reason.as_deref(), reply.requested_at, reply.settled_at), (Some("because"), 10, Some(20)));
}

#[test]
fn texts_are_trimmed_and_bounded() {
    let text = |text: &str| ReplyText::parse(text).map(|text| text.0);
    assert_eq!(text(" \u{0}Merci\u{7f}\nbeaucoup \n"), Ok("Merci\nbeaucoup".to_owned()));
    assert_eq!(text(&format!(" {} ", "é".repeat(2_048))), Ok("é".repeat(2_048)));
    for wrong in ["", " \n\t", "\u{1}", &"x".repeat(4_097), &"é".repeat(2_049), "a\u{ffff}"] {
        assert!(text(wrong).is_err(), "{} bytes", wrong.len());
    }
    let reason = |text: &str| OutcomeReason::parse(text).map(|reason| reason.map(|reason| reason.0));
    assert_eq!(reason(" \u{1}non "), Ok(Some("non".to_owned())));
    assert_eq!(reason(" \u{1} "), Ok(None));
    assert_eq!(reason(&"é".repeat(500)), Ok(Some("é".repeat(500))));
    assert!(reason(&"x".repeat(501)).is_err() && reason("\u{fffe}").is_err());
}
