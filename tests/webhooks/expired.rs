//! Event that expires in the feed while a webhook still waits to deliver it.

use jiff::SignedDuration;
use presence_tests::logs;

use super::{Hooked, messages_at, until};

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_expires_while_it_waits_is_listed_as_given_up() {
    let hooked = Hooked::start("500").await;
    hooked.change(&hooked.reviews[0], 1).await;
    hooked.wait_for_state("failing").await;
    hooked.stack.clock.advance(SignedDuration::from_hours(2 * 24));
    let attempts = async || {
        let deliveries = hooked.deliveries().await;
        deliveries[0]["attempts"].as_array().expect("attempts").clone()
    };
    until(async || Some(attempts().await).filter(|attempts| attempts.len() == 2)).await;
    // The feed forgets the event before the log forgets the second attempt.
    hooked.stack.clock.advance(SignedDuration::from_hours(29 * 24));
    hooked.wait_for_state("enabled").await;
    assert_eq!(hooked.deliveries().await[0]["state"], "given_up");
    let errors: Vec<_> = attempts().await.iter().map(|attempt| attempt["error"].clone()).collect();
    assert_eq!(errors, ["status 500", "the event is no longer kept"]);
    assert_eq!(messages_at(&hooked.stack).await.len(), 2);
    assert_eq!(logs::leaks(), Vec::<String>::new());
}
