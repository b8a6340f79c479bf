//! Random histories of rows and acts, against a model that is written another way, and in other orders of arrival.

use super::Step::{Delete, Put, Report, Row, Set};
use super::{Step, row, step, stored, summary};
use crate::review::ReplyOutcome::{self, Published, Rejected, Removed};
use crate::review::Review;
use crate::review::ReviewState::{self, Deleted, NotTreated, Treated};

/// Number of histories; a run of all takes two seconds.
const HISTORIES: u64 = 20_000;
const TEXTS: [&str; 4] = ["A", "B", "X", "-"];

/// Model of a review: what happened, and nothing derived. It answers each question by reading the whole past.
#[derive(Clone, Default)]
struct Model {
    /// Rows that arrived, by the second at which they were seen.
    rows: Vec<(i64, ReviewState, &'static str, Option<i64>)>,
    state: Option<ReviewState>,
    acted_at: Option<i64>,
    /// Text on its way, with its version; `-` is a removal.
    wanted: Option<&'static str>,
    refused: Option<&'static str>,
    is_ours: bool,
    at_partner: Option<&'static str>,
    version: u64,
    was_removal: bool,
}

impl Model {
    fn newest_row(&self) -> i64 {
        self.rows.iter().map(|row| row.0).fold(1, i64::max)
    }

    fn act(&mut self, second: i64) {
        self.acted_at = Some(second.max(self.newest_row()).max(self.acted_at.unwrap_or(0)));
    }

    fn state(&self) -> ReviewState {
        self.state.unwrap_or(NotTreated)
    }

    fn reply_state(&self) -> String {
        let version = self.version;
        match (self.wanted, self.refused, self.at_partner) {
            (Some("-"), ..) => format!(" | removing{version} -"),
            (Some(text), ..) => format!(" | pending{version} {text}"),
            (None, Some(text), _) => format!(" | rejected{version} {text}"),
            (None, None, Some(text)) if self.is_ours => format!(" | published{version} {text}"),
            (None, None, Some(text)) => format!(" | unmanaged {text}"),
            (None, None, None) => String::new(),
        }
    }

    fn summary(&self) -> String {
        let comment = self.wanted.or(self.at_partner).unwrap_or("-");
        format!("{} {comment}{}", self.state().as_str(), self.reply_state())
    }

    /// Does a step. False if it is refused.
    fn step(&mut self, step: Step, second: i64) -> bool {
        match step {
            Set(_) | Put(_) if self.state() == Deleted => return false,
            Set(state) if state == self.state() => {}
            Set(state) => {
                self.act(second);
                self.state = Some(state);
            }
            Put(text) => {
                self.act(second);
                (self.state, self.wanted, self.refused) = (Some(Treated), Some(text), None);
                (self.version, self.was_removal) = (self.version + 1, false);
            }
            Delete => return self.delete(second),
            Report(version, outcome) => return self.report(version, outcome, second),
            Row(state, text, update_date) => self.meet((second, state, text, update_date)),
            Step::Unstamped(..) => unreachable!("no history has one"),
        }
        true
    }

    fn delete(&mut self, second: i64) -> bool {
        match (self.wanted, self.refused, self.at_partner) {
            (None, None, None) => return false,
            (Some("-"), ..) => return true,
            (None, Some(_), None) => self.refused = None,
            (wanted, ..) => {
                self.at_partner = self.at_partner.or(wanted);
                (self.wanted, self.refused) = (Some("-"), None);
                (self.version, self.was_removal) = (self.version + 1, true);
            }
        }
        self.act(second);
        true
    }

    fn report(&mut self, version: u64, outcome: ReplyOutcome, second: i64) -> bool {
        let is_wrong = outcome == if self.was_removal { Published } else { Removed };
        if version > self.version || (version == self.version && version > 0 && is_wrong) {
            return false;
        }
        let Some(wanted) = self.wanted.filter(|_| version == self.version) else { return true };
        self.act(second);
        self.wanted = None;
        match outcome {
            Published => (self.at_partner, self.is_ours) = (Some(wanted), true),
            Removed => self.at_partner = None,
            Rejected if wanted == "-" => self.is_ours = true,
            Rejected => self.refused = Some(wanted),
        }
        true
    }

    fn meet(&mut self, row: (i64, ReviewState, &'static str, Option<i64>)) {
        // Of two rows without a place, the later arrival wins.
        let is_newest = row.0 >= self.newest_row();
        self.rows.push(row);
        let (second, state, text, update_date) = row;
        if !is_newest || self.acted_at.is_some_and(|acted_at| second <= acted_at) {
            return;
        }
        let acted_at = self.acted_at.unwrap_or(i64::MIN);
        if state == Deleted || self.state() == Deleted || self.acted_at.is_none() || update_date > Some(acted_at) {
            self.state = Some(state);
        }
        match (self.wanted, text) {
            (Some("-"), "-") => (self.wanted, self.at_partner) = (None, None),
            (Some(_), "-") => {}
            (Some(wanted), text) if wanted == text => {
                (self.wanted, self.at_partner, self.is_ours) = (None, Some(text), true);
            }
            (_, text) if self.at_partner == Some(text) => {}
            (None, "-") => self.at_partner = None,
            (_, text) => {
                (self.wanted, self.refused, self.at_partner, self.is_ours) = (None, None, Some(text), false);
            }
        }
    }
}

/// Returns a random step. An outcome is most often one of the present version.
fn random_step(rng: &mut fastrand::Rng, version: u64, second: i64) -> Step {
    match rng.u8(0..9) {
        0 => Set([Treated, NotTreated][rng.usize(0..2)]),
        1 | 2 => Put(TEXTS[rng.usize(0..2)]),
        3 => Delete,
        4 | 5 => Report((version + 1).saturating_sub(rng.u64(0..3)), ReplyOutcome::ALL[rng.usize(0..3)]),
        _ => {
            let update_date = rng.bool().then(|| second - rng.i64(0..30));
            Row(ReviewState::ALL[rng.usize(0..3)], TEXTS[rng.usize(0..4)], update_date)
        }
    }
}

#[test]
fn random_histories_end_as_the_model_says() {
    for seed in 0..HISTORIES {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut review, mut model, mut past) = (stored(), Model::default(), Vec::new());
        for second in (10..).step_by(10).take(rng.usize(1..14)) {
            let next = random_step(&mut rng, model.version, second);
            // A row may come late: it was seen before other things happened.
            let is_row = matches!(next, Row(..));
            let seen = if is_row { second - [0, 0, 0, 15, 35][rng.usize(0..5)] + rng.i64(-3..3) } else { second };
            past.push((seen, next));
            let before = summary(&review);
            let found = step(&review, next, seen);
            assert_eq!(found.is_ok(), model.step(next, seen), "seed {seed}: {past:?} upon {before}");
            review = found.unwrap_or(review);
            assert_eq!(summary(&review), model.summary(), "seed {seed}: {past:?} upon {before}");
            assert!(review.reply.is_none() || review.acted_at.is_some(), "seed {seed}");
        }
    }
}

/// Rows that come again, and rows that are older than both the newest row and the last act, tell nothing: the review is the same as
/// without them. Only rows that come late while they are newer than the last act may differ: another row that hides them was there first.
#[test]
fn rows_that_come_again_or_too_late_change_nothing() {
    for seed in 0..HISTORIES / 4 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut once, mut again, mut rows) = (stored(), stored(), Vec::new());
        for second in (10..).step_by(10).take(rng.usize(1..12)) {
            let version = once.reply.as_ref().map_or(0, |reply| reply.version);
            let next = random_step(&mut rng, version, second);
            if let Row(state, text, update_date) = next {
                rows.push(row(state, text, update_date, Some(second)));
            }
            once = step(&once, next, second).unwrap_or(once);
            again = step(&again, next, second).unwrap_or(again);
            for _ in 0..rng.usize(0..3).min(rows.len()) {
                again = Review::accept(Some(&again), &rows[rng.usize(0..rows.len())]).review;
            }
            assert!(once.content_eq(&again), "seed {seed}: {} and {}", summary(&once), summary(&again));
        }
    }
}

/// Rows that all are older than an act tell the same about everything else in any order, and nothing about state and reply.
#[test]
fn late_rows_in_any_order_leave_what_people_did() {
    for seed in 0..HISTORIES / 4 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let acts: Vec<Step> = (0..rng.usize(1..5)).map(|_| random_step(&mut rng, 1, 100)).collect();
        let acts = acts.into_iter().filter(|act| !matches!(act, Row(..))).zip(100..);
        let acted = acts.fold(stored(), |review, (act, second)| step(&review, act, second).unwrap_or(review));
        let mut late: Vec<Review> = (0..rng.usize(1..6))
            .map(|number| {
                let rating = crate::review::Rating::ALL[rng.usize(0..5)];
                let seen = i64::try_from(number).expect("few") + 50;
                Review { rating, ..row(ReviewState::ALL[rng.usize(0..3)], TEXTS[rng.usize(0..4)], None, Some(seen)) }
            })
            .collect();
        let arrive =
            |rows: &[Review]| rows.iter().fold(acted.clone(), |review, row| Review::accept(Some(&review), row).review);
        let in_order = arrive(&late);
        rng.shuffle(&mut late);
        assert!(arrive(&late).content_eq(&in_order), "seed {seed}");
        if acted.acted_at.is_some() {
            assert_eq!(summary(&in_order), summary(&acted), "seed {seed}");
        }
    }
}
