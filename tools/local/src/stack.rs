//! Start and stop of the local stack.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use aws_credential_types::Credentials;
use aws_smithy_runtime_api::client::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::sdk_config::Builder;
use presence_domain::ledger::tree::FACETS_FROM;
use presence_domain::rate_limit::RateLimit;
use presence_domain::review::Review;
use presence_mailer::{OutboxProcessor, SesMailer};
use presence_publisher::EventBridge;
use presence_runtime::clock::SystemTimer;
use presence_runtime::config::MailConfig;
use presence_store::{Database, OutboxStore, RetryPolicy, Stores, UserStore, WriteRate, schema};

use crate::api_functions;
use crate::aws_limits::LimitsProxy;
use crate::connectors::ConnectorLayer as _;
use crate::docs;
use crate::embedded::EmbeddedDynamo;
use crate::events::{self, EventLog, EventPoller};
use crate::gateway::Gateway;
use crate::history::RequestHistory;
use crate::home::{Home, Overview};
use crate::inbox::Inbox;
use crate::listen;
use crate::mail::{self, Mailbox, StreamPoller};
use crate::options::{DynamoDb, Options};
use crate::other_dynamodb;
use crate::page;
use crate::sample::{self, DemoKeys};
use crate::stats_page;

/// Region in the requests and ARNs of the stack.
const REGION: &str = "eu-west-1";
/// Sender of the mails.
const SENDER: &str = "Presence <no-reply@presence.example>";
/// Name of the local bus.
const EVENT_BUS: &str = "presence";
/// Timeout of an attempt of the stack's own calls. It is long, so that a busy machine does not fail a start.
const OWN_CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Running local stack. Dropping it stops it without waiting for requests.
#[derive(Debug)]
pub struct Stack {
    gateway: Gateway,
    embedded: Option<EmbeddedDynamo>,
    limits: Option<LimitsProxy>,
    dynamodb_url: String,
    database_url: String,
    store: Stores,
    keys: DemoKeys,
    mailbox: Arc<Mailbox>,
    outbox: OutboxProcessor,
    stream_poller: Option<StreamPoller>,
    events: Arc<EventLog>,
    event_bus: EventBridge,
    event_poller: Option<EventPoller>,
    inbox: Option<Inbox>,
}

impl Stack {
    /// Starts the database, the tables, the sample data, the functions, the gateway and the mailer, as the options say.
    ///
    /// Returns an error if a port is taken, a folder cannot be written, or the database does not answer.
    pub async fn start(options: Options) -> anyhow::Result<Self> {
        listen::check(options.port, "the gateway", "--port")?;
        if let DynamoDb::Endpoint(url) = &options.dynamodb {
            other_dynamodb::check(url).await?;
        }
        let LocalDatabase { embedded, limits, url: database_url } = LocalDatabase::start(&options)?;
        // The stack's own calls bypass the limits and faults that the functions are given.
        let store = Stores::new(database(&own_config(&database_url), &options));
        store
            .database
            .create_tables()
            .await
            .with_context(|| format!("could not create the tables at {database_url}"))?;
        let keys = if options.sample {
            sample::load(&store, embedded.as_ref(), options.fixed_sample, options.clock.now()).await?
        } else {
            DemoKeys::default()
        };
        let dynamodb_url = limits.as_ref().map_or_else(|| database_url.clone(), LimitsProxy::endpoint_url);
        let functions_config = functions_config(&dynamodb_url, &options);
        let functions_database = database(&functions_config, &options).with_retry_policy(options.retry_policy.clone());
        let mailbox = Arc::new(Mailbox::default());
        let events = Arc::new(EventLog::default());
        let pages = docs::router(&keys)
            .merge(mail::router(store.clone(), Arc::clone(&mailbox)))
            .merge(stats_page::router(store.clone(), &keys))
            .merge(events::router(Arc::clone(&events)))
            .merge(page::shared_files());
        let history = options.keep_requests.then(|| Arc::new(RequestHistory::default()));
        let home = Home {
            overview: overview(&options, &dynamodb_url, limits.as_ref(), &keys),
            keys: &keys,
            history: history.clone().unwrap_or_default(),
            config: &own_config(&database_url),
            database: store.database.clone(),
        };
        let pages = pages.merge(home.router());
        let routes = api_functions::start(&functions_database, &options).await?;
        let gateway = Gateway::start(options.port, routes, pages, history)?;
        let outbox = outbox_processor(&functions_config, &options, &format!("http://{}", gateway.addr()))?;
        let stream_poller = if options.mailer {
            let table = store.database.name(&schema::USERS);
            Some(StreamPoller::start(outbox.clone(), &functions_config, &table, Arc::clone(&mailbox)).await?)
        } else {
            None
        };
        let event_bus = event_bus(&gateway);
        let event_poller = if options.publisher {
            // What an invitation follows from is in the audit trail.
            let tables = [&schema::AUDIT, &schema::USERS, &schema::REVIEWS].map(|table| store.database.name(table));
            Some(EventPoller::start(event_bus.clone(), &functions_config, &tables).await?)
        } else {
            None
        };
        let inbox =
            options.inbox.as_deref().map(|folder| start_inbox(folder, &functions_config, &options)).transpose()?;
        Ok(Self {
            gateway,
            embedded,
            limits,
            dynamodb_url,
            database_url,
            store,
            keys,
            mailbox,
            outbox,
            stream_poller,
            events,
            event_bus,
            event_poller,
            inbox,
        })
    }

    /// Returns the base URL of version 2 of the API.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/api/v2", self.origin())
    }

    /// Returns the URL of the start page.
    #[must_use]
    pub fn home_url(&self) -> String {
        format!("{}/", self.origin())
    }

    /// Returns the URL of the page with the sent mails.
    #[must_use]
    pub fn mailbox_url(&self) -> String {
        format!("{}{}", self.origin(), mail::MAILBOX_PATH)
    }

    /// Returns the URL of the page with the events.
    #[must_use]
    pub fn events_url(&self) -> String {
        format!("{}{}", self.origin(), events::EVENTS_PATH)
    }

    /// Returns the events that the local bus took.
    #[must_use]
    pub fn events(&self) -> &EventLog {
        &self.events
    }

    /// Returns the endpoint URL of the local `EventBridge`.
    #[must_use]
    pub fn event_bridge_url(&self) -> String {
        format!("{}{}", self.origin(), events::EVENT_BRIDGE_PATH)
    }

    /// Returns the client of the local bus, with which tests invoke the publisher step by step.
    #[must_use]
    pub fn event_bus(&self) -> &EventBridge {
        &self.event_bus
    }

    /// Returns the URL of the API documentation, on which calls can be tried.
    #[must_use]
    pub fn docs_url(&self) -> String {
        format!("{}{}", self.origin(), docs::DOCS_PATH)
    }

    /// Returns the URL of the page with statistics of reviews.
    #[must_use]
    pub fn stats_url(&self) -> String {
        format!("{}{}", self.origin(), stats_page::STATS_PATH)
    }

    /// Writes all reviews of some organisations straight into the embedded database, with their trees and directories.
    ///
    /// Returns an error if the database is not embedded.
    pub fn fill_reviews(&self, reviews: &[Review]) -> anyhow::Result<()> {
        self.fill_ledger(reviews, FACETS_FROM)
    }

    /// Writes reviews as [`Stack::fill_reviews`]. Sets of at least `facets_from` reviews have facet trees.
    pub fn fill_ledger(&self, reviews: &[Review], facets_from: i64) -> anyhow::Result<()> {
        let embedded = self.embedded.as_ref().context("DynamoDB is not embedded")?;
        embedded.fill_reviews(&self.store, reviews, facets_from)
    }

    /// Returns the `DynamoDB` endpoint of the functions: the one with the limits of AWS if they are on.
    #[must_use]
    pub fn dynamodb_url(&self) -> &str {
        &self.dynamodb_url
    }

    /// Returns the endpoint of the database itself, without limits.
    #[must_use]
    pub fn database_url(&self) -> &str {
        &self.database_url
    }

    /// Returns the limits of AWS if they are on.
    #[must_use]
    pub fn limits(&self) -> Option<&LimitsProxy> {
        self.limits.as_ref()
    }

    /// Returns the demo keys, one for each role. There are none without sample data.
    #[must_use]
    pub fn keys(&self) -> &DemoKeys {
        &self.keys
    }

    /// Returns a store that bypasses the functions' HTTP client and the limits of AWS.
    #[must_use]
    pub fn stores(&self) -> &Stores {
        &self.store
    }

    /// Returns the mailbox of the local SES.
    #[must_use]
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Returns the parts of the mailer, with which tests invoke it step by step.
    #[must_use]
    pub fn outbox(&self) -> &OutboxProcessor {
        &self.outbox
    }

    /// Waits for running requests, then stops the stack.
    pub async fn stop(self) {
        drop(self.stream_poller);
        drop(self.event_poller);
        drop(self.inbox);
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

/// Database of a stack, with the limits of AWS in front of it if they are on.
struct LocalDatabase {
    embedded: Option<EmbeddedDynamo>,
    limits: Option<LimitsProxy>,
    url: String,
}

impl LocalDatabase {
    fn start(options: &Options) -> anyhow::Result<Self> {
        let has_limits = options.aws_limits.is_some();
        // Clients connect to the port of the options. With limits, that is the port of the limits.
        let (embedded, url, limits_port) = match &options.dynamodb {
            DynamoDb::Embedded { port, data } => {
                let (database_port, limits_port) = if has_limits { (0, *port) } else { (*port, 0) };
                let embedded = EmbeddedDynamo::start(database_port, data.as_deref())?;
                let url = embedded.endpoint_url();
                (Some(embedded), url, limits_port)
            }
            DynamoDb::Endpoint(url) => (None, url.clone(), 0),
        };
        let limits = match &options.aws_limits {
            Some(settings) => Some(LimitsProxy::start(limits_port, &url, settings.clone())?),
            None => None,
        };
        Ok(Self { embedded, limits, url })
    }
}

/// Returns the facts about a stack for its start page.
fn overview(options: &Options, dynamodb_url: &str, limits: Option<&LimitsProxy>, keys: &DemoKeys) -> Overview {
    let data = match &options.dynamodb {
        DynamoDb::Embedded { data: None, .. } => "in memory: it is gone when the stack stops".to_owned(),
        DynamoDb::Embedded { data: Some(folder), .. } => format!("in the folder {}", folder.display()),
        DynamoDb::Endpoint(url) => format!("in the database at {url}"),
    };
    Overview {
        dynamodb_url: dynamodb_url.to_owned(),
        table_prefix: options.table_prefix.clone(),
        data,
        aws_limits: limits.map(|limits| format!("seed={}", limits.seed())),
        rate_limit: options.rate_limit.map(RateLimit::requests_per_minute),
        inbox: options.inbox.as_ref().map(|folder| folder.display().to_string()),
        mailer: options.mailer,
        has_keys: !keys.is_empty(),
    }
}

/// Connects to the tables that the options name.
fn database(config: &SdkConfig, options: &Options) -> Database {
    let database = Database::new(config, &options.table_prefix).with_audit_table(options.audit_table.as_deref());
    let database = database.with_reviews_table(options.reviews_table.as_deref());
    if options.aws_limits.is_some() { database.with_partition_pace() } else { database }
}

/// Returns an SDK configuration for an endpoint on this machine, with placeholder credentials.
#[must_use]
pub fn sdk_config(endpoint_url: &str) -> SdkConfig {
    local_config(endpoint_url).build()
}

/// Returns the configuration of the stack's own calls, with long timeouts.
fn own_config(endpoint_url: &str) -> SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(OWN_CALL_TIMEOUT)
        .operation_timeout(2 * OWN_CALL_TIMEOUT)
        .build();
    local_config(endpoint_url).timeout_config(timeouts).build()
}

/// Returns the configuration of the functions: the service's own, with the timeouts and HTTP client of the options.
fn functions_config(dynamodb_url: &str, options: &Options) -> SdkConfig {
    let mut config = local_config(dynamodb_url);
    if let Some(timeouts) = &options.timeouts {
        config = config.timeout_config(timeouts.clone());
    }
    if let Some(client) = &options.http_client {
        config = config.http_client(match options.waves {
            Some(waves) => waves.over(client.clone()),
            None => client.clone(),
        });
    }
    config.build()
}

/// A call on a busy machine may stand still for longer than the SDK's protection against stalled streams waits. The timeouts end it.
fn local_config(endpoint_url: &str) -> Builder {
    let config = presence_runtime::aws::sdk_config(REGION, Credentials::from_keys("local", "local", None));
    config.stalled_stream_protection(StalledStreamProtectionConfig::disabled()).endpoint_url(endpoint_url)
}

/// Builds the client of the local bus.
fn event_bus(gateway: &Gateway) -> EventBridge {
    let config = own_config(&format!("http://{}{}", gateway.addr(), events::EVENT_BRIDGE_PATH));
    EventBridge::new(&config, EVENT_BUS.to_owned())
}

/// Builds the parts of the mailer: the functions' tables, and the local SES.
fn outbox_processor(functions_config: &SdkConfig, options: &Options, origin: &str) -> anyhow::Result<OutboxProcessor> {
    let config = MailConfig::parse(SENDER, options.public_base_url.as_deref().unwrap_or(origin), "")?;
    let ses = sdk_config(&format!("{origin}{}", mail::SES_PATH));
    let database = database(functions_config, options);
    Ok(OutboxProcessor {
        users: UserStore::new(&database),
        outbox: OutboxStore::new(&database),
        clock: Arc::clone(&options.clock),
        mailer: Arc::new(SesMailer::new(&ses, config.sender.clone())),
        config,
    })
}

/// Starts to watch the inbox. Ingest retries as the function on AWS does: for as long as DynamoDB makes progress.
fn start_inbox(folder: &Path, functions_config: &SdkConfig, options: &Options) -> anyhow::Result<Inbox> {
    let rate = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
    let database = database(functions_config, options).with_retry_policy(RetryPolicy::WhileImporting(rate));
    Inbox::start(folder, &database)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_stack_and_of_its_functions_may_stand_still_until_their_timeout() {
        let url = "http://127.0.0.1:1";
        for config in [sdk_config(url), own_config(url), functions_config(url, &Options::default())] {
            let protection = config.stalled_stream_protection().expect("a setting");
            assert!(!protection.upload_enabled() && !protection.download_enabled());
            assert!(config.timeout_config().is_some_and(|timeouts| timeouts.operation_timeout().is_some()));
        }
    }
}
