//! The lagging indexes: how many reads lag, after what, and that nothing else does.

use aws_sdk_dynamodb::Client;
use presence_tests::ConnectorLayer as _;
use presence_tests::{FaultConnector, FaultKind, LagConnector, Plan, in_process_client};

use super::database::{Embedded, INDEX, TABLE, get, put, text};

async fn lagging_by(reads: u64) -> (Embedded, LagConnector, Client) {
    let embedded = Embedded::start().await;
    let lag = LagConnector::new(reads);
    let client = embedded.client(lag.over(in_process_client()));
    (embedded, lag, client)
}

/// Returns the number of red items in the index. Two values, so that the order of a map in the request is put to the test.
async fn red(client: &Client) -> i32 {
    let query = client.query().table_name(TABLE).index_name(INDEX).key_condition_expression("colour = :c");
    let query = query.filter_expression("sk = :s").expression_attribute_values(":c", text("red"));
    query.expression_attribute_values(":s", text("-")).limit(100).send().await.expect("an index read").count
}

#[tokio::test]
async fn index_answers_as_before_the_write_for_that_many_reads() {
    let (_embedded, lag, client) = lagging_by(2).await;
    put(&client, "a").send().await.expect("a put");
    assert_eq!(red(&client).await, 1, "never asked before: nothing older to give");
    put(&client, "b").send().await.expect("a put");
    assert_eq!([red(&client).await, red(&client).await, red(&client).await, red(&client).await], [1, 1, 2, 2]);
    assert_eq!(lag.stale_answers(), 2);
}

#[tokio::test]
async fn further_write_begins_the_lag_anew() {
    let (_embedded, _lag, client) = lagging_by(1).await;
    assert_eq!(red(&client).await, 0);
    put(&client, "a").send().await.expect("a put");
    assert_eq!(red(&client).await, 0);
    put(&client, "b").send().await.expect("a put");
    assert_eq!([red(&client).await, red(&client).await], [0, 2]);
}

#[tokio::test]
async fn frozen_index_lags_until_it_may_catch_up() {
    let (_embedded, lag, client) = lagging_by(u64::MAX).await;
    assert_eq!(red(&client).await, 0);
    put(&client, "a").send().await.expect("a put");
    for _ in 0..20 {
        assert_eq!(red(&client).await, 0);
    }
    lag.set_reads(0);
    assert_eq!(red(&client).await, 1);
}

#[tokio::test]
async fn without_a_write_in_between_nothing_is_outdated() {
    let (_embedded, lag, client) = lagging_by(5).await;
    assert_eq!([red(&client).await, red(&client).await], [0, 0]);
    assert_eq!(lag.stale_answers(), 0);
}

#[tokio::test]
async fn base_table_never_lags() {
    let (_embedded, _lag, client) = lagging_by(u64::MAX).await;
    assert!(get(&client, "a").send().await.expect("a read").item.is_none());
    put(&client, "a").send().await.expect("a put");
    assert!(get(&client, "a").send().await.expect("a read").item.is_some());
}

#[tokio::test]
async fn write_whose_reply_is_lost_makes_the_index_lag_as_well() {
    let embedded = Embedded::start().await;
    let lag = LagConnector::new(1);
    let faults = FaultConnector::new();
    let client = embedded.client(faults.over(lag.over(in_process_client())));
    assert_eq!(red(&client).await, 0);
    faults.restart(Plan::At { call: 1, kind: FaultKind::LoseReply, times: 1 });
    put(&client, "a").send().await.expect_err("the reply is lost");
    assert_eq!([red(&client).await, red(&client).await], [0, 1]);
}
