//! The index of businesses lags behind its table: what is shown is right all the same.

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use presence::domain::review::{Review, ReviewState};
use presence::store::Posting;
use presence_local::Options;
use presence_tests::{Cast, LaggingIndexes, World, patient, plain_http};
use serde_json::json;

use super::shelf::{Shelf, found, post, posted};
use crate::imports::crowd::second;

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_the_index_misplaces_is_shown_where_it_belongs_or_not_at_all() {
    let lag = LaggingIndexes::over(plain_http(), 0);
    let options = Options { http_client: Some(SharedHttpClient::new(lag.clone())), ..patient() };
    let world = World::with(options).await;
    let cast = Cast::enter(&world).await;
    let shelf = Shelf::stocked(world, cast).await;
    let queries =
        ["business__in=lyon-1,lyon-2&state=treated", "business__in=lyon-1,lyon-2&update_date__gte=2025-01-15"];
    for (query, names) in queries.into_iter().zip(["2 in all: d a", "3 in all: d c b"]) {
        assert_eq!(found(&shelf.ask("admin_1", query).await), format!("page 1 of 1, {names}"));
    }

    let (a, d) = (posted("a"), posted("d"));
    let deleted = Review { state: ReviewState::Deleted, ..d.clone() };
    let earlier = Review { update_date: Some(second("2025-01-02")), ..a.clone() };
    post(&shelf.world, vec![Posting { old: Some(d), new: deleted }, Posting { old: Some(a), new: earlier }]).await;
    lag.set_reads(u64::MAX);
    // Any write through the lagging client makes the answers that it keeps outdated ones.
    let user = format!("/user/{}", shelf.cast.manager_1.id);
    assert_eq!(shelf.world.post(&user, shelf.key("admin_1"), &json!({"phone": "1"})).await.status, 200);
    for (query, names) in queries.into_iter().zip(["1 in all: a", "3 in all: d c b"]) {
        assert_eq!(found(&shelf.ask("admin_1", query).await), format!("page 1 of 1, {names}"), "{query}");
    }
    assert!(lag.stale_answers() > 0, "the index did lag");
}
