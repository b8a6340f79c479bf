//! Searches of reviews and categories with each kind of fault at each call to `DynamoDB`: the answer is the same bytes, or 503.

use std::time::Duration;

use aws_smithy_types::timeout::TimeoutConfig;
use futures::stream::{self, StreamExt as _};
use presence_domain::ids::OrgId;
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    FaultConnector, FaultKind, Fixtures, Plan, Reply, TestStack, in_process_client, short_retries, short_timeouts,
};
use serde_json::json;

use super::run::{Masking, is_in_sample};
use crate::api::categories::{DIRECTORY, load, numbered, parse};
use crate::imports::large_dataset;

/// Number of searches in parallel, each with its own database. They mostly wait.
const PARALLEL_SEARCHES: usize = 6;

/// Search, and the preparation before each request.
#[derive(Clone, Copy)]
struct Search {
    path: &'static str,
    by: fn(&Fixtures) -> &str,
    before: Preparation,
}

/// Preparation before a request. It does not change the answer.
#[derive(Clone, Copy)]
enum Preparation {
    Nothing,
    /// Registration of another organisation with reviews, which outdates the list in memory.
    NewOrg,
    /// Import of categories that the search does not find, which outdates the directory in memory.
    NewDirectory,
}

fn searches() -> Vec<Search> {
    use Preparation::{NewDirectory, NewOrg, Nothing};
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
        search("/reviews?per_page=10&business_city=lyon", provider, NewOrg),
        search("/reviews/stats?group_by=day&business__in=m1,m2&update_date__gte=2025-06-10T12:00:00", manager, Nothing),
        search("/reviews/stats?group_by=business&rating__in=1,3", provider, Nothing),
        search("/reviews/stats?group_by=city&update_date__lte=2025-07-20T12:00:00", provider, NewOrg),
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

/// Stack of one search, with a function whose calls can have faults.
struct Fixture {
    stack: TestStack,
    fixtures: Fixtures,
    faults: FaultConnector,
    search: Search,
    /// Number of requests so far.
    asked: u64,
}

impl Fixture {
    async fn new(search: Search, options: Options) -> Self {
        let faults = FaultConnector::new();
        let http_client = Some(faults.over(in_process_client()));
        let stack = TestStack::with(Options { http_client, ..options }).await;
        let fixtures = large_dataset::create(&stack).await;
        load(stack.stores(), parse(DIRECTORY)).await;
        Self { stack, fixtures, faults, search, asked: 0 }
    }

    async fn ask(&mut self, plan: Plan) -> Reply {
        self.asked += 1;
        match self.search.before {
            Preparation::Nothing => {}
            Preparation::NewOrg => {
                let org = OrgId::new(self.asked + 10).expect("an id");
                self.stack.stores().reviews.register_org_with_reviews(org).await.expect("the store answers");
            }
            Preparation::NewDirectory => load(self.stack.stores(), numbered(1, &format!("Word {}", self.asked))).await,
        }
        self.faults.restart(plan);
        self.stack.get(self.search.path, (self.search.by)(&self.fixtures)).await
    }

    /// Asks with a fault that a retry must mask. On a busy machine the retry may come too late, but not three times.
    async fn ask_until_masked(&mut self, plan: Plan) -> Reply {
        for _ in 0..2 {
            let reply = self.ask(plan.clone()).await;
            if reply.status != 503 {
                return reply;
            }
        }
        self.ask(plan).await
    }

    /// Returns the answer and the number of calls without faults. The second answer counts: the first writes the use of the key
    /// and fills the memory of the function. A 503 on a busy machine does not count.
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

/// Repeats the search with these faults at each call, once and for ever.
async fn break_search(mut fixture: Fixture, kinds: &[(FaultKind, Masking)]) {
    let search = fixture.search;
    let (right, calls) = fixture.unbroken().await;
    // Without a call that the fault can break, the search with it is the search without faults again.
    let kinds: Vec<_> = kinds.iter().filter(|(kind, _)| fixture.faults.could_break(*kind)).collect();
    // Single faults come first, since the SDK stops retrying for a while after many faults.
    for times in [1, u64::MAX] {
        for (number, (kind, masking)) in kinds.iter().enumerate() {
            for call in (1..=calls).filter(|call| is_in_sample(number, kinds.len(), *call, times)) {
                let plan = Plan::At { call, kind: *kind, times };
                let is_masked = *masking == Masking::IfOnce && times == 1;
                let reply = if is_masked { fixture.ask_until_masked(plan).await } else { fixture.ask(plan).await };
                let what = format!("{}: call {call} of {calls}, {kind:?}, {times} times", search.path);
                if reply.status == 503 && !is_masked {
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
    stream::iter(runs).buffer_unordered(PARALLEL_SEARCHES).collect::<()>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_with_a_fault_at_any_call_answers_the_same_or_503() {
    use FaultKind::{CutBody, LoseReply, RefuseConnection, ServerError, Throttle, TransactionConflict};
    let masked = [Throttle, ServerError, RefuseConnection, TransactionConflict, LoseReply];
    let mut kinds = masked.map(|kind| (kind, Masking::IfOnce)).to_vec();
    kinds.push((CutBody, Masking::Never));
    break_all(short_retries, &kinds).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_with_a_hanging_or_late_call_answers_the_same_or_503() {
    let late = FaultKind::Delay(Duration::from_millis(350));
    break_all(shorter_than_delay, &[(FaultKind::Hang, Masking::Never), (late, Masking::Never)]).await;
}

/// Returns timeouts shorter than the delay above. A busy machine may cause more answers of 503, which are allowed here.
fn shorter_than_delay() -> Options {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_millis(200))
        .operation_timeout(Duration::from_millis(450))
        .build();
    Options { timeouts: Some(timeouts), ..short_timeouts() }
}
