//! Data and servers that functions meet: organisations of several sizes, reviews and categories in an embedded `DynamoDB`.
//!
//! Database and service run in this process, which is not throttled.

use std::cell::Cell;
use std::net::SocketAddr;
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
use presence_store::{Database, Org, OrgPostings, Stores, bulk_body_item, schema};
use serde_json::Value;
use tempfile::TempDir;

use super::function::FunctionLauncher;
use super::throttle::ThrottleMode;
use crate::sandbox::tls::TlsProxy;
use crate::small_orgs::SmallOrgs;
use crate::users::{generated_users, load_users};

/// Delay of each answer of DynamoDB: a call inside a region usually takes some milliseconds.
const CALL_DELAY: Duration = Duration::from_millis(3);
/// File with the categories of the local stack.
const CATEGORIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../local/sample/categories.jsonl");
const PREFIX: &str = "presence-";
/// Number of items that are imported at once.
const IMPORT_CHUNK: usize = 10_000;

/// Organisation with many users.
pub(super) struct Organisation {
    pub(super) users: usize,
    /// Key of an `ORG_ADMIN` of the organisation.
    pub(super) key: String,
    /// Number of its first user among all generated users.
    first_user: usize,
    taken: TakenUsers,
}

/// Numbers of users that requests have used up, by use.
#[derive(Default)]
struct TakenUsers {
    update: Cell<usize>,
    invite: Cell<usize>,
    delete: Cell<usize>,
    mail: Cell<usize>,
}

/// Use of a user by a request. No user is used twice, so that each request finds the user unchanged.
#[derive(Clone, Copy, Debug)]
pub(super) enum UserUse {
    Update,
    Invite,
    Delete,
    Mail,
}

impl Organisation {
    fn new(users: usize, key: String, first_user: usize) -> Self {
        Self { users, key, first_user, taken: TakenUsers::default() }
    }

    /// Returns the id of a user that no request has used.
    ///
    /// One user in seven is invited: invitations and mails take these in turn. Updates and deletions take active users.
    pub(super) fn take_user(&self, user_use: UserUse) -> anyhow::Result<u64> {
        let first = self.first_invited();
        let number = match user_use {
            UserUse::Invite => first + 14 * increment(&self.taken.invite),
            UserUse::Mail => first + 14 * increment(&self.taken.mail) + 7,
            UserUse::Update => first + 7 * increment(&self.taken.update) + 1,
            UserUse::Delete => first + 7 * increment(&self.taken.delete) + 2,
        };
        ensure!(number < self.first_user + self.users, "{} users are too few for so many requests", self.users);
        Ok(generated_users::user_id(number))
    }

    /// Returns the id of a random active user that no other request uses.
    pub(super) fn random_active_user(&self, rng: &mut fastrand::Rng) -> u64 {
        let seventh = rng.usize(0..self.users / 7 - 1);
        generated_users::user_id(self.first_invited() + 7 * seventh + 3)
    }

    /// Returns the address of a user that no request changes.
    pub(super) fn unchanged_email(&self) -> anyhow::Result<String> {
        let user = generated_users::generate_user(self.first_invited() + 4, org_number(self.users))?;
        Ok(user.email.as_str().to_owned())
    }

    /// Returns the number of its first invited user. Users are invited whose number is divisible by seven.
    fn first_invited(&self) -> usize {
        self.first_user.next_multiple_of(7)
    }
}

/// Increments a counter. Returns its value before.
fn increment(counter: &Cell<usize>) -> usize {
    counter.replace(counter.get() + 1)
}

/// Loaded data with the launcher of functions.
pub(super) struct LambdaEnvironment {
    pub(super) launcher: FunctionLauncher,
    orgs: Vec<Organisation>,
    /// Key of a caller of the organisation with the reviews.
    reviews_key: String,
    /// Id of a category.
    pub(super) category: String,
    /// Id of a review.
    pub(super) review: String,
    /// Ids of all businesses with reviews.
    businesses: Vec<String>,
    /// Key of a caller who sees the reviews of all organisations.
    provider_key: String,
    small_orgs: SmallOrgs,
    stack: Stack,
    // Dropped in this order: users of the database, the database, its file.
    _proxies: Proxies,
    dynamodb: EmbeddedDynamo,
    _folder: TempDir,
}

/// TLS proxies in front of the local servers.
struct Proxies {
    dynamodb: TlsProxy,
    ses: TlsProxy,
}

/// Returns the id of the organisation with this number of users.
fn org_number(users: usize) -> u64 {
    users as u64
}

impl LambdaEnvironment {
    /// Loads organisations of these sizes, and a number of reviews.
    pub(super) async fn load(
        programs: &Path,
        throttle_mode: ThrottleMode,
        sizes: &[usize],
        reviews: u64,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let dynamodb = EmbeddedDynamo::start(0, Some(&folder.path().join("data")))?;
        dynamodb.enable_bulk_loading()?;
        let url = dynamodb.endpoint_url();
        let store = Stores::new(Database::new(&sdk_config(&url), PREFIX));
        load_users::create_users_table(&url).await?;
        let stack = Stack::start(Options { dynamodb: DynamoDb::Endpoint(url.clone()), ..Options::default() }).await?;
        let orgs = load_orgs(&store, &dynamodb, sizes).await?;
        let distribution = Distribution::new(reviews);
        let reviews_key = load_reviews(&store, &dynamodb, &distribution).await?;
        let category = load_categories(&store, &stack, &reviews_key).await?;
        let proxies = Proxies::start(&url, &stack.base_url(), folder.path()).await?;
        let launcher = FunctionLauncher {
            programs: programs.to_owned(),
            dynamodb_url: proxies.dynamodb.url(),
            ses_url: format!("{}/ses", proxies.ses.url()),
            roots: proxies.write_roots(folder.path())?,
            throttle_mode,
        };
        Ok(Self {
            launcher,
            orgs,
            review: find_review(&stack, &reviews_key).await?,
            reviews_key,
            category,
            businesses: distribution.businesses().iter().map(|business| business.id.as_str().to_owned()).collect(),
            provider_key: load_users::create_caller(&store, Role::Provider, 2, SystemClock.now()).await?,
            small_orgs: SmallOrgs::new(store),
            stack,
            _proxies: proxies,
            dynamodb,
            _folder: folder,
        })
    }

    /// Returns the organisation with this number of users.
    pub(super) fn org(&self, users: usize) -> anyhow::Result<&Organisation> {
        self.orgs.iter().find(|org| org.users == users).with_context(|| format!("no organisation of {users} users"))
    }

    /// Returns the key of a caller who sees the reviews.
    pub(super) fn reviews_key(&self) -> &str {
        &self.reviews_key
    }

    /// Returns the key of a caller who sees the reviews of all organisations.
    pub(super) fn provider_key(&self) -> &str {
        &self.provider_key
    }

    /// Returns the ids of some businesses, separated by commas. They are of large and of small cities.
    pub(super) fn businesses(&self, count: usize) -> String {
        let all = self.businesses.len();
        let businesses = (0..count).filter_map(|number| self.businesses.get(number * all / count));
        businesses.map(String::as_str).collect::<Vec<_>>().join(",")
    }

    /// Loads organisations with few reviews until there are so many beside the one with many.
    pub(super) fn load_small_orgs(&self, orgs: u64) -> anyhow::Result<()> {
        self.small_orgs.load(&self.dynamodb, orgs.saturating_sub(1))
    }

    /// Sends a request to the service in this process, which is not throttled.
    pub(super) async fn send(&self, method: &str, path: &str, key: &str, body: &Value) -> anyhow::Result<Value> {
        send(&self.stack, method, path, key, body).await
    }

    /// Returns the address of the service in this process.
    pub(super) fn base_url(&self) -> String {
        self.stack.base_url()
    }

    /// Returns the city with 3 % of the reviews.
    pub(super) fn city() -> String {
        CITIES_BY_SIZE[1].to_lowercase()
    }
}

impl Proxies {
    /// Starts the proxies. Each has certificates of its own in a folder of its own.
    async fn start(dynamodb_url: &str, stack_url: &str, folder: &Path) -> anyhow::Result<Self> {
        let ses_folder = tempfile::tempdir_in(folder)?.keep();
        Ok(Self {
            dynamodb: TlsProxy::start(socket_address(dynamodb_url)?, folder, CALL_DELAY).await?,
            ses: TlsProxy::start(socket_address(stack_url)?, &ses_folder, CALL_DELAY).await?,
        })
    }

    /// Writes the certificates of both into one file. Returns its path.
    fn write_roots(&self, folder: &Path) -> anyhow::Result<String> {
        let roots = folder.join("all-roots.pem");
        let certificates = [std::fs::read(self.dynamodb.roots()?)?, std::fs::read(self.ses.roots()?)?];
        std::fs::write(&roots, certificates.concat())?;
        Ok(roots.to_str().context("the path of the temporary folder is not UTF-8")?.to_owned())
    }
}

fn socket_address(url: &str) -> anyhow::Result<SocketAddr> {
    let authority = url.trim_start_matches("http://").split('/').next().unwrap_or_default();
    authority.parse().with_context(|| format!("no address in {url}"))
}

async fn send(stack: &Stack, method: &str, path: &str, key: &str, body: &Value) -> anyhow::Result<Value> {
    let request = reqwest::Client::new().request(method.parse()?, format!("{}{path}", stack.base_url()));
    let request = request.header("x-api-key", key);
    let request = if body.is_null() { request } else { request.json(body) };
    let response = request.send().await?;
    let (status, text) = (response.status(), response.text().await?);
    ensure!(status == 200, "{method} {path}: {status} {text}");
    Ok(serde_json::from_str(&text)?)
}

async fn load_orgs(store: &Stores, dynamodb: &EmbeddedDynamo, sizes: &[usize]) -> anyhow::Result<Vec<Organisation>> {
    let mut orgs = Vec::new();
    let mut first_user = 0;
    for users in sizes {
        orgs.push(load_org(store, dynamodb, *users, first_user).await?);
        first_user += users;
    }
    Ok(orgs)
}

async fn load_org(
    store: &Stores,
    dynamodb: &EmbeddedDynamo,
    users: usize,
    first_user: usize,
) -> anyhow::Result<Organisation> {
    let org = org_number(users);
    let org_id = OrgId::new(org).context("an organisation")?;
    store.businesses.put_org(&Org { id: org_id, name: format!("Chain of {users}") }).await?;
    let generated = (first_user..first_user + users).map(|number| generated_users::generate_user(number, org));
    let mut items = store.users.to_items(&generated.collect::<anyhow::Result<Vec<_>>>()?)?;
    while !items.is_empty() {
        let rest = items.split_off(items.len().min(IMPORT_CHUNK));
        dynamodb.import(&store.database.name(&schema::USERS), items)?;
        items = rest;
    }
    let key = load_users::create_caller(store, Role::OrgAdmin, org, SystemClock.now()).await?;
    Ok(Organisation::new(users, key, first_user))
}

/// Loads the reviews. Returns the key of a caller who sees them.
async fn load_reviews(
    store: &Stores,
    dynamodb: &EmbeddedDynamo,
    distribution: &Distribution,
) -> anyhow::Result<String> {
    store.businesses.put_org(&distribution.org()).await?;
    for business in distribution.businesses() {
        store.businesses.put(&business).await?;
    }
    let table = store.database.name(&schema::REVIEWS);
    let mut postings = OrgPostings::new(distribution.org().id);
    for month in distribution.months() {
        for review in &month {
            postings.add(review);
        }
        let bodies: Result<Vec<_>, _> = month.iter().map(bulk_body_item).collect();
        dynamodb.import(&table, bodies?)?;
    }
    dynamodb.import_trees(&table, postings)?;
    load_users::create_caller(store, Role::OrgAdmin, distribution.org().id.get(), SystemClock.now()).await
}

/// Returns the id of one review.
async fn find_review(stack: &Stack, key: &str) -> anyhow::Result<String> {
    let reviews = send(stack, "GET", "/reviews?per_page=1", key, &Value::Null).await?;
    Ok(reviews["reviews"][0]["id"].as_str().context("a review")?.to_owned())
}

/// Imports the categories with the operator's command. Returns the id of one category.
async fn load_categories(store: &Stores, stack: &Stack, key: &str) -> anyhow::Result<String> {
    let cli = Cli::try_parse_from(["ops", "import", "categories", CATEGORIES])?;
    let console = Console::new(Box::new(std::io::sink()), Box::new(std::io::stderr()));
    let mut context = presence_ops::Context::new(store.clone(), Arc::new(SystemClock), console);
    let exit = Box::pin(presence_ops::run(cli, &mut context)).await;
    ensure!(exit == Exit::Done, "the import of categories ended with {exit:?}");
    let categories = send(stack, "GET", "/category/search?lang=FR&per_page=1", key, &Value::Null).await?;
    Ok(categories["categories"][0]["id"].as_str().context("a category")?.to_owned())
}
