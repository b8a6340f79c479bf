//! Changes of reviews during a search: each is one transaction.

use presence_domain::review::{Rating, Review, ReviewState};

use super::super::large_dataset::{review, second};
use super::searches::ReviewsByName;

/// Edit of a review.
type Edit = fn(&mut Review);

/// Change that can be made and reversed.
pub(super) enum Change {
    /// New reviews of a business on a day.
    New(&'static str, &'static str),
    /// Edits of named reviews, and then their reverse.
    Edited(&'static [(&'static str, Edit)]),
}

pub(super) static CHANGES: [(&str, Change); 14] = [
    ("a new review on the first page", Change::New("m1", "2025-08-20T12:00:00")),
    ("a new review in the big month", Change::New("m1", "2025-07-05T12:00:30")),
    ("one is deleted", Change::Edited(&[("top", |review| review.state = ReviewState::Deleted)])),
    (
        "one of another organisation is deleted",
        Change::Edited(&[("far", |review| review.state = ReviewState::Deleted)]),
    ),
    ("one gets another rating", Change::Edited(&[("mid", |review| review.rating = Rating::ALL[0])])),
    (
        "one at the start of the range gets another rating",
        Change::Edited(&[("start", |one| one.rating = Rating::ALL[2])]),
    ),
    ("one at the end of the range is treated", Change::Edited(&[("end", |one| one.state = ReviewState::Treated)])),
    ("one comes later in its month", Change::Edited(&[("mid", |review| moved(review, "2025-07-08T20:00:01"))])),
    ("one comes earlier in its month", Change::Edited(&[("start", |review| moved(review, "2025-06-02T09:00:00"))])),
    ("one moves to the newest month", Change::Edited(&[("low", |review| moved(review, "2025-08-26T09:00:00"))])),
    ("one moves between the ends of the range", Change::Edited(&[("end", |one| moved(one, "2025-06-10T13:30:00"))])),
    ("one moves from the start into the range", Change::Edited(&[("start", |one| moved(one, "2025-07-05T09:00:01"))])),
    (
        "two change places",
        Change::Edited(&[
            ("top", |review| moved(review, "2025-07-08T23:00:00")),
            ("mid", |review| moved(review, "2025-08-25T10:00:00")),
        ]),
    ),
    (
        "two change places between the ends of the range",
        Change::Edited(&[
            ("start", |review| moved(review, "2025-08-10T11:30:00")),
            ("end", |review| moved(review, "2025-06-10T13:00:00")),
        ]),
    ),
];

fn moved(review: &mut Review, to: &str) {
    review.update_date = Some(second(to));
}

impl Change {
    /// Returns the reviews after the change. `step` is the number of changes so far.
    pub(super) fn next(&self, now: &ReviewsByName, original: &ReviewsByName, step: usize) -> Vec<Review> {
        match self {
            Self::New(business, at) => {
                let state = ReviewState::NotTreated;
                vec![Review { version: 0, ..review(&format!("new {step}"), business, second(at), 5, state) }]
            }
            Self::Edited(edits) => {
                edits.iter().map(|(name, edit)| edited(&now[*name], &original[*name], *edit)).collect()
            }
        }
    }
}

/// Returns the edited review, or the original if it is edited already.
fn edited(now: &Review, original: &Review, edit: Edit) -> Review {
    let mut changed = original.clone();
    edit(&mut changed);
    let is_edited = Review { version: 0, ..now.clone() } == Review { version: 0, ..changed.clone() };
    let next = if is_edited { original.clone() } else { changed };
    Review { version: now.version, ..next }
}
