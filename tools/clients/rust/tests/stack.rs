//! Calls against the local stack: `tools/ci/with-stack` sets the environment. Without one, `cargo test` leaves them out.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderMap;
use futures::{Stream, TryStreamExt as _, pin_mut};
use presence_client::types::{
    DeliveryState, KeyCreation, KeyCreationAccess, KeyRotation, ListEventsTypeInItem, OutcomeReport,
    OutcomeReportOutcome, ReplyState, ReviewChangeState, ReviewState, SearchReviewsStateItem, UserChange, UserCreation,
    UserCreationStatus, WebhookChange, WebhookCreation,
};
use presence_client::{Error, EventOptions, Kind, Options, PresenceClient, PullOptions, verify_webhook};

const EMAIL: &str = "own-rust@client.example";

fn client() -> PresenceClient {
    PresenceClient::from_env().expect("PRESENCE_URL and PRESENCE_API_KEY")
}

fn client_with(key: String) -> PresenceClient {
    let url = std::env::var("PRESENCE_URL").expect("PRESENCE_URL");
    PresenceClient::new(Options::new(&url, key)).expect("a client")
}

fn user() -> UserCreation {
    let user = UserCreation::builder().email(EMAIL).first_name("Own").last_name("Rust");
    user.status(UserCreationStatus::Invited).send_invitation(false).try_into().expect("a user")
}

async fn count<T>(items: impl Stream<Item = Result<T, Error>>) -> i64 {
    items.try_fold(0, |count, _| std::future::ready(Ok(count + 1))).await.expect("a search")
}

#[tokio::test]
#[ignore = "needs a local stack"]
async fn a_user_lives_from_create_to_delete() -> Result<(), Error> {
    let presence = client();
    let id = presence.create_user(user()).await?;
    let change = UserChange { last_name: Some("Ferrum".to_owned()), ..UserChange::default() };
    presence.update_user(&id, change).await?;
    assert_eq!(presence.user(&id).await?.last_name, "Ferrum");
    presence.invite_user(&id).await?;
    let soon = presence.invite_user(&id).await.expect_err("too soon");
    assert!(soon.refusal(Kind::TooManyRequests).is_some_and(|refusal| refusal.retry_after.is_some()));
    let twice = presence.create_user(user()).await.expect_err("a refusal");
    let refusal = twice.refusal(Kind::InvalidRequest).expect("not valid");
    assert_eq!(refusal.fields["email"].message, format!("{EMAIL} already exists in db"));
    assert!(refusal.request_id.is_some());
    assert_eq!(presence.user_stats().await?.count, presence.search_users(|search| search).await?.count);
    presence.delete_user(&id).await?;
    assert!(presence.user(&id).await.is_err_and(|error| error.refusal(Kind::NotFound).is_some()));
    Ok(())
}

#[tokio::test]
#[ignore = "needs a local stack"]
async fn each_search_is_walked_to_its_end() -> Result<(), Error> {
    let presence = client();
    assert_eq!(
        count(presence.iterate_users(|search| search)).await,
        presence.search_users(|search| search).await?.count
    );
    let found = presence.search_categories(|search| search.lang("FR")).await?;
    assert_eq!(count(presence.iterate_categories(|search| search.lang("FR"))).await, found.count);
    let businesses = presence.search_businesses(|search| search).await?;
    assert_eq!(count(presence.iterate_businesses(|search| search)).await, businesses.count);
    let low = presence.search_reviews(|search| search.rating_in(vec![1, 2])).await?;
    assert_eq!(count(presence.iterate_reviews(|search| search.rating_in(vec![1, 2]))).await, low.count);
    let category = presence.category(&found.categories[0].id, "FR").await?;
    assert_eq!(category.name, found.categories[0].name);
    Ok(())
}

#[tokio::test]
#[ignore = "needs a local stack"]
async fn a_pull_equals_the_list_and_its_cursor_repeats_one_second() -> Result<(), Error> {
    let presence = client();
    let listed: HashSet<_> = presence.iterate_reviews(|search| search).map_ok(|review| review.id).try_collect().await?;
    let options = PullOptions { per_page: 25, ..PullOptions::default() };
    let batches: Vec<_> = presence.pull_reviews(None, options, |search| search).try_collect().await?;
    let pulled: Vec<_> = batches.iter().flat_map(|batch| &batch.reviews).map(|review| review.id.clone()).collect();
    assert!(listed.len() > 100);
    assert_eq!(pulled.len(), listed.len());
    assert_eq!(pulled.iter().cloned().collect::<HashSet<_>>(), listed);
    let cursor = batches.last().expect("a batch").cursor.clone();
    let again = presence.pull_reviews(Some(cursor.clone()), options, |search| search);
    pin_mut!(again);
    while let Some(batch) = again.try_next().await? {
        assert!(batch.reviews.iter().all(|review| review.update_date == cursor));
    }
    assert_eq!(presence.review(&pulled[0]).await?.id, pulled[0]);
    Ok(())
}

#[tokio::test]
#[ignore = "needs a local stack"]
async fn a_key_that_only_reads_lives_from_create_to_revocation() -> Result<(), Error> {
    let presence = client();
    let id = presence.me().await?.id;
    let label = "own-rust".to_owned();
    let access = Some(KeyCreationAccess::Read);
    let key = KeyCreation { label: label.clone(), access, allowed_networks: None, expires_at: None };
    let issued = presence.create_key(&id, key).await?;
    let reader = client_with(issued.key.expect("a key"));
    assert_eq!(reader.me().await?.id, id);
    let refused = reader.update_user(&id, UserChange::default()).await.expect_err("it only reads");
    assert!(refused.refusal(Kind::Authorization).is_some(), "{refused}");
    let rotated = presence.rotate_key(&id, &issued.id, KeyRotation { overlap_seconds: Some(0) }).await?;
    assert!(reader.me().await.is_err_and(|error| error.refusal(Kind::Authentication).is_some()));
    presence.revoke_key(&id, &rotated.id).await?;
    let listed = presence.list_keys(&id).await?.into_iter().filter(|key| key.label.as_ref() == Some(&label));
    assert_eq!(listed.map(|key| key.id).collect::<HashSet<_>>(), HashSet::from([issued.id, rotated.id]));
    Ok(())
}

#[tokio::test]
#[ignore = "needs a local stack"]
async fn a_reply_goes_its_way_from_pending_to_removed() -> Result<(), Error> {
    let presence = client();
    let connector = client_with(std::env::var("PRESENCE_PROVIDER").expect("PRESENCE_PROVIDER"));
    let open = vec![SearchReviewsStateItem::NotTreated];
    let id = presence.search_reviews(|search| search.state(open).per_page(1)).await?.reviews.remove(0).id;
    // The stand-in for the partners never settles this text.
    let reply = presence.put_reply(&id, "Merci [lose]").await?;
    assert_eq!(reply.state, ReplyState::Pending);
    assert_eq!(presence.review(&id).await?.state, ReviewState::Treated);
    assert_eq!(presence.set_review_state(&id, ReviewChangeState::NotTreated).await?.state, ReviewState::NotTreated);
    let version = reply.version.expect("a version");
    let report = OutcomeReport { version, outcome: OutcomeReportOutcome::Published, reason: None };
    let published = connector.report_reply_outcome(&id, report).await?;
    assert!(published.is_some_and(|reply| reply.state == ReplyState::Published));
    assert_eq!(presence.reply(&id).await?.content.as_deref(), Some("Merci [lose]"));
    presence.delete_reply(&id).await?;
    let report = OutcomeReport { version: version + 1, outcome: OutcomeReportOutcome::Removed, reason: None };
    assert!(connector.report_reply_outcome(&id, report).await?.is_none());
    assert!(presence.reply(&id).await.is_err_and(|error| error.refusal(Kind::NotFound).is_some()));
    Ok(())
}

#[tokio::test]
#[ignore = "needs a local stack"]
async fn a_wrong_key_is_refused() {
    let nobody = client_with("pk_wrong".to_owned());
    assert!(nobody.me().await.is_err_and(|error| error.refusal(Kind::Authentication).is_some()));
}

#[tokio::test]
#[ignore = "needs a local stack"]
async fn events_come_in_order_and_another_reader_goes_on_at_the_cursor() -> Result<(), Error> {
    let presence = client();
    let types = || vec!["review.*".parse::<ListEventsTypeInItem>().expect("a group")];
    let options = EventOptions { pause: Duration::from_millis(200), ..EventOptions::default() };
    let following = presence.events(Some("now".to_owned()), options, |list| list.type_in(types()));
    pin_mut!(following);
    let start = following.try_next().await?.expect("a batch").cursor;
    let open = vec![SearchReviewsStateItem::NotTreated];
    let id = presence.search_reviews(|search| search.state(open).per_page(1)).await?.reviews.remove(0).id;
    for state in [ReviewChangeState::Treated, ReviewChangeState::NotTreated] {
        presence.set_review_state(&id, state).await?;
    }
    let mut events = Vec::new();
    while events.len() < 2 {
        events.extend(following.try_next().await?.expect("a batch").events);
    }
    assert!(events.iter().all(|event| event.type_ == "review.updated" && event.data.id.as_ref() == Some(&id)));
    assert_eq!(events[1].data.version, events[0].data.version.map(|version| version + 1));
    let ended = EventOptions { follow: false, ..options };
    let again = presence.events(Some(start.clone()), ended, |list| list.type_in(types()));
    let again: Vec<_> =
        again.map_ok(|batch| batch.events).try_concat().await?.into_iter().map(|event| event.id).collect();
    assert_eq!(again, events.into_iter().map(|event| event.id).collect::<Vec<_>>());
    let org = start.split('-').next().expect("an organisation").to_owned();
    let never = presence.events(Some(format!("{org}-999999")), ended, |list| list).try_collect::<Vec<_>>().await;
    let error = never.expect_err("no such cursor");
    let oldest = error.refusal(Kind::Gone).and_then(|refusal| refusal.oldest_cursor()).expect("the oldest");
    assert!(oldest.starts_with(&format!("{org}-")), "{oldest}");
    Ok(())
}

#[tokio::test]
#[ignore = "needs a local stack"]
async fn messages_of_a_webhook_are_verified_also_while_secrets_overlap() -> Result<(), Error> {
    let presence = client();
    let messages = Arc::new(Mutex::new(Vec::new()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let seen = messages.clone();
    let receive = move |headers: HeaderMap, body: Bytes| {
        seen.lock().expect("no panic").push((headers, body));
        std::future::ready(())
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(receive)).await });
    let creation = WebhookCreation::builder().url(url).label("own-rust".to_owned());
    let made = presence.create_webhook(creation.try_into().expect("a webhook")).await?;
    let (id, secret) = (made.id, made.secret.expect("a secret"));
    assert_eq!(presence.test_webhook(&id).await?.state, DeliveryState::Delivered);
    let rotated = presence.rotate_webhook(&id).await?.secret.expect("a secret");
    assert_eq!(presence.test_webhook(&id).await?.type_, "webhook.test");
    let messages = messages.lock().expect("no panic").clone();
    for (position, secret, is_genuine) in
        [(0, &secret, true), (0, &rotated, false), (1, &secret, true), (1, &rotated, true)]
    {
        let (headers, body) = &messages[position];
        let event = verify_webhook(headers, body, &[secret.as_str()]);
        assert_eq!(event.is_ok_and(|event| event.data.id.as_ref() == Some(&id)), is_genuine, "{position}");
    }
    let change = WebhookChange { label: Some("renamed".to_owned()), ..WebhookChange::default() };
    assert_eq!(presence.update_webhook(&id, change).await?.label.as_deref(), Some("renamed"));
    let cursor = presence.enable_webhook(&id).await?.cursor;
    assert_eq!(presence.replay_webhook(&id, &cursor).await?.id, presence.webhook(&id).await?.id);
    presence.list_deliveries(&id, |list| list.limit(5)).await?;
    presence.delete_webhook(&id).await?;
    assert!(presence.list_webhooks(None).await?.iter().all(|webhook| webhook.id != id));
    Ok(())
}
