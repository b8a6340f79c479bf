//! Sample data of the local stack, and an API key for each role.

mod demo_keys;
mod reviews;
mod rows;

use anyhow::{Context as _, anyhow};
use jiff::Timestamp;
use presence_domain::access::Scope;
use presence_domain::audit::{Actor, AuditAction, OperatorName};
use presence_domain::category::CategoryRow;
use presence_domain::feed::EventFilter;
use presence_domain::user::{User, UserChange};
use presence_domain::webhook::{Progress, SigningSecrets, Webhook, WebhookId, WebhookSecret, WebhookUrl};
use presence_store::{Stores, UserWriteError, WebhookWrite};

use crate::embedded::EmbeddedDynamo;
pub use demo_keys::DemoKeys;

const CATEGORIES: &str = include_str!("../../sample/categories.jsonl");

/// Id of the webhook of organisation 42.
const WEBHOOK_ID: &str = "42-000000000000";

/// Name under which the audit trail has what the local stack does by itself.
const OPERATOR: &str = "local:sample";

/// Loads the sample if the store has no users, then issues the demo keys.
///
/// `embedded` is the database behind the store if it runs in this process. With `are_known`, the keys are those in
/// `events/`, which everyone knows.
#[expect(clippy::disallowed_methods, reason = "the sample data is loaded before there is a caller")]
pub(crate) async fn load(
    store: &Stores,
    embedded: Option<&EmbeddedDynamo>,
    are_known: bool,
    now: Timestamp,
) -> anyhow::Result<DemoKeys> {
    if store.users.count(Scope::for_operator()).await?.count() == 0 {
        load_all(store, embedded, now).await?;
    }
    demo_keys::issue(store, are_known, &actor()?, now).await
}

async fn load_all(store: &Stores, embedded: Option<&EmbeddedDynamo>, now: Timestamp) -> anyhow::Result<()> {
    let businesses = rows::businesses()?;
    let reviews = reviews::spawn_generation(businesses.clone());
    for org in rows::orgs()? {
        store.businesses.put_org(&org).await?;
    }
    for business in &businesses {
        store.businesses.put(business).await?;
    }
    load_categories(store).await?;
    create_webhook(store, now).await?;
    reviews::load(store, embedded, reviews.await??).await?;
    // Users come last, because `load` counts them: after an interrupted start, the next one loads everything again.
    for user in rows::users()? {
        create_user(store, &user, now).await?;
    }
    Ok(())
}

async fn load_categories(store: &Stores) -> anyhow::Result<()> {
    let mut import = store.categories.begin_import(false).await?;
    for row in rows::parse_lines::<CategoryRow>(CATEGORIES) {
        import.put(row?.read().map_err(|text| anyhow!("sample category: {text}"))?).await?;
    }
    Ok(import.publish().await?)
}

/// Stores a webhook that is disabled, so that it sends nothing.
async fn create_webhook(store: &Stores, now: Timestamp) -> anyhow::Result<()> {
    let webhook = Webhook {
        id: WebhookId::parse(WEBHOOK_ID).context("the id of a webhook")?,
        url: WebhookUrl::from_stored("https://hooks.example.com/presence").context("an address")?,
        types: EventFilter::default(),
        label: Some("Example".to_owned()),
        secrets: SigningSecrets::new(WebhookSecret::generate()),
        created_at: now,
        progress: Progress::starting_after(0, now).disabled(now),
        version: 1,
    };
    store.webhooks.write(WebhookWrite { before: None, after: Some(&webhook), record: None, answer: None }).await?;
    Ok(())
}

fn actor() -> anyhow::Result<Actor> {
    OperatorName::parse(OPERATOR).map(Actor::Operator).context("the name of an operator")
}

async fn create_user(store: &Stores, user: &User, now: Timestamp) -> anyhow::Result<()> {
    match store.users.write(None, &UserChange::by(&actor()?, AuditAction::Create, user.clone(), now)).await {
        Ok(()) => Ok(()),
        Err(UserWriteError::Failed(error)) => Err(error.into()),
        Err(refused) => Err(anyhow!("a sample user was refused: {refused:?}")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{DynamoDb, Options, Stack};

    /// Serves a database that answers to any host, and returns its port.
    async fn serve_database() -> u16 {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let database = dynoxide::Database::memory().expect("a database in memory");
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                tokio::time::timeout(Duration::from_mins(2), dynoxide::server::serve_on(listener, database)).await
            })
        });
        port
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn tables_that_may_be_elsewhere_get_no_key_that_everyone_knows() {
        let port = serve_database().await;
        let start = async |host: &str, sample| {
            let dynamodb = DynamoDb::Endpoint(format!("http://{host}:{port}"));
            Box::pin(Stack::start(Options { dynamodb, sample, ..Options::default() })).await.expect("it starts")
        };
        let empty = start("127.0.0.1", false).await;
        let provider = rows::users().expect("users").remove(0);
        create_user(empty.stores(), &provider, Timestamp::UNIX_EPOCH).await.expect("a user");
        let local = start("127.0.0.1", true).await.keys()["PROVIDER"].clone();
        assert!(local.starts_with("pk_ExampleKeyOfTheProvider"), "{local}");
        // This name leads here, which nobody can see in it.
        let elsewhere = start("127.1", true).await.keys()["PROVIDER"].clone();
        assert!(!elsewhere.starts_with("pk_Example"), "{elsewhere}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_webhook_of_the_sample_is_found_by_its_organisation() {
        // The deliverer's sweep and `ops webhooks list` look for webhooks like this.
        let stack = Box::pin(Stack::start(Options { sample: true, ..Options::default() })).await.expect("it starts");
        let webhook = WebhookId::parse(WEBHOOK_ID).expect("an id");
        assert_eq!(stack.stores().webhooks.orgs().await.expect("the store answers"), [webhook.org_id()]);
    }
}
