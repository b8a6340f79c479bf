//! The data that the functions meet: organisations of several sizes, reviews and categories, in an embedded `DynamoDB` of this
//! process, which has as much of the processors as it wants.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Parser as _;
use presence_bench::distribution::{CITIES_BY_SIZE, Distribution};
use presence_domain::ids::OrgId;
use presence_domain::user::Role;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::{DynamoDb, Options, Stack, sdk_config};
use presence_ops::{Cli, Console, Exit};
use presence_runtime::clock::{Clock as _, SystemClock};
use presence_store::{Database, Org, Stores, bulk_review_items, schema};
use serde_json::Value;
use tempfile::TempDir;

use super::function::FunctionLauncher;
use super::throttle::ThrottleMode;
use crate::sandbox::tls::TlsProxy;
use crate::users::{generated_users, load_users};

/// The time of a call to DynamoDB inside a region, beside the emulator's own. Its usual latency is some milliseconds.
pub(super) const CALL_DELAY: Duration = Duration::from_millis(3);
/// The directory of categories that the local stack has.
const CATEGORIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../local/sample/categories.jsonl");
const PREFIX: &str = "presence-";
/// Users that are made at once.
const CHUNK: usize = 10_000;

/// An organisation with many users.
pub(super) struct Organisation {
    pub(super) users: usize,
    /// The key of an `ORG_ADMIN` of it.
    pub(super) key: String,
    /// The number of its first user among all.
    first: usize,
    /// The number of its users that each kind of request has taken.
    taken: [Cell<usize>; 4],
}

/// A request that each user takes once.
#[derive(Clone, Copy, Debug)]
pub(super) enum OneTimeRequest {
    Update,
    Invite,
    Delete,
    Mail,
}

impl Organisation {
    /// Returns the id of a user that no request of this kind was for, nor any of another kind. Of seven users one is
    /// invited: those are for invitations and mails.
    pub(super) fn next(&self, once: OneTimeRequest) -> anyhow::Result<u64> {
        let taken = &self.taken[once as usize];
        let turn = taken.replace(taken.get() + 1);
        let invited = self.first.next_multiple_of(7);
        let number = match once {
            OneTimeRequest::Invite => invited + 14 * turn,
            OneTimeRequest::Mail => invited + 14 * turn + 7,
            OneTimeRequest::Update => invited + 7 * turn + 1,
            OneTimeRequest::Delete => invited + 7 * turn + 2,
        };
        ensure!(number < self.first + self.users, "{} users are too few for so many requests", self.users);
        Ok(generated_users::user_id(number))
    }

    /// Returns the id of one of its active users.
    pub(super) fn any(&self, rng: &mut fastrand::Rng) -> u64 {
        let fifth = rng.usize(0..self.users / 7 - 1);
        generated_users::user_id(self.first.next_multiple_of(7) + 7 * fifth + 3)
    }

    /// Returns the address of a user whom no request changes.
    pub(super) fn an_address(&self) -> anyhow::Result<String> {
        let number = self.first.next_multiple_of(7) + 4;
        Ok(generated_users::generate_user(number, org_number(self.users))?.email.as_str().to_owned())
    }
}

/// Everything that is loaded, and what functions are started with.
pub(super) struct LambdaEnvironment {
    pub(super) launcher: FunctionLauncher,
    pub(super) orgs: Vec<Organisation>,
    pub(super) category: String,
    /// Twenty businesses, for a query.
    pub(super) businesses: String,
    stack: Stack,
    // Dropped in this order: what uses the database before it, and its file last.
    _proxies: [TlsProxy; 2],
    _dynamodb: EmbeddedDynamo,
    _folder: TempDir,
}

/// Returns the number of the organisation of so many users.
fn org_number(users: usize) -> u64 {
    users as u64
}

impl LambdaEnvironment {
    /// Loads organisations of these sizes; the first also has so many reviews.
    pub(super) async fn load(
        programs: &Path,
        way: ThrottleMode,
        sizes: &[usize],
        reviews: u64,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let dynamodb = EmbeddedDynamo::start(0, Some(&folder.path().join("data")))?;
        dynamodb.enable_bulk_loading()?;
        let url = dynamodb.endpoint_url();
        let config = sdk_config(&url);
        let store = Stores::new(Database::new(&config, PREFIX));
        // Without a stream: the embedded database searches all stream records at every write to a table that has one.
        let users = schema::Table { stream: false, ..schema::USERS };
        let client = aws_sdk_dynamodb::Client::new(&config);
        users.create(&client, &format!("{PREFIX}users")).send().await?;
        let stack = Stack::start(Options { dynamodb: DynamoDb::Endpoint(url.clone()), ..Options::default() }).await?;
        let mut orgs = Vec::new();
        let mut first = 0;
        for users in sizes {
            orgs.push(load_users(&store, &dynamodb, *users, first).await?);
            first += users;
        }
        let distribution = Distribution::new(reviews);
        let admin = load_reviews(&store, &dynamodb, &distribution).await?;
        let category = load_categories(&store, &stack, &admin).await?;
        orgs.push(Organisation { users: 0, key: admin, first: 0, taken: Default::default() });
        let upstream = url.trim_start_matches("http://").parse().context("an address")?;
        let proxy = TlsProxy::start(upstream, folder.path(), CALL_DELAY).await?;
        let origin = stack.base_url();
        let ses = origin.trim_start_matches("http://").split('/').next().unwrap_or_default().parse()?;
        let certificates = tempfile::tempdir_in(folder.path())?.keep();
        let ses_proxy = TlsProxy::start(ses, &certificates, CALL_DELAY).await?;
        let roots = folder.path().join("all-roots.pem");
        std::fs::write(&roots, [std::fs::read(proxy.roots()?)?, std::fs::read(ses_proxy.roots()?)?].concat())?;
        let launcher = FunctionLauncher {
            programs: programs.to_owned(),
            dynamodb_url: proxy.url(),
            ses_url: format!("{}/ses", ses_proxy.url()),
            roots: roots.to_str().context("a temporary folder of text")?.to_owned(),
            way,
        };
        let businesses = distribution.businesses();
        let twenty = businesses.iter().step_by(10).take(20).map(|business| business.id.as_str());
        let businesses = twenty.collect::<Vec<_>>().join(",");
        Ok(Self {
            launcher,
            orgs,
            category,
            businesses,
            stack,
            _proxies: [proxy, ses_proxy],
            _dynamodb: dynamodb,
            _folder: folder,
        })
    }

    /// Returns the organisation of so many users.
    pub(super) fn org(&self, users: usize) -> anyhow::Result<&Organisation> {
        self.orgs.iter().find(|org| org.users == users).with_context(|| format!("no organisation of {users} users"))
    }

    /// Returns the key of a caller who sees the reviews.
    pub(super) fn key_of_reviews(&self) -> anyhow::Result<&str> {
        self.orgs.last().map(|org| org.key.as_str()).context("the organisation with the reviews")
    }

    /// Makes a request to the same service in this process, which is not throttled.
    pub(super) async fn ask(&self, method: &str, path: &str, key: &str, body: &Value) -> anyhow::Result<Value> {
        ask(&self.stack, method, path, key, body).await
    }

    /// Returns what asks the same from another task.
    pub(super) fn base_url(&self) -> String {
        self.stack.base_url()
    }

    /// Returns the city with 3 % of the reviews.
    pub(super) fn city() -> String {
        CITIES_BY_SIZE[1].to_lowercase()
    }
}

async fn ask(stack: &Stack, method: &str, path: &str, key: &str, body: &Value) -> anyhow::Result<Value> {
    let request = reqwest::Client::new().request(method.parse()?, format!("{}{path}", stack.base_url()));
    let request = request.header("x-api-key", key);
    let request = if body.is_null() { request } else { request.json(body) };
    let answer = request.send().await?;
    let (status, text) = (answer.status(), answer.text().await?);
    ensure!(status == 200, "{method} {path}: {status} {text}");
    Ok(serde_json::from_str(&text)?)
}

async fn load_users(
    store: &Stores,
    dynamodb: &EmbeddedDynamo,
    users: usize,
    first: usize,
) -> anyhow::Result<Organisation> {
    let org = org_number(users);
    let org_id = OrgId::new(org).context("an organisation")?;
    store.businesses.put_org(&Org { id: org_id, name: format!("Chain of {users}") }).await?;
    let people = (first..first + users).map(|number| generated_users::generate_user(number, org));
    let people = people.collect::<anyhow::Result<Vec<_>>>()?;
    let mut items = store.users.to_items(&people)?;
    while !items.is_empty() {
        let rest = items.split_off(items.len().min(CHUNK));
        dynamodb.import(&store.database.name(&schema::USERS), items)?;
        items = rest;
    }
    let key = load_users::create_caller(store, Role::OrgAdmin, org, SystemClock.now()).await?;
    Ok(Organisation { users, key, first, taken: Default::default() })
}

/// Loads the reviews, and returns the key of a caller who sees them.
async fn load_reviews(
    store: &Stores,
    dynamodb: &EmbeddedDynamo,
    distribution: &Distribution,
) -> anyhow::Result<String> {
    store.businesses.put_org(&distribution.org()).await?;
    for business in distribution.businesses() {
        store.businesses.put(&business).await?;
    }
    for month in distribution.months() {
        dynamodb.import(&store.database.name(&schema::REVIEWS), bulk_review_items(&month)?)?;
    }
    load_users::create_caller(store, Role::OrgAdmin, distribution.org().id.get(), SystemClock.now()).await
}

/// Imports the categories as an operator does, and returns the id of one.
async fn load_categories(store: &Stores, stack: &Stack, key: &str) -> anyhow::Result<String> {
    let cli = Cli::try_parse_from(["ops", "import", "categories", CATEGORIES])?;
    let console = Console::new(Box::new(std::io::sink()), Box::new(std::io::stderr()));
    let mut context = presence_ops::Context { store: store.clone(), clock: Arc::new(SystemClock), console };
    let exit = Box::pin(presence_ops::run(cli, &mut context)).await;
    ensure!(exit == Exit::Done, "the import of categories ended with {exit:?}");
    let found = ask(stack, "GET", "/category/search?lang=FR&per_page=1", key, &Value::Null).await?;
    Ok(found["categories"][0]["id"].as_str().context("a category")?.to_owned())
}
