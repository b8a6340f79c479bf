//! A transaction comes between any two reads of a search: the answer is that of before or of after it.

mod changes;
mod questions;

use aws_sdk_dynamodb::config::SharedHttpClient;
use futures::stream::{self, StreamExt as _};
use presence::domain::review::Review;
use presence::store::{Posting, Store};
use presence_local::Options;
use presence_tests::interlude::{Event, Interlude};
use presence_tests::{Cast, World, dice, patient, plain_http};

use self::changes::{CHANGES, Change};
use self::questions::{Answer, Question, Shelf, answer, questions};
use super::crowd;
use super::dock::patient_store;

/// Changes that come into each search, drawn anew with every seed: all of them would take minutes.
const CHANGES_OF_EACH: usize = 2;

/// Searches side by side, each with a database of its own.
const SIDE_BY_SIDE: usize = 4;

/// Where one search is made over and over.
struct Stage {
    world: World,
    cast: Cast,
    interlude: Interlude,
    store: Store,
    /// The reviews as they were first, and as they are.
    home: Shelf,
    shelf: Shelf,
    steps: usize,
    /// Searches that read again because of what came in between.
    read_again: usize,
}

impl Stage {
    async fn new() -> Self {
        let interlude = Interlude::over(plain_http());
        let http_client = Some(SharedHttpClient::new(interlude.clone()));
        let world = World::with(Options { http_client, ..patient() }).await;
        let cast = crowd::enter(&world).await;
        let store = patient_store(&world, plain_http());
        let home: Shelf = crowd::reviews().into_iter().map(|one| (one.partner_id.clone(), one)).collect();
        Self { world, cast, interlude, store, shelf: home.clone(), home, steps: 0, read_again: 0 }
    }

    async fn ask(&self, question: &Question) -> Answer {
        let key = if question.of_all { &self.cast.provider.key } else { &self.cast.manager_1.key };
        answer(&self.world.get(&format!("/reviews?{}", question.path), key).await)
    }

    /// Makes the change in the model. The same in the store, still to happen.
    fn change(&mut self, change: &Change) -> Event {
        self.steps += 1;
        let mut postings = Vec::new();
        for new in change.next(&self.shelf, &self.home, self.steps) {
            let stored = Review { version: new.version + 1, ..new.clone() };
            let old = self.shelf.insert(new.partner_id.clone(), stored);
            postings.push(Posting { old, new });
        }
        let store = self.store.clone();
        Box::pin(async move { store.post_reviews(&postings).await.expect("nobody else writes") })
    }

    /// Makes the search with the change just before the call. Whether the search made that call.
    async fn interrupt(&mut self, scene: &mut Scene<'_>, call: u64) -> bool {
        let event = self.change(scene.change);
        let after = scene.question.expected(&self.shelf);
        self.interlude.before(call, event).await;
        let seen = self.ask(scene.question).await;
        let (calls, pending) = self.interlude.end().await;
        let Scene { question, name, before, .. } = scene;
        let right = seen == *before || seen == after;
        let asked = format!("{} (of all: {}): {name} before call {call}", question.path, question.of_all);
        assert!(right, "{asked}:\n{seen:?}\nis neither\n{before:?}\nnor\n{after:?}");
        self.read_again += usize::from(calls > scene.calm_calls + 1);
        scene.before = after;
        let happened = pending.is_none();
        if let Some(event) = pending {
            event.await;
        }
        happened
    }
}

/// A search, and what comes in between.
struct Scene<'a> {
    question: &'a Question,
    name: &'static str,
    change: &'static Change,
    /// What the search answers before it.
    before: Answer,
    /// Calls that the search makes when nothing comes in between.
    calm_calls: u64,
}

/// Some of the changes before every call of the search, there and back. How many searches read again.
async fn play(mut stage: Stage, question: Question, changes: Vec<&'static (&'static str, Change)>) -> usize {
    stage.ask(&question).await;
    for (name, change) in changes {
        stage.interlude.before(u64::MAX, Box::pin(async {})).await;
        let before = question.expected(&stage.shelf);
        assert_eq!(stage.ask(&question).await, before, "{}, undisturbed", question.path);
        let (calm_calls, _) = stage.interlude.end().await;
        let mut scene = Scene { question: &question, name, change, before, calm_calls };
        let mut call = 1;
        while stage.interrupt(&mut scene, call).await {
            stage.interrupt(&mut scene, call).await;
            call += 1;
        }
    }
    stage.read_again
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_a_write_comes_into_answers_as_before_or_after_it_wherever_it_comes() {
    let mut dice = dice("searches with writes in between");
    let mut runs = Vec::new();
    for question in questions() {
        let changes = dice.choose_multiple(CHANGES.iter(), CHANGES_OF_EACH);
        runs.push(play(Stage::new().await, question, changes));
    }
    let read_again: Vec<usize> = stream::iter(runs).buffer_unordered(SIDE_BY_SIDE).collect().await;
    assert!(read_again.iter().sum::<usize>() > 0, "what does not add up is read again");
}
