//! Transaction between any two reads of a search: the answer is the one before or the one after it.

mod changes;
mod searches;

use futures::stream::{self, StreamExt as _};
use presence_domain::review::Review;
use presence_local::Options;
use presence_store::{ReviewWrite, Stores};
use presence_tests::ConnectorLayer as _;
use presence_tests::connectors::{Event, InterleavingConnector};
use presence_tests::{Fixtures, TestStack, in_process_client, long_timeouts, rng};

use self::changes::{CHANGES, Change};
use self::searches::{Answer, ReviewsByName, SearchCase, answer, search_cases};
use super::import_env::store_with_long_timeouts;
use super::large_dataset;

/// Number of changes tested with each search. The seed picks them, since all of them would take minutes.
const CHANGES_OF_EACH: usize = 2;

/// Number of searches in parallel, each with its own database.
const PARALLEL_SEARCHES: usize = 4;

/// Stack in which one search is repeated.
struct SearchFixture {
    stack: TestStack,
    fixtures: Fixtures,
    connector: InterleavingConnector,
    store: Stores,
    /// Reviews as they were at first, and as they are.
    original: ReviewsByName,
    reviews: ReviewsByName,
    steps: usize,
    /// Number of searches that read again because of a change.
    read_again: usize,
}

impl SearchFixture {
    async fn new() -> Self {
        let connector = InterleavingConnector::new();
        let http_client = Some(connector.over(in_process_client()));
        let stack = TestStack::with(Options { http_client, ..long_timeouts() }).await;
        let fixtures = large_dataset::create(&stack).await;
        let store = store_with_long_timeouts(&stack, in_process_client());
        let original: ReviewsByName =
            large_dataset::reviews().into_iter().map(|one| (one.partner_id.clone(), one)).collect();
        Self { stack, fixtures, connector, store, reviews: original.clone(), original, steps: 0, read_again: 0 }
    }

    async fn search(&self, search_case: &SearchCase) -> Answer {
        let key = if search_case.of_all { &self.fixtures.provider.key } else { &self.fixtures.manager_1.key };
        answer(&self.stack.get(&format!("/reviews?{}", search_case.path), key).await)
    }

    /// Makes the change in the model. Returns the same change of the store as an event that has not happened yet.
    fn change(&mut self, change: &Change) -> Event {
        self.steps += 1;
        let mut writes = Vec::new();
        for new in change.next(&self.reviews, &self.original, self.steps) {
            let stored = Review { version: new.version + 1, ..new.clone() };
            let old = self.reviews.insert(new.partner_id.clone(), stored);
            writes.push(ReviewWrite { old, new });
        }
        let store = self.store.clone();
        Box::pin(async move { store.reviews.write_reviews(&writes).await.expect("nobody else writes") })
    }

    /// Searches with the change just before the call. Returns true if the search made that call.
    async fn interrupt(&mut self, interruption: &mut Interruption<'_>, call: u64) -> bool {
        let event = self.change(interruption.change);
        let after = interruption.search_case.expected(&self.reviews);
        self.connector.before(call, event).await;
        let seen = self.search(interruption.search_case).await;
        let (calls, pending) = self.connector.end().await;
        let Interruption { search_case, name, before, .. } = interruption;
        let is_expected = seen == *before || seen == after;
        let what = format!("{} (of all: {}): {name} before call {call}", search_case.path, search_case.of_all);
        assert!(is_expected, "{what}:\n{seen:?}\nis neither\n{before:?}\nnor\n{after:?}");
        self.read_again += usize::from(calls > interruption.undisturbed_calls + 1);
        interruption.before = after;
        let happened = pending.is_none();
        if let Some(event) = pending {
            event.await;
        }
        happened
    }
}

/// Search, and the change during it.
struct Interruption<'a> {
    search_case: &'a SearchCase,
    name: &'static str,
    change: &'static Change,
    /// Answer before the change.
    before: Answer,
    /// Number of calls of the search without a change.
    undisturbed_calls: u64,
}

/// Makes each change and its reverse before every call of the search. Returns the number of searches that read again.
async fn run(
    mut fixture: SearchFixture,
    search_case: SearchCase,
    changes: Vec<&'static (&'static str, Change)>,
) -> usize {
    fixture.search(&search_case).await;
    for (name, change) in changes {
        fixture.connector.before(u64::MAX, Box::pin(async {})).await;
        let before = search_case.expected(&fixture.reviews);
        assert_eq!(fixture.search(&search_case).await, before, "{}, undisturbed", search_case.path);
        let (undisturbed_calls, _) = fixture.connector.end().await;
        let mut interruption = Interruption { search_case: &search_case, name, change, before, undisturbed_calls };
        let mut call = 1;
        while fixture.interrupt(&mut interruption, call).await {
            fixture.interrupt(&mut interruption, call).await;
            call += 1;
        }
    }
    fixture.read_again
}

#[tokio::test(flavor = "multi_thread")]
async fn search_with_a_write_between_any_two_reads_answers_as_before_or_after_it() {
    let mut rng = rng("searches with writes in between");
    let mut runs = Vec::new();
    for search_case in search_cases() {
        let changes = rng.choose_multiple(CHANGES.iter(), CHANGES_OF_EACH);
        runs.push(run(SearchFixture::new().await, search_case, changes));
    }
    let read_again: Vec<usize> = stream::iter(runs).buffer_unordered(PARALLEL_SEARCHES).collect().await;
    assert!(read_again.iter().sum::<usize>() > 0, "inconsistent reads are repeated");
}
