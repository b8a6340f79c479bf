//! Bulk loading of generated users.

use std::collections::HashMap;

use anyhow::{Context as _, anyhow};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use presence_domain::audit::{Actor, AuditAction, OperatorName};
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status, User, UserChange};
use presence_local::sdk_config;
use presence_runtime::clock::{Clock as _, SystemClock};
use presence_store::schema::{self, Table};
use presence_store::{Database, NewApiKey, Stores};

use super::generated_users::generate_user;

/// Number of items in one `BatchWriteItem`: its limit.
const BATCH_ITEMS: usize = 25;
/// Number of batches in flight.
const PARALLEL_BATCHES: usize = 4;
const PREFIX: &str = "presence-";

/// Creates the tables and loads `orgs` × `users_of_each` users. Returns the key of a caller with the role: of the first
/// organisation, or of none if it is a PROVIDER.
pub(crate) async fn load(url: &str, orgs: u64, users_of_each: usize, role: Role) -> anyhow::Result<String> {
    let config = sdk_config(url);
    let (store, client) = (Stores::new(Database::new(&config, PREFIX)), Client::new(&config));
    create_users_table(url).await?;
    store.database.create_tables().await?;
    let first_numbers = (0..).step_by(users_of_each);
    let users = (1..=orgs)
        .zip(first_numbers)
        .flat_map(|(org, first)| (first..first + users_of_each).map(move |number| generate_user(number, org)));
    let items = store.users.to_items(&users.collect::<anyhow::Result<Vec<_>>>()?)?;
    let batches: Vec<Vec<_>> = items.chunks(BATCH_ITEMS).map(<[_]>::to_vec).collect();
    let writes = batches.into_iter().map(|batch| write_batch(&client, batch));
    stream::iter(writes).buffer_unordered(PARALLEL_BATCHES).try_collect::<()>().await?;
    create_caller(&store, role, 1, SystemClock.now()).await
}

/// Creates the users table without a stream: at every write to a table with one, the embedded database searches all of its
/// stream records.
pub(crate) async fn create_users_table(url: &str) -> anyhow::Result<()> {
    let table = Table { stream: None, ..schema::USERS };
    table.create(&Client::new(&sdk_config(url)), &format!("{PREFIX}users")).send().await?;
    Ok(())
}

async fn write_batch(client: &Client, items: Vec<HashMap<String, AttributeValue>>) -> anyhow::Result<()> {
    let requests = items.into_iter().map(|item| {
        let put = PutRequest::builder().set_item(Some(item)).build()?;
        Ok(WriteRequest::builder().put_request(put).build())
    });
    let requests = requests.collect::<anyhow::Result<Vec<_>>>()?;
    client.batch_write_item().request_items(format!("{PREFIX}users"), requests).send().await?;
    Ok(())
}

/// Creates an active user with a role in an organisation, or in none if it is a PROVIDER. Returns a key of the user.
pub(crate) async fn create_caller(store: &Stores, role: Role, org: u64, now: Timestamp) -> anyhow::Result<String> {
    // A number that no loaded user has: the address must be free.
    let template = generate_user(usize::MAX >> 16, org)?;
    let org_id = template.org_id.filter(|_| role != Role::Provider);
    let id = UserId::random();
    let caller = User { id, role, org_id, status: Status::Active, business_ids: Vec::new(), ..template };
    let actor = Actor::Operator(OperatorName::local("bench").context("the name of an operator")?);
    let created = store.users.write(None, &UserChange::by(&actor, AuditAction::Create, caller, now)).await;
    created.map_err(|error| anyhow!("{error:?}"))?;
    let issued = store.users.issue_key(id, &NewApiKey::default(), &actor, now).await;
    issued.map(|issued| issued.key.expose().to_owned()).ok().context("a new user can have a key")
}
