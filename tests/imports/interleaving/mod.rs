//! A transaction comes between any two reads of a search: the answer is that of before or of after it.

mod changes;
mod searches;

use futures::stream::{self, StreamExt as _};
use presence_domain::review::Review;
use presence_local::Options;
use presence_store::{ReviewWrite, Stores};
use presence_tests::ConnectorLayer as _;
use presence_tests::connectors::{Event, InterleavingConnector};
use presence_tests::{Fixtures, TestStack, long_timeouts, plain_http, rng};

use self::changes::{CHANGES, Change};
use self::searches::{Answer, Question, ReviewsByName, answer, questions};
use super::import_env::store_with_long_timeouts;
use super::large_dataset;

/// Changes that come into each search, drawn anew with every seed: all of them would take minutes.
const CHANGES_OF_EACH: usize = 2;

/// Searches side by side, each with a database of its own.
const SIDE_BY_SIDE: usize = 4;

/// Where one search is made over and over.
struct SearchFixture {
    stack: TestStack,
    fixtures: Fixtures,
    connector: InterleavingConnector,
    store: Stores,
    /// The reviews as they were first, and as they are.
    home: ReviewsByName,
    reviews: ReviewsByName,
    steps: usize,
    /// Searches that read again because of what came in between.
    read_again: usize,
}

impl SearchFixture {
    async fn new() -> Self {
        let connector = InterleavingConnector::new();
        let http_client = Some(connector.over(plain_http()));
        let stack = TestStack::with(Options { http_client, ..long_timeouts() }).await;
        let fixtures = large_dataset::create(&stack).await;
        let store = store_with_long_timeouts(&stack, plain_http());
        let home: ReviewsByName =
            large_dataset::reviews().into_iter().map(|one| (one.partner_id.clone(), one)).collect();
        Self { stack, fixtures, connector, store, reviews: home.clone(), home, steps: 0, read_again: 0 }
    }

    async fn ask(&self, question: &Question) -> Answer {
        let key = if question.of_all { &self.fixtures.provider.key } else { &self.fixtures.manager_1.key };
        answer(&self.stack.get(&format!("/reviews?{}", question.path), key).await)
    }

    /// Makes the change in the model. The same in the store, still to happen.
    fn change(&mut self, change: &Change) -> Event {
        self.steps += 1;
        let mut writes = Vec::new();
        for new in change.next(&self.reviews, &self.home, self.steps) {
            let stored = Review { version: new.version + 1, ..new.clone() };
            let old = self.reviews.insert(new.partner_id.clone(), stored);
            writes.push(ReviewWrite { old, new });
        }
        let store = self.store.clone();
        Box::pin(async move { store.reviews.write_reviews(&writes).await.expect("nobody else writes") })
    }

    /// Makes the search with the change just before the call. Whether the search made that call.
    async fn interrupt(&mut self, interruption: &mut Interruption<'_>, call: u64) -> bool {
        let event = self.change(interruption.change);
        let after = interruption.question.expected(&self.reviews);
        self.connector.before(call, event).await;
        let seen = self.ask(interruption.question).await;
        let (calls, pending) = self.connector.end().await;
        let Interruption { question, name, before, .. } = interruption;
        let right = seen == *before || seen == after;
        let asked = format!("{} (of all: {}): {name} before call {call}", question.path, question.of_all);
        assert!(right, "{asked}:\n{seen:?}\nis neither\n{before:?}\nnor\n{after:?}");
        self.read_again += usize::from(calls > interruption.calm_calls + 1);
        interruption.before = after;
        let happened = pending.is_none();
        if let Some(event) = pending {
            event.await;
        }
        happened
    }
}

/// A search, and what comes in between.
struct Interruption<'a> {
    question: &'a Question,
    name: &'static str,
    change: &'static Change,
    /// What the search answers before it.
    before: Answer,
    /// Calls that the search makes when nothing comes in between.
    calm_calls: u64,
}

/// Some of the changes before every call of the search, there and back. How many searches read again.
async fn run(mut fixture: SearchFixture, question: Question, changes: Vec<&'static (&'static str, Change)>) -> usize {
    fixture.ask(&question).await;
    for (name, change) in changes {
        fixture.connector.before(u64::MAX, Box::pin(async {})).await;
        let before = question.expected(&fixture.reviews);
        assert_eq!(fixture.ask(&question).await, before, "{}, undisturbed", question.path);
        let (calm_calls, _) = fixture.connector.end().await;
        let mut interruption = Interruption { question: &question, name, change, before, calm_calls };
        let mut call = 1;
        while fixture.interrupt(&mut interruption, call).await {
            fixture.interrupt(&mut interruption, call).await;
            call += 1;
        }
    }
    fixture.read_again
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_a_write_comes_into_answers_as_before_or_after_it_wherever_it_comes() {
    let mut rng = rng("searches with writes in between");
    let mut runs = Vec::new();
    for question in questions() {
        let changes = rng.choose_multiple(CHANGES.iter(), CHANGES_OF_EACH);
        runs.push(run(SearchFixture::new().await, question, changes));
    }
    let read_again: Vec<usize> = stream::iter(runs).buffer_unordered(SIDE_BY_SIDE).collect().await;
    assert!(read_again.iter().sum::<usize>() > 0, "what does not add up is read again");
}
