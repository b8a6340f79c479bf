//! Data that makes requests costly: long names that folding makes longer, users with many businesses, reviews with long texts.

use anyhow::{Context as _, anyhow};
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use fastrand::Rng;
use jiff::Timestamp;
use presence_domain::audit::{Actor, OperatorName};
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::review::Review;
use presence_domain::user::{PersonName, Role, Status, User};
use presence_domain::webhook::{Attempt, DeliveryState, WebhookId};
use presence_local::embedded::EmbeddedDynamo;
use presence_local::{DynamoDb, Options, Stack, sdk_config};
use presence_runtime::clock::{Clock as _, SystemClock};
use presence_store::{Business, Database, NewApiKey, Stores, schema};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::candidate::{FRESH, KnownValues};
use super::{Settings, texts};
use crate::distribution::{CITIES_BY_SIZE, Distribution};
use crate::feed_events::append_events;
use crate::lambda::environment::{PREFIX, load_categories, load_reviews, send};
use crate::lambda::generated_users::generate_user;
use crate::lambda::organisation::create_caller;
use crate::lambda::small_orgs::SmallOrgs;
use crate::review_database::PATIENCE;

/// One in so many users has hostile names and many businesses.
const HOSTILE_ONE_IN: usize = 5;
/// Number of businesses of a hostile user. A page of a hundred of them has 2 MB.
const USER_BUSINESSES: usize = 500;
/// Number of businesses of the `BUSINESS_MANAGER` who calls.
const MANAGER_BUSINESSES: usize = 500;
/// Longest name of a hostile business. There are as many of them as hostile users.
const BUSINESS_CHARS: usize = 255;
/// Number of the newest reviews that have long texts, and characters of each. A page of a hundred of them is close to 6 MB.
const LONG_REVIEWS: usize = 120;
const REVIEW_CHARS: usize = 20_000;
/// Receiver of the webhooks, where nobody listens.
const RECEIVER: &str = "http://127.0.0.1:1024/hook";
/// Numbers of deliveries to a webhook, and of attempts at each. A page is full.
const DELIVERIES: u64 = 101;
const ATTEMPTS: u64 = 10;

/// Loaded database. Its callers see one organisation with all data; a PROVIDER sees many more.
pub(super) struct HostileDatabase {
    /// Service that prepares what requests change.
    pub(super) stack: Stack,
    /// Options and database of the functions under test.
    pub(super) options: Options,
    pub(super) stores: Stores,
    /// Name and key of each caller.
    pub(super) callers: Vec<(&'static str, String)>,
    pub(super) users: Vec<NamedUsers>,
    /// Webhook with deliveries.
    pub(super) webhook: String,
    pub(super) known: KnownValues,
    // Dropped last: the database, then its file.
    _dynamodb: EmbeddedDynamo,
    _folder: TempDir,
}

/// Users that requests name. A request of one kind does not change the users of another.
pub(super) struct NamedUsers {
    /// User that is invited at first, and then changed.
    pub(super) changed: UserId,
    pub(super) kept: UserId,
    pub(super) deleted: UserId,
}

impl HostileDatabase {
    pub(super) async fn load(settings: &Settings, rng: &mut Rng) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let dynamodb = EmbeddedDynamo::start(0, Some(&folder.path().join("data")))?;
        dynamodb.enable_bulk_loading()?;
        let url = dynamodb.endpoint_url();
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(PATIENCE).operation_timeout(PATIENCE).build();
        let options = Options {
            dynamodb: DynamoDb::Endpoint(url.clone()),
            timeouts: Some(timeouts.clone()),
            function_timeout: PATIENCE,
            ..Options::default()
        };
        let stack = Stack::start(options.clone()).await?;
        let config = sdk_config(&url).into_builder().timeout_config(timeouts).build();
        let stores = Stores::new(Database::new(&config, PREFIX));
        let (distribution, now) = (Distribution::new(settings.reviews), SystemClock.now());
        let businesses: Vec<_> = distribution.businesses().into_iter().map(|business| business.id).collect();
        let org = distribution.org().id;
        let users = users(rng, settings.users, org.get(), &businesses)?;
        dynamodb.import(&stores.database.name(&schema::USERS), stores.users.to_items(&users)?)?;
        let business_names = put_businesses(rng, &stores, org, settings.users / HOSTILE_ONE_IN).await?;
        let (months, reviews) = reviews(rng, &distribution);
        let admin = load_reviews(&stores, &dynamodb, &distribution, months.into_iter()).await?;
        let category = load_categories(&stores, &stack, &admin).await?;
        SmallOrgs::new(stores.clone()).load(&dynamodb, settings.orgs)?;
        append_events(&stores, org, reviews[0].as_str().context("a review")?, now).await?;
        let webhook = webhook(&stack, &stores, &admin, now).await?;
        let provider = create_caller(&stores, Role::Provider, 2, now).await?;
        let manager = only_key(&stores, users[0].id).await?.0;
        let mut known = known(org.get(), &users, business_names);
        known.insert("business__in", businesses.iter().map(|id| id.as_str().into()).collect());
        known.insert("business_ids", known["business__in"].clone());
        known.insert("categoryId", vec![category.into()]);
        known.insert("review_id", reviews);
        let hostile: Vec<_> = hostile(&users).map(|user| user.id).collect();
        let named = |ids: &[UserId; 3]| NamedUsers { changed: ids[0], kept: ids[1], deleted: ids[2] };
        let users = hostile.as_chunks().0.iter().map(named).collect();
        let callers = vec![("ORG_ADMIN", admin), ("PROVIDER", provider), ("BUSINESS_MANAGER", manager)];
        Ok(Self { stack, options, stores, callers, users, webhook, known, _dynamodb: dynamodb, _folder: folder })
    }
}

/// Issues a key of a user, and revokes all earlier ones: there may be five. Returns the key and its id.
pub(super) async fn only_key(stores: &Stores, user: UserId) -> anyhow::Result<(String, String)> {
    let (users, now) = (&stores.users, SystemClock.now());
    let actor = Actor::Operator(OperatorName::local("bench").context("the name of an operator")?);
    let failed = |error| anyhow!("{error:?}");
    for key in users.list_keys(user).await?.unwrap_or_default() {
        users.revoke_key(key.id(), &actor, now).await.map_err(failed)?;
    }
    let issued = users.issue_key(user, &NewApiKey::default(), &actor, now).await.map_err(failed)?;
    Ok((issued.key.expose().to_owned(), issued.id.to_string()))
}

/// Generates the users. The first one is an active `BUSINESS_MANAGER` of many businesses with reviews.
fn users(rng: &mut Rng, count: usize, org: u64, businesses: &[BusinessId]) -> anyhow::Result<Vec<User>> {
    let of_users: Vec<_> = (0..USER_BUSINESSES)
        .filter_map(|number| BusinessId::parse(&format!("0b8e5c1a-7d2f-4a93-9c46-{number:012x}")))
        .collect();
    let mut name = || PersonName::parse(&texts::random(rng, PersonName::MAX_CHARS)).ok();
    let mut users: Vec<_> = (0..count).map(|number| generate_user(number, org)).collect::<anyhow::Result<_>>()?;
    for (number, user) in users.iter_mut().skip(1).step_by(HOSTILE_ONE_IN).enumerate() {
        user.status = if number % 3 == 0 { Status::Invited } else { Status::Active };
        user.first_name = name().unwrap_or_else(|| user.first_name.clone());
        user.last_name = name().unwrap_or_else(|| user.last_name.clone());
        user.business_ids.clone_from(&of_users);
    }
    let manager = users.first_mut().context("a user")?;
    manager.status = Status::Active;
    manager.business_ids = businesses[..MANAGER_BUSINESSES].to_vec();
    Ok(users)
}

/// Stores businesses with hostile names in an organisation. Returns the first names.
async fn put_businesses(rng: &mut Rng, stores: &Stores, org_id: OrgId, count: usize) -> anyhow::Result<Vec<Value>> {
    let mut text = || texts::random(rng, BUSINESS_CHARS);
    let business = |number: usize| {
        Some(Business { id: BusinessId::parse(&format!("hostile-{number}"))?, org_id, name: text(), city: text() })
    };
    let businesses: Vec<_> = (0..count).filter_map(business).collect();
    futures::future::try_join_all(businesses.iter().map(|business| stores.businesses.put(business))).await?;
    Ok(businesses.into_iter().take(20).map(|business| business.name.into()).collect())
}

/// Generates the reviews of each month, and returns the ids of the newest ones, which have long texts.
fn reviews(rng: &mut Rng, distribution: &Distribution) -> (Vec<Vec<Review>>, Vec<Value>) {
    let mut months: Vec<_> = distribution.months().collect();
    let mut ids = Vec::new();
    for review in months.iter_mut().flatten().rev().take(LONG_REVIEWS) {
        review.content = Some(texts::random(rng, REVIEW_CHARS));
        ids.push(review.id.as_str().into());
    }
    (months, ids)
}

/// Makes a webhook with many deliveries. Returns its id.
async fn webhook(stack: &Stack, stores: &Stores, key: &str, now: Timestamp) -> anyhow::Result<String> {
    let text = create_webhook(stack, key).await?;
    let id = WebhookId::parse(&text).context("an id")?;
    for (number, attempt) in (1..=DELIVERIES).flat_map(|number| (0..ATTEMPTS).map(move |attempt| (number, attempt))) {
        let attempt = Attempt {
            number,
            event_id: format!("event-{number}"),
            kind: "review.updated".to_owned(),
            at: now + jiff::SignedDuration::from_millis(i64::try_from(attempt)?),
            status: None,
            milliseconds: 10_000,
            error: Some("no answer within ten seconds".to_owned()),
            state: DeliveryState::Waiting,
        };
        stores.webhooks.record_attempt(id, &attempt).await?;
    }
    Ok(text)
}

/// Creates a webhook of the caller's organisation. Returns its id.
pub(super) async fn create_webhook(stack: &Stack, key: &str) -> anyhow::Result<String> {
    let created = send(stack, "POST", "/webhooks", key, &json!({ "url": RECEIVER })).await?;
    created["id"].as_str().map(str::to_owned).context("an id")
}

/// Returns the users with hostile names.
fn hostile(users: &[User]) -> impl Iterator<Item = &User> {
    users.iter().skip(1).step_by(HOSTILE_ONE_IN)
}

/// Returns values of the data, by the name of the field.
fn known(org: u64, users: &[User], business_names: Vec<Value>) -> KnownValues {
    let texts = |texts: &[&str]| texts.iter().copied().map(Value::from).collect::<Vec<_>>();
    let cities = texts(&CITIES_BY_SIZE);
    let days = texts(&["2021-01-01", "2023-06-01T12:00:00Z", "2025-12-31"]);
    let names = hostile(users).take(20).flat_map(|user| [&user.last_name, &user.first_name]);
    let names: Vec<Value> = names.map(|name| name.as_str().into()).collect();
    let cursors = texts(&[&format!("{org}-0"), &format!("{org}-5"), "none-0"]);
    KnownValues::from([
        ("business_city", cities.clone()),
        ("city", cities),
        ("update_date__gte", days.clone()),
        ("update_date__lte", days),
        ("expires_at", texts(&["2030-01-01"])),
        ("query", [names.clone(), business_names].concat()),
        ("last_name", names),
        ("email", texts(&[&format!("{FRESH}@bench.example"), users[2].email.as_str()])),
        ("Idempotency-Key", texts(&[FRESH])),
        ("lang", texts(&["FR", "en", "pt-BR"])),
        ("url", texts(&[RECEIVER])),
        ("allowed_networks", texts(&["203.0.113.0/24", "2001:db8::/32", "192.0.2.7/32"])),
        ("phone", texts(&["+33 1 23 45 67 89"])),
        ("after", cursors),
        ("org_id", vec![json!(org), json!(200_001)]),
    ])
}
