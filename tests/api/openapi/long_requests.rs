//! Requests whose line and headers are larger than the gateway takes.

use presence_local::Options;
use presence_tests::{TestStack, long_timeouts, send};

use super::description::Description;

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_400_businesses_is_refused_as_described_and_a_half_of_it_is_not() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let description = Description::read();
    let list = |count: usize| (0..count).map(|number| format!("{number:024x}")).collect::<Vec<_>>().join(",");
    for (path, operation) in [("/reviews", "search_reviews"), ("/reviews/stats", "get_review_stats")] {
        for (count, status) in [(200, 200), (380, 200), (420, 431)] {
            let request = stack.request("GET", &format!("{path}?business__in={}", list(count)));
            let reply = send(request.header("x-api-key", &stack.local.keys()["ORG_ADMIN"])).await;
            assert_eq!(reply.status, status, "{count} ids: {}", reply.text);
            assert_eq!(description.objection_to_answer(operation, status, &reply.json()), None, "{count} ids");
        }
        let response = description.response(operation, 431).expect("it is described");
        assert!(response["description"].as_str().is_some_and(|text| text.contains("business_city")), "{response}");
    }
}
