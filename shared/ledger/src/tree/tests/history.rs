//! Random histories of reviews: steps that write the log of an organisation.

use std::collections::BTreeMap;
use std::ops::Range;

use proptest::prelude::*;

use super::stored_tree::{Model, month_start};
use crate::{LANES, LogChange, LogEntry, LogPosition, Place, Posting, PostingKey, ReviewNumber};
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::ids::BusinessId;
use presence_domain::review::{FACET_KEY_COUNT, FacetKey};

/// Step of a history.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// New reviews behind all others.
    Append { reviews: usize, apart: i64 },
    /// New reviews at random seconds of some months.
    Spread { month: i64, months: i64, reviews: usize },
    /// New reviews of one second.
    Burst { month: i64, reviews: usize },
    /// New version of some reviews, in every n-th place.
    Change { every: usize },
    /// Other dates of some reviews.
    Move { every: usize, month: i64, months: i64 },
    /// Deletion of all but every n-th review of some months.
    Delete { month: i64, months: i64, keep_every: usize },
    /// Deletion of all but every n-th review of some hours of a month.
    DeleteHours { month: i64, hours: Range<i64>, keep_every: usize },
}

/// Returns steps of a few reviews to some thousand.
pub(super) fn steps(max: usize) -> impl Strategy<Value = Vec<Vec<Step>>> {
    let reviews = || prop_oneof![3 => 1_usize..30, 3 => 30_usize..600, 1 => 600_usize..3_000];
    // Most in some years, and some decades or millennia apart.
    let month = || prop_oneof![6 => 0_i64..30, 1 => -1_200_i64..1_200, 1 => Just(12 * 7_979 + 11)];
    let months = || prop::sample::select(vec![1_i64, 1, 2, 3, 12, 24]);
    let every = || prop::sample::select(vec![1_usize, 2, 3, 10, 100]);
    let step = prop_oneof![
        4 => (reviews(), prop::sample::select(vec![0_i64, 1, 600, 90_000])).prop_map(|(reviews, apart)| Step::Append { reviews, apart }),
        3 => (month(), months(), reviews()).prop_map(|(month, months, reviews)| Step::Spread { month, months, reviews }),
        1 => (month(), reviews()).prop_map(|(month, reviews)| Step::Burst { month, reviews }),
        2 => every().prop_map(|every| Step::Change { every }),
        2 => (every(), month(), months()).prop_map(|(every, month, months)| Step::Move { every, month, months }),
        4 => (month(), months(), prop::sample::select(vec![2_usize, 10, 100, 5_000])).prop_map(|(month, months, keep_every)| Step::Delete { month, months, keep_every }),
    ];
    prop::collection::vec(prop::collection::vec(step, 1..3), 1..max)
}

fn posting(id: ReviewNumber, place: &Place, version: u64) -> (PostingKey, Posting) {
    let key = PostingKey { effective_at: place.effective_at, id };
    (key, Posting { key, facet_key: place.facet_key, version })
}

/// Log of an organisation, and its reviews.
#[derive(Clone, Debug)]
pub(super) struct History {
    pub(super) entries: Vec<LogEntry>,
    pub(super) position: LogPosition,
    reviews: BTreeMap<ReviewNumber, (Place, u64)>,
    business_id: BusinessId,
    state: u64,
    newest: i64,
}

impl History {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            entries: Vec::new(),
            position: LogPosition::default(),
            reviews: BTreeMap::new(),
            business_id: BusinessId::parse("000000000000000000000001").expect("a business"),
            state: seed,
            newest: month_start(12),
        }
    }

    /// Returns the postings of the organisation's tree.
    pub(super) fn model(&self) -> Model {
        self.reviews.iter().map(|(id, (place, version))| posting(*id, place, *version)).collect()
    }

    /// Returns the postings of the organisation's tree at a position, found change by change from an empty tree.
    pub(super) fn model_at(&self, position: LogPosition) -> Model {
        let mut model = Model::new();
        for LogEntry { sequence, change } in &self.entries {
            if position.includes(change.id.lane(), *sequence) {
                if let Some(old) = &change.old {
                    model.remove(&PostingKey { effective_at: old.effective_at, id: change.id });
                }
                model.extend(change.new.as_ref().map(|place| posting(change.id, place, change.version)));
            }
        }
        model
    }

    /// Returns a position between another one and the end of the log, at another share of each lane.
    pub(super) fn part_way(&self, from: LogPosition, percent: u64) -> LogPosition {
        let share = |lane: usize| (percent + lane as u64 * 13) % 101;
        LogPosition(std::array::from_fn::<u64, LANES, _>(|lane| {
            from.0[lane] + (self.position.0[lane] - from.0[lane]) * share(lane) / 100
        }))
    }

    /// Forgets the log up to here, as a trim does.
    pub(super) fn forget(&mut self) {
        self.entries.clear();
    }

    pub(super) fn play_all(&mut self, steps: &[Step]) {
        for step in steps {
            self.play(step);
        }
    }

    pub(super) fn play(&mut self, step: &Step) {
        match *step {
            Step::Append { reviews, apart } => {
                for _ in 0..reviews {
                    self.newest += apart;
                    self.add(self.newest);
                }
            }
            Step::Spread { month, months, reviews } => {
                for _ in 0..reviews {
                    let second = self.second_of(month, months);
                    self.add(second);
                }
            }
            Step::Burst { month, reviews } => {
                let second = self.second_of(month, 1);
                (0..reviews).for_each(|_| self.add(second));
            }
            Step::Change { every } => {
                for id in self.some(every, |_| true) {
                    let place = Place { facet_key: self.facet_key(), ..self.reviews[&id].0.clone() };
                    self.write(id, Some(place));
                }
            }
            Step::Move { every, month, months } => {
                for id in self.some(every, |_| true) {
                    let place = Place { effective_at: self.second_of(month, months), ..self.reviews[&id].0.clone() };
                    self.write(id, Some(place));
                }
            }
            Step::Delete { month, months, keep_every } => {
                self.delete(&(month_start(month)..month_start(month + months)), keep_every);
            }
            Step::DeleteHours { month, ref hours, keep_every } => {
                let second = |hour: i64| month_start(month) + hour * 3_600;
                self.delete(&(second(hours.start)..second(hours.end)), keep_every);
            }
        }
    }

    /// Deletes all but every n-th review of some seconds.
    fn delete(&mut self, range: &Range<i64>, keep_every: usize) {
        let kept = self.some(keep_every, |place| range.contains(&place.effective_at));
        for id in self.some(1, |place| range.contains(&place.effective_at)) {
            if kept.binary_search(&id).is_err() {
                self.write(id, None);
            }
        }
    }

    /// Returns every n-th review that matches, from a random one on.
    fn some(&mut self, every: usize, matches: impl Fn(&Place) -> bool) -> Vec<ReviewNumber> {
        let offset = self.random(every);
        let matching = self.reviews.iter().filter(|(_, (place, _))| matches(place)).map(|(id, _)| *id);
        matching.skip(offset).step_by(every).collect()
    }

    /// Adds a review.
    pub(super) fn add(&mut self, effective_at: i64) {
        let id = ReviewNumber::new(self.next_number());
        let place = Place {
            effective_at,
            facet_key: self.facet_key(),
            city_key: "lyon".to_owned(),
            business_id: self.business_id.clone(),
        };
        self.write(id, Some(place));
    }

    fn write(&mut self, id: ReviewNumber, new: Option<Place>) {
        let old = self.reviews.remove(&id);
        let old_version = old.as_ref().map_or(0, |(_, version)| *version);
        let version = old_version + 1;
        if let Some(place) = &new {
            self.reviews.insert(id, (place.clone(), version));
        }
        let change = LogChange { id, version, old_version, old: old.map(|(place, _)| place), new };
        self.position.0[id.lane()] += 1;
        self.entries.push(LogEntry { sequence: self.position.0[id.lane()], change });
    }

    fn second_of(&mut self, month: i64, months: i64) -> i64 {
        let (start, end) = (month_start(month), month_start(month + months).max(month_start(month) + SECONDS_OF_DAY));
        start + i64::try_from(self.random(usize::try_from(end - start).expect("a range"))).expect("small")
    }

    fn facet_key(&mut self) -> FacetKey {
        let number = u8::try_from(self.random(FACET_KEY_COUNT)).expect("small");
        FacetKey::from_number(number).expect("a key")
    }

    /// Returns a number below a bound.
    fn random(&mut self, bound: usize) -> usize {
        let remainder = self.next_number() % bound as u64;
        usize::try_from(remainder).expect("below the bound")
    }

    /// Returns the next number of the generator `splitmix64`.
    fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
