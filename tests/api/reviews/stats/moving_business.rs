//! Named businesses of a city, and by city, while one of them moves between any two reads of a request.

use std::sync::Arc;

use presence_domain::ids::BusinessId;
use presence_domain::review::{Partner, Review};
use presence_domain::text::city_key;
use presence_local::Options;
use presence_store::{Business, ReviewWrite, Stores};
use presence_tests::connectors::{Event, InterleavingConnector};
use presence_tests::reviews::{business_id, org_id, test_review};
use presence_tests::{ConnectorLayer as _, Reply, TestStack, calls_apart, in_process_client, long_timeouts};

use super::super::fixtures::{ReviewFixtures, describe_page, write_reviews};
use crate::imports::large_dataset::second;

/// Organisation and city of a business.
type Place = (u64, &'static str);

const HOME: Place = (1, "Lyon");
/// Places to which the business moves.
const PLACES: [Place; 3] = [(1, "Paris"), (2, "Lyon"), (2, "Paris")];

/// Requests, which name a business that moves.
const REQUESTS: [&str; 6] = [
    "/reviews/stats?group_by=city&business__in=lyon-1,lyon-2,paris",
    "/reviews/stats?group_by=city&business__in=lyon-1,lyon-2,paris&business_city=paris",
    "/reviews/stats?business__in=lyon-1,paris&business_city=paris&update_date__gte=2025-01-01T00:00:01",
    "/reviews/stats?group_by=month&business__in=lyon-1,lyon-2&business_city=lyon",
    "/reviews?business__in=lyon-1,paris&business_city=paris",
    "/reviews?business__in=lyon-1,lyon-2&business_city=lyon&rating__in=4,5",
];

/// Organisation with reviews.
const OTHER_ORG: Place = (2, "Lyon");
/// Organisation without reviews.
const NEW_ORG: Place = (3, "Lyon");

/// Requests of a caller of all organisations, which count the business `{}` that moves.
const REQUESTS_OF_ALL: [&str; 6] = [
    "/reviews/stats?business__in={},paris",
    "/reviews/stats?group_by=business&business__in={}&update_date__gte=2025-01-01T00:00:01",
    "/reviews/stats?group_by=month",
    "/reviews/stats?group_by=business",
    "/reviews?business__in={},lyon-2&business_city=lyon",
    "/reviews?rating__in=4,5",
];

/// Moves the business as an import does.
async fn move_business(stores: Stores, id: BusinessId, (org, city): Place) {
    let business = Business { id, org_id: org_id(org), name: "Shop".to_owned(), city: city.to_owned() };
    stores.reviews.put_business(&business).await.expect("the store answers");
}

/// Stack with a business that moves.
struct MoveFixture {
    review_fixtures: ReviewFixtures,
    connector: InterleavingConnector,
}

impl MoveFixture {
    async fn new() -> Self {
        let connector = InterleavingConnector::new();
        let http_client = Some(connector.over(in_process_client()));
        let stack = TestStack::with(Options { http_client, ..long_timeouts() }).await;
        Self { review_fixtures: ReviewFixtures::of(stack).await, connector }
    }

    /// Creates a business with a review that moved nowhere yet, so that its location names no other organisation.
    async fn create_business(&self, id: &str) {
        let stack = &self.review_fixtures.stack;
        stack.create_business(HOME.0, id, HOME.1).await;
        let review = test_review(Partner::Partner8, id, (id, HOME.0, &city_key(HOME.1)));
        write_reviews(
            stack,
            vec![ReviewWrite { old: None, new: Review { date: second("2025-01-31T00:00:00"), ..review } }],
        )
        .await;
    }

    fn move_event(&self, to: Place) -> Event {
        Box::pin(move_business(self.review_fixtures.stack.stores().clone(), business_id("lyon-1"), to))
    }

    /// Moves a business, and folds the log of its organisation, which then tells of the move no more, if the event is to do so.
    fn first_move_event(&self, id: &str, to: Place, is_folded: bool) -> Event {
        let (stores, id) = (self.review_fixtures.stack.stores().clone(), business_id(id));
        Box::pin(async move {
            move_business(stores.clone(), id, to).await;
            if !is_folded {
                return;
            }
            let report = stores.reviews.fold_reviews(org_id(HOME.0)).await.expect("a fold");
            assert!(report.changes > 0, "{report:?}");
        })
    }

    /// Returns the counts of the answer, and the names of the reviews on the page. The name of a city is that of a business, with
    /// or without reviews, so it is left out.
    async fn ask(&self, by: &str, path: &str) -> String {
        let reply: Reply = self.review_fixtures.stack.get(path, self.review_fixtures.key(by)).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        if path.starts_with("/reviews?") { describe_page(&reply) } else { reply.text.replace(r#""LYON""#, r#""Lyon""#) }
    }

    /// Asks with a move just before a call. Returns true if the request made that call.
    async fn interrupt(&self, (by, path): (&str, &str), call: u64, moved: (Place, Place)) -> bool {
        self.interrupt_by((by, path), call, moved, self.move_event(moved.1)).await
    }

    async fn interrupt_by(&self, (by, path): (&str, &str), call: u64, moved: (Place, Place), event: Event) -> bool {
        let before = self.ask(by, path).await;
        self.connector.before(call, event).await;
        let seen = self.ask(by, path).await;
        let (_, pending) = self.connector.end().await;
        let has_happened = pending.is_none();
        if let Some(event) = pending {
            event.await;
        }
        let after = self.ask(by, path).await;
        let is_expected = seen == before || seen == after;
        assert!(is_expected, "{by} {path}: {moved:?} before call {call}:\n{seen}\nis neither\n{before}\nnor\n{after}");
        has_happened
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_and_pages_are_those_before_or_after_the_move_of_a_named_business() {
    let fixture = MoveFixture::new().await;
    let mut interruptions = 0;
    // The second organisation is one that the business joins.
    for (by, requests) in [("admin_1", &REQUESTS[..]), ("admin_2", &REQUESTS[1..2])] {
        for path in requests {
            for place in PLACES {
                let mut call = 1;
                while fixture.interrupt((by, path), call, (HOME, place)).await {
                    fixture.interrupt((by, path), call, (place, HOME)).await;
                    (call, interruptions) = (call + calls_apart(5) as u64, interruptions + 1);
                }
                fixture.move_event(HOME).await;
            }
        }
    }
    assert!(interruptions * calls_apart(5) >= 3 * PLACES.len() * REQUESTS.len(), "{interruptions} interruptions");
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_that_a_business_takes_to_another_organisation_for_the_first_time_are_counted_once_for_a_provider() {
    let mut interruptions = 0;
    for path in REQUESTS_OF_ALL {
        for is_folded in [false, true] {
            let fixture = MoveFixture::new().await;
            for call in (1..).step_by(calls_apart(5)) {
                let id = format!("moving-{call}");
                fixture.create_business(&id).await;
                let event = fixture.first_move_event(&id, OTHER_ORG, is_folded);
                if !fixture.interrupt_by(("provider", &path.replace("{}", &id)), call, (HOME, OTHER_ORG), event).await {
                    break;
                }
                interruptions += 1;
            }
        }
    }
    assert!(interruptions * calls_apart(5) >= 2 * 3 * REQUESTS_OF_ALL.len(), "{interruptions} interruptions");
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_that_a_business_takes_to_an_organisation_without_reviews_are_counted_once_for_a_provider() {
    let mut interruptions = 0;
    for path in [REQUESTS_OF_ALL[0], REQUESTS_OF_ALL[3]].map(|path| path.replace("{}", "lyon-1")) {
        for is_folded in [false, true] {
            for call in (1..).step_by(calls_apart(5)) {
                // Only the first move is to an organisation without reviews.
                let fixture = MoveFixture::new().await;
                let event = fixture.first_move_event("lyon-1", NEW_ORG, is_folded);
                if !fixture.interrupt_by(("provider", &path), call, (HOME, NEW_ORG), event).await {
                    break;
                }
                interruptions += 1;
            }
        }
    }
    assert!(interruptions * calls_apart(5) >= 2 * 3 * 2, "{interruptions} interruptions");
}

/// Counts a city by business before each call of a move to another city. The process knows the move then, also when it is over.
#[tokio::test(flavor = "multi_thread")]
async fn a_city_by_business_is_counted_after_a_move_that_the_process_saw() {
    const PATH: &str = "/reviews/stats?group_by=business&business_city=lyon";
    let fixture = Arc::new(MoveFixture::new().await);
    let interleaving = InterleavingConnector::new();
    let stack = &fixture.review_fixtures.stack;
    let client = interleaving.over(in_process_client());
    let stores = stack.stores_through(client, long_timeouts(), stack.table_prefix());
    let mut call = 1;
    for place in [PLACES[0], HOME].into_iter().cycle() {
        let asking = Arc::clone(&fixture);
        // While the business moves, 503 is an answer, too.
        let ask =
            async move { drop(asking.review_fixtures.stack.get(PATH, asking.review_fixtures.key("admin_1")).await) };
        interleaving.before(call, Box::pin(ask)).await;
        move_business(stores.clone(), business_id("lyon-1"), place).await;
        let (_, pending) = interleaving.end().await;
        fixture.ask("admin_1", PATH).await;
        if pending.is_some() {
            break;
        }
        call += 1;
    }
    assert!(call > 4, "{call} calls");
}
