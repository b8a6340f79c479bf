//! Data and servers that functions meet: organisations of several sizes, reviews and categories in an embedded `DynamoDB`.
//!
//! Database and service run in this process, which is not throttled.

use std::cell::Cell;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use presence_domain::category::CategoryRow;
use presence_domain::review::Review;
use presence_domain::user::Role;
use presence_ledger::OrgPostings;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::{DynamoDb, Options, Stack, sdk_config};
use presence_runtime::clock::{Clock as _, SystemClock};
use presence_store::{Database, Stores, bulk_body_item, schema};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::function::FunctionLauncher;
use super::organisation::{Organisation, create_caller, create_users_table, load_orgs};
use super::small_orgs::SmallOrgs;
use crate::distribution::Distribution;
use crate::feed_events::append_events;
use crate::sandbox::tls::TlsProxy;

/// Delay of each answer of DynamoDB: a call inside a region usually takes some milliseconds.
const CALL_DELAY: Duration = Duration::from_millis(3);
/// Categories of the local stack.
const CATEGORIES: &str = include_str!("../../../local/sample/categories.jsonl");
/// Prefix of the tables.
pub(crate) const PREFIX: &str = "presence-";

/// Loaded data with the launcher of functions.
pub(super) struct LambdaEnvironment {
    pub(super) launcher: FunctionLauncher,
    orgs: Vec<Organisation>,
    /// Key of a caller of the organisation with the reviews.
    pub(super) reviews_key: String,
    /// Id of a category.
    pub(super) category: String,
    /// Id of a review, which nobody has treated at first.
    pub(super) review: String,
    /// Id of a webhook of its organisation.
    pub(super) webhook: String,
    /// Number of requests that set the state of the review, or the label of the webhook.
    pub(super) states: Cell<u64>,
    /// Version of the last request about the reply of the review.
    pub(super) reply_version: Cell<u64>,
    /// Ids of all businesses with reviews.
    businesses: Vec<String>,
    /// Key of a caller who sees the reviews of all organisations.
    pub(super) provider_key: String,
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

impl LambdaEnvironment {
    /// Loads organisations of these sizes, and a number of reviews.
    pub(super) async fn load(programs: &Path, sizes: &[usize], reviews: u64) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let dynamodb = EmbeddedDynamo::start(0, Some(&folder.path().join("data")))?;
        dynamodb.enable_bulk_loading()?;
        let url = dynamodb.endpoint_url();
        let store = Stores::new(Database::new(&sdk_config(&url), PREFIX));
        create_users_table(&url).await?;
        let stack = Stack::start(Options { dynamodb: DynamoDb::Endpoint(url.clone()), ..Options::default() }).await?;
        let orgs = load_orgs(&store, &dynamodb, sizes).await?;
        let distribution = Distribution::new(reviews);
        let reviews_key = load_reviews(&store, &dynamodb, &distribution, distribution.months()).await?;
        let category = load_categories(&store, &stack, &reviews_key).await?;
        let review = find_review(&stack, &reviews_key).await?;
        append_events(&store, distribution.org().id, &review, SystemClock.now()).await?;
        let webhook = json!({ "url": "https://example.com/events" });
        let webhook = send(&stack, "POST", "/webhooks", &reviews_key, &webhook).await?;
        let proxies = Proxies::start(&url, &stack.base_url(), folder.path()).await?;
        let launcher = FunctionLauncher {
            programs: programs.to_owned(),
            dynamodb_url: proxies.dynamodb.url(),
            ses_url: format!("{}/ses", proxies.ses.url()),
            roots: proxies.write_roots(folder.path())?,
        };
        Ok(Self {
            launcher,
            orgs,
            review,
            webhook: webhook["id"].as_str().context("a webhook")?.to_owned(),
            states: Cell::default(),
            reply_version: Cell::default(),
            reviews_key,
            category,
            businesses: distribution.businesses().iter().map(|business| business.id.as_str().to_owned()).collect(),
            provider_key: create_caller(&store, Role::Provider, 2, SystemClock.now()).await?,
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

/// Sends a request to the service of a stack. Other answers than 200 are errors.
pub(crate) async fn send(stack: &Stack, method: &str, path: &str, key: &str, body: &Value) -> anyhow::Result<Value> {
    let request = reqwest::Client::new().request(method.parse()?, format!("{}{path}", stack.base_url()));
    let request = request.header("x-api-key", key);
    let request = if body.is_null() { request } else { request.json(body) };
    let response = request.send().await?;
    let (status, text) = (response.status(), response.text().await?);
    ensure!(status == 200, "{method} {path}: {status} {text}");
    Ok(serde_json::from_str(&text)?)
}

/// Loads the reviews of each month. Returns the key of a caller who sees them.
pub(crate) async fn load_reviews(
    store: &Stores,
    dynamodb: &EmbeddedDynamo,
    distribution: &Distribution,
    months: impl Iterator<Item = Vec<Review>>,
) -> anyhow::Result<String> {
    store.businesses.put_org(&distribution.org()).await?;
    for business in distribution.businesses() {
        store.businesses.put(&business).await?;
    }
    let table = store.database.name(&schema::REVIEWS);
    let mut postings = OrgPostings::new(distribution.org().id);
    for month in months {
        for review in &month {
            postings.add(review);
        }
        let bodies: Result<Vec<_>, _> = month.iter().map(bulk_body_item).collect();
        dynamodb.import(&table, bodies?)?;
    }
    dynamodb.import_trees(&table, postings)?;
    create_caller(store, Role::OrgAdmin, distribution.org().id.get(), SystemClock.now()).await
}

/// Returns the id of one review.
async fn find_review(stack: &Stack, key: &str) -> anyhow::Result<String> {
    let reviews = send(stack, "GET", "/reviews?per_page=1&state=not_treated", key, &Value::Null).await?;
    Ok(reviews["reviews"][0]["id"].as_str().context("a review")?.to_owned())
}

/// Stores the categories. Returns the id of one of them.
pub(crate) async fn load_categories(store: &Stores, stack: &Stack, key: &str) -> anyhow::Result<String> {
    let mut import = store.categories.begin_import(false).await?;
    for line in CATEGORIES.lines() {
        let row: CategoryRow = serde_json::from_str(line)?;
        import.put(row.read().map_err(anyhow::Error::msg)?).await?;
    }
    import.publish().await?;
    let categories = send(stack, "GET", "/category/search?lang=FR&per_page=1", key, &Value::Null).await?;
    Ok(categories["categories"][0]["id"].as_str().context("a category")?.to_owned())
}
