//! Starting and stopping the stack.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use aws_config::{ConfigLoader, Region, SdkConfig};
use aws_credential_types::Credentials;
use presence::app::App;
use presence::domain::review::Review;
use presence::http::Route;
use presence::store::{Store, items_of_reviews, schema, sdk_loader};

use crate::embedded::EmbeddedDynamo;
use crate::gateway::{Gateway, LocalFunction};
use crate::options::{DynamoDb, Options};
use crate::pages;
use crate::sample::{self, DemoKeys};

/// The region that the stack says it is in.
const REGION: &str = "eu-west-1";

/// A running stack. Dropped, it stops without waiting for requests.
#[derive(Debug)]
pub struct Stack {
    gateway: Gateway,
    embedded: Option<EmbeddedDynamo>,
    dynamodb_url: String,
    store: Store,
    keys: DemoKeys,
}

impl Stack {
    /// Starts `DynamoDB` (unless told where it is), the tables, the sample data, the functions and the gateway.
    /// Fails with a clear text when a port is taken or a folder cannot be written.
    pub async fn start(options: Options) -> anyhow::Result<Self> {
        let (embedded, dynamodb_url) = match &options.dynamodb {
            DynamoDb::Embedded { port, data } => {
                let embedded = EmbeddedDynamo::start(*port, data.as_deref())?;
                let url = embedded.endpoint_url();
                (Some(embedded), url)
            }
            DynamoDb::At(url) => (None, url.clone()),
        };
        // The stack's own calls go past the faults that the functions are given.
        let store = Store::new(&sdk_config(&dynamodb_url).await, &options.table_prefix);
        store.create_tables().await.with_context(|| format!("could not create the tables at {dynamodb_url}"))?;
        let keys = if options.sample { sample::load(&store, options.clock.now()).await? } else { DemoKeys::default() };
        let functions = functions_config(&dynamodb_url, &options).await;
        let app = App { store: Store::new(&functions, &options.table_prefix), clock: Arc::clone(&options.clock) };
        let gateway = Gateway::start(
            options.port,
            routes(Arc::new(app), options.function_timeout),
            pages::router(store.clone()),
        )?;
        Ok(Self { gateway, embedded, dynamodb_url, store, keys })
    }

    /// What clients put before the paths of the interface's version 2.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/api/v2", self.origin())
    }

    /// The page with the mails that were sent.
    #[must_use]
    pub fn mailbox_url(&self) -> String {
        format!("{}{}", self.origin(), pages::MAILBOX)
    }

    /// The page with the operations.
    #[must_use]
    pub fn docs_url(&self) -> String {
        format!("{}{}", self.origin(), pages::DOCS)
    }

    /// Fills the reviews table at once, where `DynamoDB` is embedded. These must be all the reviews of their organisations'
    /// months: tallies and slips are made to be theirs.
    pub fn fill_reviews(&self, reviews: &[Review]) -> anyhow::Result<()> {
        let embedded = self.embedded.as_ref().context("DynamoDB is not embedded")?;
        embedded.import(&self.store.name(&schema::REVIEWS), items_of_reviews(reviews)?)?;
        Ok(())
    }

    /// The endpoint of `DynamoDB`.
    #[must_use]
    pub fn dynamodb_url(&self) -> &str {
        &self.dynamodb_url
    }

    /// A key for each role, made at this start; none without sample data.
    #[must_use]
    pub fn keys(&self) -> &DemoKeys {
        &self.keys
    }

    /// The tables, as an operator reaches them: past the HTTP client of the functions.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Waits for the requests under way, then stops.
    pub async fn stop(self) {
        self.gateway.stop().await;
        if let Some(embedded) = self.embedded {
            embedded.stop();
        }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.gateway.addr())
    }
}

/// The SDK's set-up of the functions, at an endpoint on this machine, with credentials that are none.
pub async fn sdk_config(dynamodb_url: &str) -> SdkConfig {
    local_loader(dynamodb_url).load().await
}

fn local_loader(dynamodb_url: &str) -> ConfigLoader {
    sdk_loader()
        .endpoint_url(dynamodb_url)
        .region(Region::new(REGION))
        .credentials_provider(Credentials::from_keys("local", "local", None))
}

/// The same with what the options replace.
async fn functions_config(dynamodb_url: &str, options: &Options) -> SdkConfig {
    let mut loader = local_loader(dynamodb_url);
    if let Some(timeouts) = &options.timeouts {
        loader = loader.timeout_config(timeouts.clone());
    }
    if let Some(client) = &options.http_client {
        loader = loader.http_client(client.clone());
    }
    loader.load().await
}

/// The routes of the template, each with its function.
fn routes(app: Arc<App>, timeout: Duration) -> Vec<(String, LocalFunction)> {
    let (for_users, for_categories) = (Arc::clone(&app), Arc::clone(&app));
    let users = LocalFunction::new("users", move |request| presence_users::handle(Arc::clone(&for_users), request));
    let categories = LocalFunction::new("categories", move |request| {
        presence_categories::handle(Arc::clone(&for_categories), request)
    });
    let reviews = LocalFunction::new("reviews", move |request| presence_reviews::handle(Arc::clone(&app), request));
    [
        (users, keys(&presence_users::ROUTES, &presence_users::CATCH_ALL)),
        (categories, keys(&presence_categories::ROUTES, &presence_categories::CATCH_ALL)),
        (reviews, keys(&presence_reviews::ROUTES, &presence_reviews::CATCH_ALL)),
    ]
    .into_iter()
    .flat_map(|(function, keys)| {
        let function = function.with_timeout(timeout);
        keys.into_iter().map(move |key| (key, function.clone()))
    })
    .collect()
}

/// The gateway's route keys of a function.
fn keys<Operation>(routes: &[Route<Operation>], catch_all: &[&str]) -> Vec<String> {
    let operations = routes.iter().map(|route| format!("{} {}", route.method, route.path));
    operations.chain(catch_all.iter().map(ToString::to_string)).collect()
}
