//! Starting and stopping the stack.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use aws_credential_types::Credentials;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::sdk_config::Builder;
use presence_api::Route;
use presence_api::app::App;
use presence_domain::review::Review;
use presence_mailer::{Outbox, SesMailer};
use presence_runtime::config::MailConfig;
use presence_store::{Store, schema};

use crate::aws_limits::Limits;
use crate::docs;
use crate::embedded::EmbeddedDynamo;
use crate::gateway::{Gateway, LocalFunction};
use crate::mail::{self, Feed, Mailbox};
use crate::options::{DynamoDb, Options};
use crate::sample::{self, DemoKeys};

/// The region that the stack says it is in.
const REGION: &str = "eu-west-1";
/// Who the mails come from.
const SENDER: &str = "Presence <no-reply@presence.example>";
/// Longest wait for one of the stack's own calls: a busy machine or a slow database must not stop a start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running stack. Dropped, it stops without waiting for requests.
#[derive(Debug)]
pub struct Stack {
    gateway: Gateway,
    embedded: Option<EmbeddedDynamo>,
    limits: Option<Limits>,
    dynamodb_url: String,
    /// Of the database itself.
    database_url: String,
    store: Store,
    keys: DemoKeys,
    mailbox: Arc<Mailbox>,
    outbox: Outbox,
    feed: Option<Feed>,
}

impl Stack {
    /// Starts `DynamoDB` (unless told where it is), the tables, the sample data, the functions and the gateway.
    /// Fails with a clear text when a port is taken or a folder cannot be written.
    pub async fn start(options: Options) -> anyhow::Result<Self> {
        let Database { embedded, limits, url: database_url } = Database::start(&options)?;
        // The stack's own calls go past the limits and faults that the functions are given.
        let store = Store::new(&own_config(&database_url), &options.table_prefix);
        store.create_tables().await.with_context(|| format!("could not create the tables at {database_url}"))?;
        let keys = if options.sample {
            sample::load(&store, embedded.as_ref(), options.fixed_sample, options.clock.now()).await?
        } else {
            DemoKeys::default()
        };
        let dynamodb_url = limits.as_ref().map_or_else(|| database_url.clone(), Limits::endpoint_url);
        let functions = functions_config(&dynamodb_url, &options);
        let app = App::new(
            Store::new(&functions, &options.table_prefix).with_patience(options.patience.clone()),
            Arc::clone(&options.clock),
        );
        let mailbox = Arc::new(Mailbox::default());
        let pages = docs::router(&keys).merge(mail::router(store.clone(), Arc::clone(&mailbox)));
        let gateway = Gateway::start(options.port, routes(Arc::new(app), options.function_timeout), pages)?;
        let outbox = outbox(&functions, &options, &format!("http://{}", gateway.addr()))?;
        let feed = if options.mailer {
            Some(Feed::start(outbox.clone(), &functions, &store.name(&schema::USERS)).await?)
        } else {
            None
        };
        Ok(Self { gateway, embedded, limits, dynamodb_url, database_url, store, keys, mailbox, outbox, feed })
    }

    /// What clients put before the paths of the interface's version 2.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/api/v2", self.origin())
    }

    /// The page with the mails that were sent.
    #[must_use]
    pub fn mailbox_url(&self) -> String {
        format!("{}{}", self.origin(), mail::MAILBOX)
    }

    /// The page with the description of the API, where calls can be tried.
    #[must_use]
    pub fn docs_url(&self) -> String {
        format!("{}{}", self.origin(), docs::DOCS)
    }

    /// Fills the reviews table at once, where `DynamoDB` is embedded. These must be all the reviews of their organisations'
    /// months: tallies and slips are made to be theirs.
    pub fn fill_reviews(&self, reviews: &[Review]) -> anyhow::Result<()> {
        let embedded = self.embedded.as_ref().context("DynamoDB is not embedded")?;
        embedded.fill_reviews(&self.store, reviews)
    }

    /// The endpoint of `DynamoDB` as the functions have it, with the limits of AWS where they are on.
    #[must_use]
    pub fn dynamodb_url(&self) -> &str {
        &self.dynamodb_url
    }

    /// The endpoint of the database itself, without limits.
    #[must_use]
    pub fn database_url(&self) -> &str {
        &self.database_url
    }

    /// The limits of AWS, where they are on.
    #[must_use]
    pub fn limits(&self) -> Option<&Limits> {
        self.limits.as_ref()
    }

    /// A key for each role, made at this start; none without sample data.
    #[must_use]
    pub fn keys(&self) -> &DemoKeys {
        &self.keys
    }

    /// The tables, past the HTTP client of the functions and past the limits of AWS.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The mails that were sent, and the switches of SES.
    #[must_use]
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// The mailer's parts: for invoking it step by step.
    #[must_use]
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Waits for the requests under way, then stops.
    pub async fn stop(self) {
        drop(self.feed);
        self.gateway.stop().await;
        drop(self.limits);
        if let Some(embedded) = self.embedded {
            embedded.stop();
        }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.gateway.addr())
    }
}

/// The database, and the limits in front of it.
struct Database {
    embedded: Option<EmbeddedDynamo>,
    limits: Option<Limits>,
    url: String,
}

impl Database {
    fn start(options: &Options) -> anyhow::Result<Self> {
        let is_limited = options.aws_limits.is_some();
        // The port that was asked for is where clients look: with limits, theirs.
        let (embedded, url, limits_port) = match &options.dynamodb {
            DynamoDb::Embedded { port, data } => {
                let (own, limits) = if is_limited { (0, *port) } else { (*port, 0) };
                let embedded = EmbeddedDynamo::start(own, data.as_deref())?;
                let url = embedded.endpoint_url();
                (Some(embedded), url, limits)
            }
            DynamoDb::At(url) => (None, url.clone(), 0),
        };
        let start = |settings| Limits::start(limits_port, &url, settings);
        let limits = options.aws_limits.clone().map(start).transpose()?;
        Ok(Self { embedded, limits, url })
    }
}

/// The SDK's set-up, at an endpoint on this machine, with credentials that are none.
#[must_use]
pub fn sdk_config(endpoint_url: &str) -> SdkConfig {
    local(endpoint_url).build()
}

/// The same for calls that nobody waits for with a deadline.
fn own_config(endpoint_url: &str) -> SdkConfig {
    let timeouts = TimeoutConfig::builder().operation_attempt_timeout(PATIENCE).operation_timeout(2 * PATIENCE).build();
    local(endpoint_url).timeout_config(timeouts).build()
}

fn local(endpoint_url: &str) -> Builder {
    presence_runtime::aws::sdk_config(REGION, Credentials::from_keys("local", "local", None)).endpoint_url(endpoint_url)
}

/// The same with what the options replace.
fn functions_config(dynamodb_url: &str, options: &Options) -> SdkConfig {
    let mut config = local(dynamodb_url);
    if let Some(timeouts) = &options.timeouts {
        config = config.timeout_config(timeouts.clone());
    }
    if let Some(client) = &options.http_client {
        config = config.http_client(client.clone());
    }
    config.build()
}

/// The mailer's parts: the tables as the functions reach them, and the SES of the pages.
fn outbox(functions: &SdkConfig, options: &Options, origin: &str) -> anyhow::Result<Outbox> {
    let config = MailConfig::parse(SENDER, options.public_base_url.as_deref().unwrap_or(origin), "")?;
    let ses = sdk_config(&format!("{origin}{}", mail::SES));
    Ok(Outbox {
        store: Store::new(functions, &options.table_prefix),
        clock: Arc::clone(&options.clock),
        mailer: Arc::new(SesMailer::new(&ses, config.sender.clone())),
        config,
    })
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
        (users, keys(&presence_users::ROUTES, &[&presence_users::CATCH_ALL[..], &presence_users::PAGES].concat())),
        (
            categories,
            keys(
                &presence_categories::ROUTES,
                &[&presence_categories::CATCH_ALL[..], &presence_categories::DOCUMENTS].concat(),
            ),
        ),
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
