//! Functions of a deployment without the parameters `Events`, `Webhooks` and `Replies`: what needs them answers 400, and says so. The
//! state of a review can always be set.

use std::sync::Arc;

use presence_local::Options;
use presence_local::gateway::LocalFunction;
use presence_local::replay;
use presence_tests::{TestStack, long_timeouts};

use super::fixture::{TIMEOUT, events};

#[tokio::test(flavor = "multi_thread")]
async fn operations_of_an_option_that_is_off_say_that_it_is_not_set_up() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let (database, clock) = (&stack.stores().database, || Arc::clone(&stack.clock) as _);
    let app = presence_feed::App::new(database, clock(), None).start().await;
    let feed = LocalFunction::new("feed", move |request| presence_feed::handle(Arc::clone(&app), request));
    let app = presence_reviews::App::new(database, clock(), None).start().await;
    let reviews = LocalFunction::new("reviews", move |request| presence_reviews::handle(Arc::clone(&app), request));
    let events = events();
    for (function, name, status, expected) in [
        (&feed, "list_events", 400, "events are not set up"),
        (&feed, "create_webhook", 400, "webhooks are not set up"),
        (&feed, "test_webhook", 400, "webhooks are not set up"),
        (&reviews, "set_review_state", 200, "treated"),
        (&reviews, "get_reply", 400, "replies are not set up"),
        (&reviews, "put_reply", 400, "replies are not set up"),
        (&reviews, "delete_reply", 400, "replies are not set up"),
        (&reviews, "report_reply_outcome", 400, "replies are not set up"),
    ] {
        let event = events.iter().find(|event| event.name == name).expect(name);
        let function = function.clone().with_timeout(TIMEOUT);
        let answer = replay::answer(&function, &event.document).await.expect("an answer");
        assert_eq!(answer["status"], status, "{name}: {answer}");
        assert!(answer["body"].to_string().contains(expected), "{name}: {answer}");
    }
}
