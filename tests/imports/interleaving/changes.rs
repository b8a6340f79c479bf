//! What may happen to reviews while a search is under way: each is one transaction.

use presence_domain::review::{Rating, Review, ReviewState};

use super::super::large_dataset::{review, second};
use super::searches::ReviewsByName;

/// A change of a review, or back again.
type Turn = fn(&mut Review);

/// Something that happens, and happens again the other way round.
pub(super) enum Change {
    /// New reviews of a business on a day.
    New(&'static str, &'static str),
    /// Reviews become otherwise, and then as they were.
    Other(&'static [(&'static str, Turn)]),
}

pub(super) static CHANGES: [(&str, Change); 14] = [
    ("a new review on the first page", Change::New("m1", "2025-08-20T12:00:00")),
    ("a new review in the big month", Change::New("m1", "2025-07-05T12:00:30")),
    ("one is deleted", Change::Other(&[("top", |review| review.state = ReviewState::Deleted)])),
    ("one of another organisation is deleted", Change::Other(&[("far", |review| review.state = ReviewState::Deleted)])),
    ("one gets another rating", Change::Other(&[("mid", |review| review.rating = Rating::ALL[0])])),
    (
        "one at the start of the range gets another rating",
        Change::Other(&[("start", |one| one.rating = Rating::ALL[2])]),
    ),
    ("one at the end of the range is treated", Change::Other(&[("end", |one| one.state = ReviewState::Treated)])),
    ("one comes later in its month", Change::Other(&[("mid", |review| moved(review, "2025-07-08T20:00:01"))])),
    ("one comes earlier in its month", Change::Other(&[("start", |review| moved(review, "2025-06-02T09:00:00"))])),
    ("one moves to the newest month", Change::Other(&[("low", |review| moved(review, "2025-08-26T09:00:00"))])),
    ("one moves between the ends of the range", Change::Other(&[("end", |one| moved(one, "2025-06-10T13:30:00"))])),
    ("one moves from the start into the range", Change::Other(&[("start", |one| moved(one, "2025-07-05T09:00:01"))])),
    (
        "two change places",
        Change::Other(&[
            ("top", |review| moved(review, "2025-07-08T23:00:00")),
            ("mid", |review| moved(review, "2025-08-25T10:00:00")),
        ]),
    ),
    (
        "two change places between the ends of the range",
        Change::Other(&[
            ("start", |review| moved(review, "2025-08-10T11:30:00")),
            ("end", |review| moved(review, "2025-06-10T13:00:00")),
        ]),
    ),
];

fn moved(review: &mut Review, to: &str) {
    review.update_date = Some(second(to));
}

impl Change {
    /// The reviews as they are after it, `step` being how often something happened before.
    pub(super) fn next(&self, now: &ReviewsByName, home: &ReviewsByName, step: usize) -> Vec<Review> {
        match self {
            Self::New(business, at) => {
                let state = ReviewState::NotTreated;
                vec![Review { version: 0, ..review(&format!("new {step}"), business, second(at), 5, state) }]
            }
            Self::Other(turns) => turns.iter().map(|(name, turn)| turned(&now[*name], &home[*name], *turn)).collect(),
        }
    }
}

/// Otherwise where it is as it was at home, else as it was there.
fn turned(now: &Review, home: &Review, turn: Turn) -> Review {
    let mut away = home.clone();
    turn(&mut away);
    let is_away = Review { version: 0, ..now.clone() } == Review { version: 0, ..away.clone() };
    let next = if is_away { home.clone() } else { away };
    Review { version: now.version, ..next }
}
