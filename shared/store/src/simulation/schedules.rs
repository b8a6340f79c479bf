//! Schedules that random runs seldom meet. One process goes on at a time, up to a call that its schedule names.

use std::future::Future;
use std::sync::MutexGuard;

use fastrand::Rng;

use super::names::{self, CITIES, FIRST_SECOND, Question, business, org};
use super::people::Intent;
use super::run::{Outcome, Run, ask, audit, finish_moves, fold, folded, import, new_store, put_business, rebuild};
use super::world::World;
use crate::keys::{LogItemKey, NODE_SK_PREFIX, ORGS_WITH_REVIEWS_PK, ROOT_SK, business_pk, log_pk, tree_pk};
use crate::{Business, ReviewFilter, ReviewStore};
use presence_domain::review::{Rating, Review, ReviewState};
use presence_domain::review_stats::GroupBy;
use presence_ledger::{ReviewNumber, ReviewSet};

/// Maximum number of calls of a process, far above what it makes.
const MAX_CALLS: usize = 10_000;
/// Seeds of runs without facet trees, and with them.
const PLAIN: &[u64] = &[1, 2, 5, 7];
const WITH_FACETS: &[u64] = &[4, 8];

/// Run without failures and without chance: a schedule chooses who goes on.
struct Scenario(Run);

/// End of a part of a schedule, or what went wrong.
type StepResult = Result<(), String>;

/// Name of a schedule, the seeds of its runs, and its steps.
type Schedule = (&'static str, &'static [u64], fn(&mut Scenario) -> StepResult);

const SCHEDULES: [Schedule; 14] = [
    ("a rebuild reads the log, and a change appears before its review", PLAIN, |scenario| {
        scenario.write_beside_a_rebuild(3, "LOG#")
    }),
    ("a rebuild reads the reviews, and a review appears before its change", PLAIN, |scenario| {
        scenario.write_beside_a_rebuild(4, "R#")
    }),
    ("a fold puts a root that a rebuild has read", PLAIN, Scenario::fold_beside_a_rebuild),
    ("a facet tree is folded between two searches of it", WITH_FACETS, Scenario::fold_between_searches),
    ("two folds replace the leaves of a search", PLAIN, Scenario::fold_beside_a_search),
    ("a fold reads the lanes of a log one by one, beside another fold", PLAIN, Scenario::fold_beside_a_fold_of_lanes),
    ("a search reads a log in which a chunk has not appeared", PLAIN, Scenario::seal_beside_a_search),
    ("a fold trims logs that are read at one instant", PLAIN, Scenario::fold_beside_a_joint_read),
    ("an organisation gets its first review while it is audited", PLAIN, Scenario::first_review_beside_an_audit),
    ("a business gets another name while its move ends", PLAIN, Scenario::name_beside_the_end_of_a_move),
    ("a tree is damaged that a business has left", PLAIN, Scenario::damage_behind_a_move),
    ("two businesses exchange their cities, and the list of businesses is late", PLAIN, |scenario| {
        scenario.exchange_of_cities(false)
    }),
    ("two businesses have exchanged their cities, and the list of businesses is late", PLAIN, |scenario| {
        scenario.exchange_of_cities(true)
    }),
    ("two businesses exchange their cities, and the list shows where they go", PLAIN, Scenario::exchange_under_way),
];

#[test]
fn answers_are_right_in_schedules_that_random_runs_seldom_meet() {
    for (name, seeds, run) in SCHEDULES {
        for seed in seeds {
            run(&mut Scenario::new(*seed)).unwrap_or_else(|what| panic!("{name}, seed {seed}: {what}"));
        }
    }
}

/// Steps of schedules.
impl Scenario {
    fn new(seed: u64) -> Self {
        let run = Run::new(seed);
        let mut world = run.world.get();
        world.is_calm = true;
        world.calls.begin_names();
        drop(world);
        Self(run)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.world.get()
    }

    /// Returns a store that knows nothing.
    fn store(&self) -> ReviewStore {
        new_store(&self.0.world, self.0.seed).with_facets_preferred(true)
    }

    fn begin(&mut self, process: impl Future<Output = Outcome> + 'static) -> u64 {
        self.0.start(Box::pin(process));
        self.0.started
    }

    /// Begins to import a row about a review, on some day. All rows have the same facets.
    fn begin_import(&mut self, number: u64, day: i64) -> u64 {
        let row = names::random_row(number, &mut Rng::with_seed(number));
        let date = FIRST_SECOND + day * 86_400;
        let (rating, state) = (Rating::ALL[0], ReviewState::ALL[0]);
        let row = Review { date, update_date: None, rating, state, reply_comment: None, seen_at: None, ..row };
        let intent = Intent::Rows(vec![row.clone()]);
        self.world().oracle.histories.expect(self.0.started + 1, intent);
        self.begin(import(self.store(), vec![row]))
    }

    /// Lets a process go on until it waits for calls of which this is true, or ends. False if it ended. It waits for none while its
    /// transaction appears. Those of others appear while it sleeps.
    fn goes_on(&mut self, process: u64, is_there: impl Fn(&[(u64, String)]) -> bool) -> Result<bool, String> {
        for _ in 0..MAX_CALLS {
            self.0.run_to_rest()?;
            if self.0.processes.iter().all(|other| other.number != process) {
                return Ok(false);
            }
            let mut world = self.world();
            let calls = world.calls.ready_of(process);
            if is_there(&calls) {
                return Ok(true);
            }
            if calls.first().is_none_or(|(_, name)| name == "sleep") {
                world.show_items("");
            }
            if let Some((ticket, _)) = calls.first() {
                world.calls.release(*ticket);
            }
        }
        Err("a process does not come to its end".to_owned())
    }

    /// Lets a process go on until a call waits whose name begins like this. Returns its ticket.
    fn until(&mut self, process: u64, call: &str) -> Result<u64, String> {
        self.goes_on(process, |calls| calls.iter().any(|(_, name)| name.starts_with(call)))?;
        let found = self.world().calls.ready_of(process).into_iter().find(|(_, name)| name.starts_with(call));
        found
            .map(|(ticket, _)| ticket)
            .ok_or_else(|| format!("a process makes no call {call}: {}", self.0.last_failure))
    }

    /// Lets a process go on until it has made a call.
    fn after(&mut self, process: u64, call: &str) -> StepResult {
        let ticket = self.until(process, call)?;
        self.world().calls.release(ticket);
        self.0.run_to_rest()
    }

    /// Lets a process go on until its transaction is decided, and nothing of it is there.
    fn until_decided(&mut self, process: u64) -> StepResult {
        let is_decided = self.goes_on(process, <[_]>::is_empty)?;
        if is_decided { Ok(()) } else { Err("a process decides no transaction".to_owned()) }
    }

    /// Lets a process go on to its end. It must succeed.
    fn end(&mut self, process: u64) -> StepResult {
        let before = self.0.counts.given_up + self.0.counts.lost_folds;
        self.goes_on(process, |_| false)?;
        let has_failed = self.0.counts.given_up + self.0.counts.lost_folds > before;
        if has_failed { Err(format!("a process fails: {}", self.0.last_failure)) } else { Ok(()) }
    }

    fn kill(&mut self, process: u64) {
        self.0.processes.retain(|other| other.number != process);
    }

    fn alone(&mut self, process: impl Future<Output = Outcome> + 'static) -> StepResult {
        let process = self.begin(process);
        self.end(process)
    }

    /// Imports reviews: number and day of each.
    fn import(&mut self, reviews: &[(u64, i64)]) -> StepResult {
        reviews.iter().try_for_each(|(number, day)| {
            let process = self.begin_import(*number, *day);
            self.end(process)
        })
    }

    /// Folds the log of the first organisation.
    fn fold(&mut self) -> StepResult {
        self.alone(fold(self.store(), org(0)))
    }

    fn ask(&mut self, question: Question) -> StepResult {
        self.alone(ask(self.store(), question))
    }

    fn put(&mut self, business: Business) -> StepResult {
        self.alone(put_business(self.store(), business))
    }

    /// Puts a business, but dies when its reviews are moved, and its move is not ended.
    fn put_and_die(&mut self, business: Business) -> StepResult {
        let moving = self.begin(put_business(self.store(), business));
        // To begin the move, and to end it.
        self.after(moving, "get MOVES")?;
        self.until(moving, "get MOVES")?;
        self.kill(moving);
        Ok(())
    }

    /// Puts two businesses of the first organisation, folds their reviews of two years, and lets the indexes catch up.
    fn set_up(&mut self) -> StepResult {
        self.put(shop(0, 0, 0))?;
        self.put(shop(1, 0, 1))?;
        self.import(&[(0, 0), (3, 40), (1, 400), (4, 440), (6, 480), (9, 520)])?;
        self.fold()?;
        self.world().show_in_indexes(100);
        Ok(())
    }

    /// Damages the first item of the trees of a set whose sort key begins like this.
    fn damage(&mut self, set: &ReviewSet, sort_key: &str) -> StepResult {
        let mut world = self.world();
        let found = world.keys_from(&tree_pk(set)).into_iter().find(|(_, _, sk)| sk.starts_with(sort_key));
        world.damage(found.ok_or("a tree has no such item")?);
        Ok(())
    }
}

/// Schedules.
impl Scenario {
    /// After some pauses of a rebuild, a part of a transaction appears. The rest appears when the rebuild pauses again. It pauses three times
    /// before it reads the log, and once more before it reads the reviews.
    fn write_beside_a_rebuild(&mut self, pauses: usize, appears_first: &str) -> StepResult {
        self.set_up()?;
        let whole = ReviewSet::Org(org(0));
        self.damage(&whole, ROOT_SK)?;
        let rebuild = self.begin(rebuild(self.store(), org(0)));
        (0..pauses).try_for_each(|_| self.after(rebuild, "sleep"))?;
        let writer = self.begin_import(12, 60);
        self.until_decided(writer)?;
        self.world().show_items(appears_first);
        self.world().show_in_indexes(100);
        self.after(rebuild, &format!("write {} {ROOT_SK}", tree_pk(&whole)))?;
        self.end(writer)?;
        self.world().forget_damage();
        self.ask(Question::of_stats(ReviewFilter::ALL, None))
    }

    fn fold_beside_a_rebuild(&mut self) -> StepResult {
        self.set_up()?;
        let whole = ReviewSet::Org(org(0));
        self.damage(&whole, NODE_SK_PREFIX)?;
        let rebuild = self.begin(rebuild(self.store(), org(0)));
        self.until(rebuild, &format!("write {}", tree_pk(&whole)))?;
        self.import(&[(12, 560)])?;
        self.fold()?;
        self.after(rebuild, &format!("write {} {ROOT_SK}", tree_pk(&whole)))?;
        self.world().forget_damage();
        // The counts are in the root, whatever leaf is damaged.
        self.ask(Question::of_stats(ReviewFilter::ALL, None))
    }

    fn fold_between_searches(&mut self) -> StepResult {
        self.set_up()?;
        let (store, question) = (self.store(), Question::of_sets(vec![ReviewSet::Org(org(0))]));
        self.alone(ask(store.clone(), question.clone()))?;
        self.import(&[(12, 560)])?;
        self.fold()?;
        self.alone(ask(store, question))
    }

    fn fold_beside_a_search(&mut self) -> StepResult {
        self.set_up()?;
        let city = ReviewSet::City(org(0), CITIES[0].to_owned());
        let search = self.begin(ask(self.store(), Question::of_sets(vec![city.clone()])));
        self.until(search, &format!("get {} {NODE_SK_PREFIX}", tree_pk(&city)))?;
        for review in [(12, 10), (15, 20)] {
            self.import(&[review])?;
            self.fold()?;
        }
        self.world().forget_damage();
        self.end(search)
    }

    /// Of two changes, a fold has only the one in an early lane, and the other fold only the one in a late lane.
    fn fold_beside_a_fold_of_lanes(&mut self) -> StepResult {
        self.set_up()?;
        let early = 12;
        let late = (15..).step_by(3).find(|number| lane_of(*number) > lane_of(early)).ok_or("no lane is late")?;
        let store = self.store();
        let of_lanes = self.begin(async move { folded(store.fold_long_log(org(0), 100).await) });
        (0..=lane_of(early)).try_for_each(|_| self.after(of_lanes, "query LOG#"))?;
        self.import(&[(early, 60)])?;
        let whole = self.begin(fold(self.store(), org(0)));
        self.until(whole, "write LOG#")?;
        self.kill(whole);
        self.import(&[(late, 80)])?;
        self.end(of_lanes)?;
        self.ask(Question::of_stats(ReviewFilter::ALL, None))
    }

    /// The lane of a change appears. The rest appears when a search reads the log again.
    fn seal_beside_a_search(&mut self) -> StepResult {
        self.set_up()?;
        for day in 0..5 {
            let writer = self.begin_import(0, 100 + day);
            self.until_decided(writer)?;
            self.world().show_items(&format!("{} {} ", log_pk(org(0)), LogItemKey::Lane(lane_of(0)).sort_key()));
            let search = self.begin(ask(self.store(), Question::of_sets(vec![ReviewSet::Org(org(0))])));
            self.after(search, "query LOG#")?;
            self.until(search, "query LOG#")?;
            self.world().show_items("");
            self.end(search)?;
            self.end(writer)?;
        }
        Ok(())
    }

    /// A business moves, so a search of both organisations reads their logs at one instant, and then the chunks.
    fn fold_beside_a_joint_read(&mut self) -> StepResult {
        self.set_up()?;
        let moving = self.begin(put_business(self.store(), shop(1, 1, 1)));
        self.until(moving, "write R#")?;
        self.kill(moving);
        self.import(&[(0, 100), (0, 101), (0, 102), (0, 103), (0, 104)])?;
        let both = Question::of_sets(vec![ReviewSet::Org(org(0)), ReviewSet::Org(org(1))]);
        self.ask(both.clone())?;
        let search = self.begin(ask(self.store(), both));
        self.after(search, "get LOG#")?;
        self.fold()?;
        self.end(search)
    }

    fn first_review_beside_an_audit(&mut self) -> StepResult {
        self.put(shop(0, 0, 0))?;
        let audit = self.begin(audit(self.store(), org(0)));
        self.after(audit, &format!("query {ORGS_WITH_REVIEWS_PK}"))?;
        self.import(&[(0, 0)])?;
        self.world().show_in_indexes(100);
        self.end(audit)
    }

    fn name_beside_the_end_of_a_move(&mut self) -> StepResult {
        let place = business_pk(&business(0));
        self.put(shop(0, 0, 0))?;
        self.put_and_die(shop(0, 1, 0))?;
        let renamed = Business { name: "Store".to_owned(), ..shop(0, 1, 0) };
        let renaming = self.begin(put_business(self.store(), renamed));
        self.until(renaming, &format!("write {place}"))?;
        self.alone(finish_moves(self.store()))?;
        self.after(renaming, &format!("write {place}"))?;
        self.until(renaming, &format!("get {place}"))?;
        self.kill(renaming);
        self.alone(finish_moves(self.store()))
    }

    fn damage_behind_a_move(&mut self) -> StepResult {
        self.put(shop(0, 0, 0))?;
        self.import(&[(0, 0)])?;
        self.put_and_die(shop(0, 1, 0))?;
        self.fold()?;
        self.world().show_in_indexes(100);
        self.damage(&ReviewSet::Business(org(0), business(0)), ROOT_SK)?;
        self.alone(rebuild(self.store(), org(0)))?;
        self.world().forget_damage();
        self.alone(finish_moves(self.store()))
    }

    /// Each of two businesses has one review. The list shows both where they were, so that the groups add up by chance.
    fn exchange_of_cities(&mut self, is_finished: bool) -> StepResult {
        self.put(shop(0, 0, 0))?;
        self.put(shop(1, 0, 1))?;
        self.import(&[(0, 0), (1, 40)])?;
        self.world().show_in_indexes(100);
        self.put(shop(0, 0, 1))?;
        self.put_and_die(shop(1, 0, 0))?;
        if is_finished {
            self.alone(finish_moves(self.store()))?;
        }
        let stats = self.begin_groups_of_city()?;
        self.world().show_in_indexes(100);
        self.end(stats)
    }

    /// Each of two businesses has one review, which is not moved yet. The groups of a city add up by chance.
    fn exchange_under_way(&mut self) -> StepResult {
        self.put(shop(0, 0, 0))?;
        self.put(shop(1, 0, 1))?;
        self.import(&[(0, 0), (1, 40)])?;
        for shop in [shop(0, 0, 1), shop(1, 0, 0)] {
            let moving = self.begin(put_business(self.store(), shop));
            self.until(moving, "write R#")?;
            self.kill(moving);
        }
        self.world().show_in_indexes(100);
        let stats = self.begin_groups_of_city()?;
        self.kill(stats);
        Ok(())
    }

    /// Begins to count the reviews of a city by business, until the answer waits for the directory of businesses.
    fn begin_groups_of_city(&mut self) -> Result<u64, String> {
        self.fold()?;
        let filter = ReviewFilter { city_key: Some(CITIES[0].to_owned()), ..ReviewFilter::ALL };
        let stats = self.begin(ask(self.store(), Question::of_stats(filter, Some(GroupBy::Business))));
        self.goes_on(stats, |calls| calls.iter().any(|(_, name)| name.starts_with("scan")))?;
        Ok(stats)
    }
}

/// Returns the lane of the changes of a review.
fn lane_of(number: u64) -> usize {
    ReviewNumber::of(&names::random_row(number, &mut Rng::with_seed(number)).id).lane()
}

/// Returns a business in a city of an organisation.
fn shop(number: u64, org_number: u64, city: usize) -> Business {
    Business { id: business(number), org_id: org(org_number), name: "Shop".to_owned(), city: CITIES[city].to_owned() }
}
