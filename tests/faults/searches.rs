//! Searches of reviews and of categories with every call to `DynamoDB` broken in every way: the answer is right, to the
//! byte, or it is 503.

use std::time::Duration;

use aws_smithy_types::timeout::TimeoutConfig;
use futures::stream::{self, StreamExt as _};
use presence_domain::ids::OrgId;
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    FaultConnector, FaultKind, Fixtures, Plan, Reply, TestStack, plain_http, short_retries, short_timeouts,
};
use serde_json::json;

use super::run::Masking;
use crate::api::categories::{DIRECTORY, load, numbered, parse};
use crate::imports::large_dataset;

/// Searches side by side: they mostly wait for retries and for time to pass, but each has a database of its own.
const SIDE_BY_SIDE: usize = 6;

/// A request that reads, and what comes before it each time.
#[derive(Clone, Copy)]
struct Search {
    path: &'static str,
    by: fn(&Fixtures) -> &str,
    before: Before,
}

/// What comes before a request; its answer stays the same.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    /// One more organisation is listed among those with reviews: what a function has in memory is outdated.
    NewBook,
    /// Categories that the search does not find are imported: so is its directory.
    NewDirectory,
}

fn searches() -> Vec<Search> {
    use Before::{NewBook, NewDirectory, Nothing};
    let search = |path, by, before| Search { path, by, before };
    vec![
        search("/reviews?per_page=10&page=2", manager, Nothing),
        search("/reviews?per_page=10&business_city=lyon&order_by=update_date", manager, Nothing),
        search("/reviews?per_page=10&business__in=m1,m2&update_date__gte=2025-08-01", manager, Nothing),
        search(
            "/reviews?per_page=10&update_date__gte=2025-06-10T12:00:00&update_date__lte=2025-08-10T12:00:00",
            manager,
            Nothing,
        ),
        search("/reviews?per_page=10&rating__in=1,3&state=not_treated", provider, Nothing),
        search("/reviews?per_page=10&business_city=lyon", provider, NewBook),
        search("/category/search?lang=FR&name=banque", manager, Nothing),
        search("/category/search?lang=FR&name=banque", manager, NewDirectory),
        search("/category/c-bank?lang=FR", provider, Nothing),
        search("/category/c-bank?lang=FR", provider, NewDirectory),
    ]
}

fn manager(fixtures: &Fixtures) -> &str {
    &fixtures.manager_1.key
}

fn provider(fixtures: &Fixtures) -> &str {
    &fixtures.provider.key
}

/// A stack of the search's own, with a function whose calls can be broken.
struct Fixture {
    stack: TestStack,
    fixtures: Fixtures,
    faults: FaultConnector,
    search: Search,
    /// Requests made so far.
    asked: u64,
}

impl Fixture {
    async fn new(search: Search, options: Options) -> Self {
        let faults = FaultConnector::new();
        let http_client = Some(faults.over(plain_http()));
        let stack = TestStack::with(Options { http_client, ..options }).await;
        let fixtures = large_dataset::create(&stack).await;
        load(stack.stores(), parse(DIRECTORY)).await;
        Self { stack, fixtures, faults, search, asked: 0 }
    }

    async fn ask(&mut self, plan: Plan) -> Reply {
        self.asked += 1;
        match self.search.before {
            Before::Nothing => {}
            Before::NewBook => {
                let org = OrgId::new(self.asked + 10).expect("an id");
                self.stack.stores().reviews.register_org_with_reviews(org).await.expect("the store answers");
            }
            Before::NewDirectory => load(self.stack.stores(), numbered(1, &format!("Word {}", self.asked))).await,
        }
        self.faults.restart(plan);
        self.stack.get(self.search.path, (self.search.by)(&self.fixtures)).await
    }

    /// What the search answers, and how many calls that takes when nothing breaks: the use of the key is noted before, and
    /// what a function keeps is in memory. Anew where a busy machine makes a hurried function give up.
    async fn unbroken(&mut self) -> (String, u64) {
        let mut answered = 0;
        loop {
            let reply = self.ask(Plan::None).await;
            answered += u32::from(reply.status == 200);
            if answered == 2 {
                return (reply.text, self.faults.attempts());
            }
        }
    }
}

/// Breaks every call of a search in each of these ways, once and for good.
async fn break_search(mut fixture: Fixture, kinds: &[(FaultKind, Masking)]) {
    let search = fixture.search;
    let (right, calls) = fixture.unbroken().await;
    // Single faults first: the SDK gives up on retries for a while after many faults for good.
    for times in [1, u64::MAX] {
        for (kind, masking) in kinds {
            for call in 1..=calls {
                let reply = fixture.ask(Plan::At { call, kind: *kind, times }).await;
                let what = format!("{}: call {call} of {calls}, {kind:?}, {times} times", search.path);
                if reply.status == 503 && !(*masking == Masking::IfOnce && times == 1) {
                    assert_eq!(reply.header("retry-after"), "1", "{what}");
                    assert_eq!(
                        reply.json(),
                        json!({"errors": {"json": "temporarily unavailable: try again"}}),
                        "{what}"
                    );
                } else {
                    assert_eq!((reply.status, &reply.text), (200, &right), "{what}");
                }
            }
        }
    }
}

async fn break_all(options: fn() -> Options, kinds: &[(FaultKind, Masking)]) {
    let mut runs = Vec::new();
    for search in searches() {
        runs.push(break_search(Fixture::new(search, options()).await, kinds));
    }
    stream::iter(runs).buffer_unordered(SIDE_BY_SIDE).collect::<()>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_with_a_broken_call_answers_right_or_503() {
    use FaultKind::{CutBody, LoseReply, RefuseConnection, ServerError, Throttle, TransactionConflict};
    let masked = [Throttle, ServerError, RefuseConnection, TransactionConflict, LoseReply];
    let mut kinds = masked.map(|kind| (kind, Masking::IfOnce)).to_vec();
    kinds.push((CutBody, Masking::Never));
    break_all(short_retries, &kinds).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_with_a_call_that_hangs_or_is_late_answers_right_or_503() {
    let late = FaultKind::Delay(Duration::from_millis(350));
    break_all(hurried, &[(FaultKind::Hang, Masking::Never), (late, Masking::Never)]).await;
}

/// Gives up sooner than the delay above. A busy machine may make that a 503 more, which is allowed here.
fn hurried() -> Options {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_millis(200))
        .operation_timeout(Duration::from_millis(450))
        .build();
    Options { timeouts: Some(timeouts), ..short_timeouts() }
}
