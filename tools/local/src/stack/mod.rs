//! Start and stop of the local stack.

mod clients;
mod local_database;
mod urls;
mod workers;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::rate_limit::RateLimit;
use presence_domain::user::Role;
use presence_mailer::OutboxProcessor;
use presence_runtime::config::Config;
use presence_store::{Stores, schema};
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::clients::{database, functions_config, own_config};
use self::local_database::LocalDatabase;
use self::workers::{
    outbox_processor, start_deliveries, start_folds, start_inbox, start_mailer, start_partners, start_publisher,
    start_replies,
};
use crate::aws_limits::LimitsProxy;
use crate::changes::Changes;
use crate::deliveries::{DeliveryPoller, forward_events};
use crate::embedded::EmbeddedDynamo;
use crate::events::{self, EventLog, EventPoller, LocalBus};
use crate::gateway::{Gateway, LocalFunction};
use crate::guide;
use crate::history::RequestHistory;
use crate::home::{Home, Overview};
use crate::inbox::Inbox;
use crate::mail::{self, Mailbox, StreamPoller};
use crate::options::{DynamoDb, Options};
use crate::replies::{self, Partners, ReplyQueue};
use crate::sample::{self, DemoKeys};
use crate::{api_functions, changes, deliveries, docs, first_key, listen, other_dynamodb, page, review_pages};

pub use clients::sdk_config;

/// Running local stack. Dropping it stops it without waiting for requests.
#[derive(Debug)]
pub struct Stack {
    gateway: Gateway,
    /// Sender whose end tells the open pages that the stack stops.
    running: watch::Sender<()>,
    functions: BTreeMap<String, LocalFunction>,
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
    pub(crate) event_bus: LocalBus,
    event_poller: Option<EventPoller>,
    deliveries: Option<DeliveryPoller>,
    /// Secret of the webhook that forwards the events, if it was made at this start.
    forwarding_secret: Option<String>,
    replies: Arc<ReplyQueue>,
    reply_poller: Option<EventPoller>,
    partners: Option<Partners>,
    folds: JoinSet<()>,
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
            let are_known = !options.random_keys && options.dynamodb.is_on_this_machine();
            sample::load(&store, embedded.as_ref(), are_known, options.clock.now()).await?
        } else {
            DemoKeys::default()
        };
        let dynamodb_url = limits.as_ref().map_or_else(|| database_url.clone(), LimitsProxy::endpoint_url);
        let functions_config = functions_config(&dynamodb_url, &options);
        let functions_database = database(&functions_config, &options).with_retry_policy(options.retry_policy.clone());
        let mailbox = Arc::new(Mailbox::default());
        let events = Arc::new(EventLog::default());
        let replies = Arc::new(ReplyQueue::default());
        let (running, stopped) = watch::channel(());
        let history = options.keep_requests.then(|| Arc::new(RequestHistory::default()));
        let changes = Changes {
            config: own_config(&database_url),
            database: store.database.clone(),
            mailbox: Arc::clone(&mailbox),
            events: Arc::clone(&events),
            history: history.clone().unwrap_or_default(),
            start_id: fastrand::u64(..),
            stopped,
        };
        let pages = docs::router(&keys)
            .merge(mail::router(store.clone(), Arc::clone(&options.clock), Arc::clone(&mailbox)))
            .merge(review_pages::router(store.clone(), &keys))
            .merge(events::router(Arc::clone(&events)))
            .merge(replies::router(Arc::clone(&replies)))
            .merge(guide::router())
            .merge(deliveries::router(&keys))
            .merge(changes::router(changes))
            .merge(page::shared_files());
        let home = Home {
            overview: overview(&options, &dynamodb_url, limits.as_ref(), &keys),
            keys: &keys,
            history: history.clone().unwrap_or_default(),
            config: &own_config(&database_url),
            database: store.database.clone(),
        };
        let pages = pages.merge(home.router());
        let routes = api_functions::start(&functions_database, &options).await?;
        let functions = routes.iter().map(|(_, function)| (function.name().to_owned(), function.clone())).collect();
        let gateway = Gateway::start(options.port, routes, pages, history)?;
        let outbox = outbox_processor(&functions_config, &mailbox, &options, &format!("http://{}", gateway.addr()))?;
        let stream_poller = start_mailer(&outbox, &mailbox, &functions_config, &store.database, &options).await?;
        let event_bus = LocalBus(Arc::clone(&events));
        let event_poller = start_publisher(&event_bus, &functions_config, &store.database, &options).await?;
        let deliveries = start_deliveries(&functions_config, &store.database, &options).await?;
        let forwarding_secret = match (&options.forward_events, keys.get(Role::OrgAdmin.as_str())) {
            (Some(url), Some(key)) => forward_events(&format!("http://{}/api/v2", gateway.addr()), key, url).await?,
            _ => None,
        };
        let reply_poller = start_replies(&replies, &functions_config, &store, &options).await?;
        let partners = start_partners(&replies, format!("http://{}/api/v2", gateway.addr()), &keys, &options);
        let folds = start_folds(&functions_config, &options);
        let inbox = start_inbox(&functions_config, &options)?;
        Ok(Self {
            gateway,
            running,
            functions,
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
            deliveries,
            forwarding_secret,
            replies,
            reply_poller,
            partners,
            folds,
            inbox,
        })
    }

    /// Returns a function of the API by its name.
    pub fn function(&self, name: &str) -> Option<&LocalFunction> {
        self.functions.get(name)
    }

    /// Returns the events that the local bus took.
    pub fn events(&self) -> &EventLog {
        &self.events
    }

    /// Returns the secret of the webhook that forwards the events; `None` if it was not made at this start.
    pub fn forwarding_secret(&self) -> Option<&str> {
        self.forwarding_secret.as_deref()
    }

    /// Returns the queue of the replies.
    pub fn replies(&self) -> &ReplyQueue {
        &self.replies
    }

    /// Writes items straight into the reviews table of the embedded database.
    ///
    /// Returns an error if the database is not embedded.
    pub fn fill_items(&self, items: Vec<HashMap<String, AttributeValue>>) -> anyhow::Result<()> {
        let embedded = self.embedded.as_ref().context("DynamoDB is not embedded")?;
        embedded.import(&self.store.database.name(&schema::REVIEWS), items).map(drop)
    }

    /// Writes a copy of the tables of the embedded database to a new file.
    ///
    /// Returns an error if the database is not embedded, or if the file exists or cannot be written.
    pub fn save_tables(&self, file: &Path) -> anyhow::Result<()> {
        self.embedded.as_ref().context("DynamoDB is not embedded")?.save(file)
    }

    /// Replaces the tables of the embedded database by those of a saved file. Returns false if they have items, which stay, or if
    /// the database is not embedded.
    ///
    /// Returns an error if the file cannot be read.
    pub fn restore_tables_if_empty(&self, file: &Path) -> anyhow::Result<bool> {
        self.embedded.as_ref().map_or(Ok(false), |embedded| embedded.restore_if_empty(file))
    }

    /// Returns the `DynamoDB` endpoint of the functions: the one with the limits of AWS if they are on.
    pub fn dynamodb_url(&self) -> &str {
        &self.dynamodb_url
    }

    /// Returns the endpoint of the database itself, without limits.
    pub fn database_url(&self) -> &str {
        &self.database_url
    }

    /// Returns the limits of AWS if they are on.
    pub fn limits(&self) -> Option<&LimitsProxy> {
        self.limits.as_ref()
    }

    /// Returns the demo keys, one for each role. There are none without sample data.
    pub fn keys(&self) -> &DemoKeys {
        &self.keys
    }

    /// Returns a store that bypasses the functions' HTTP client and the limits of AWS.
    pub fn stores(&self) -> &Stores {
        &self.store
    }

    /// Returns the mailbox of the local SES.
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Returns the parts of the mailer, with which tests invoke it step by step.
    pub fn outbox(&self) -> &OutboxProcessor {
        &self.outbox
    }

    /// Waits for running requests, then stops the stack.
    pub async fn stop(self) {
        drop(self.stream_poller);
        drop(self.event_poller);
        drop(self.deliveries);
        drop(self.reply_poller);
        drop(self.partners);
        drop(self.folds);
        drop(self.inbox);
        drop(self.running);
        self.gateway.stop().await;
        drop(self.limits);
        if let Some(embedded) = self.embedded {
            embedded.stop();
        }
    }
}

/// Returns the facts about a stack for its start page.
fn overview(options: &Options, dynamodb_url: &str, limits: Option<&LimitsProxy>, keys: &DemoKeys) -> Overview {
    let data = match &options.dynamodb {
        DynamoDb::Embedded { data: None, .. } => "in memory: it is gone when the stack stops".to_owned(),
        DynamoDb::Embedded { data: Some(folder), .. } => format!("in the folder {}", folder.display()),
        DynamoDb::Endpoint(url) => format!("in the database at {url}"),
    };
    let tables = Config {
        audit_table: options.audit_table.clone(),
        reviews_table: options.reviews_table.clone(),
        ..Config::of_prefix(&options.table_prefix)
    };
    let first_key = if keys.is_empty() { first_key::commands(dynamodb_url, &tables) } else { Vec::new() };
    Overview {
        dynamodb_url: dynamodb_url.to_owned(),
        table_prefix: options.table_prefix.clone(),
        data,
        aws_limits: limits.map(|limits| limits.settings().to_string()),
        rate_limit: options.rate_limit.map(RateLimit::requests_per_minute),
        inbox: options.inbox.as_ref().map(|folder| folder.display().to_string()),
        mailer: options.mailer,
        first_key,
    }
}
