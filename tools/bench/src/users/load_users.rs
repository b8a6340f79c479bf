//! Loads many users at once.

use anyhow::{Context as _, anyhow};
use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status, User};
use presence_local::sdk_config;
use presence_runtime::clock::{Clock as _, SystemClock};
use presence_store::schema::{self, Table};
use presence_store::{Database, MailChange, NewApiKey, Stores, UserChange};

use super::generated_users::generate_user;

/// Items of one `BatchWriteItem`: its limit.
const BATCH: usize = 25;
const PREFIX: &str = "presence-";

/// Creates the tables, loads `orgs` × `users_of_each` users, and returns the key of a caller: an `ORG_ADMIN` of the first
/// organisation, or a PROVIDER.
pub(crate) async fn load(url: &str, orgs: u64, users_of_each: usize, provider: bool) -> anyhow::Result<String> {
    let config = sdk_config(url);
    let (store, client) = (Stores::new(Database::new(&config, PREFIX)), aws_sdk_dynamodb::Client::new(&config));
    // Without a stream: the embedded database searches all stream records at every write to a table that has one.
    let users = Table { stream: false, ..schema::USERS };
    users.create(&client, &format!("{PREFIX}users")).send().await?;
    store.database.create_tables().await?;
    let numbers = (1..=orgs)
        .zip((0..).step_by(users_of_each))
        .flat_map(|(org, first)| (first..first + users_of_each).map(move |n| (org, n)));
    let people = numbers.map(|(org, n)| generate_user(n, org));
    let people = people.collect::<anyhow::Result<Vec<_>>>()?;
    let items = store.users.to_items(&people)?;
    let batches: Vec<Vec<_>> = items.chunks(BATCH).map(<[_]>::to_vec).collect();
    let writes = batches.into_iter().map(|batch| {
        let client = client.clone();
        async move {
            let requests = batch.into_iter().map(|item| {
                let put = PutRequest::builder().set_item(Some(item)).build()?;
                Ok(WriteRequest::builder().put_request(put).build())
            });
            let requests = requests.collect::<anyhow::Result<Vec<_>>>()?;
            client.batch_write_item().request_items(format!("{PREFIX}users"), requests).send().await?;
            anyhow::Ok(())
        }
    });
    stream::iter(writes).buffer_unordered(4).try_collect::<()>().await?;
    let role = if provider { Role::Provider } else { Role::OrgAdmin };
    create_caller(&store, role, 1, SystemClock.now()).await
}

/// Adds a user of a role to an organisation (a PROVIDER to none), and returns a key of theirs.
pub(crate) async fn create_caller(store: &Stores, role: Role, org: u64, now: Timestamp) -> anyhow::Result<String> {
    let any = generate_user(usize::MAX >> 16, org)?;
    let org_id = any.org_id.filter(|_| role != Role::Provider);
    let caller = User { id: UserId::random(), role, org_id, status: Status::Active, business_ids: Vec::new(), ..any };
    let change = UserChange { before: None, after: Some(&caller), mail: MailChange::Keep, keep_an_admin: false, now };
    store.users.write(change).await.map_err(|refused| anyhow!("{refused:?}"))?;
    let issued = store.users.issue_key(caller.id, &NewApiKey::default(), now).await;
    issued.map(|issued| issued.key.expose().to_owned()).ok().context("a fresh user can have a key")
}
