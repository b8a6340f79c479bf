//! Sample data that looks real, and a key for each role.

mod demo;
mod reviews;
mod rows;

use anyhow::anyhow;
use jiff::Timestamp;
use presence_domain::access::Scope;
use presence_domain::category::CategoryRow;
use presence_domain::user::User;
use presence_store::{MailChange, Refused, Store, UserChange};

use crate::embedded::EmbeddedDynamo;
pub use demo::DemoKeys;

const CATEGORIES: &str = include_str!("../../sample/categories.jsonl");

/// Loads the sample where there are no users yet, and issues demo keys: fresh ones, or those that are the same at every start.
/// `embedded` is the database of the store, where it is embedded.
pub(crate) async fn load(
    store: &Store,
    embedded: Option<&EmbeddedDynamo>,
    is_fixed: bool,
    now: Timestamp,
) -> anyhow::Result<DemoKeys> {
    if store.count_users(Scope::for_operator()).await?.count() == 0 {
        load_all(store, embedded, now).await?;
    }
    demo::keys(store, is_fixed, now).await
}

/// Users come last: a start that was interrupted before them is done again by the next one.
async fn load_all(store: &Store, embedded: Option<&EmbeddedDynamo>, now: Timestamp) -> anyhow::Result<()> {
    let businesses = rows::businesses()?;
    let reviews = reviews::begin(businesses.clone());
    for org in rows::orgs()? {
        store.put_org(&org).await?;
    }
    for business in &businesses {
        store.put_business(business).await?;
    }
    load_categories(store).await?;
    reviews::load(store, embedded, reviews.await??).await?;
    for user in rows::users()? {
        write(store, &user, now).await?;
    }
    Ok(())
}

async fn load_categories(store: &Store) -> anyhow::Result<()> {
    let mut import = store.begin_category_import(false).await?;
    for row in rows::rows::<CategoryRow>(CATEGORIES) {
        import.put(row?.read().map_err(|text| anyhow!("sample category: {text}"))?).await?;
    }
    Ok(import.publish().await?)
}

async fn write(store: &Store, user: &User, now: Timestamp) -> anyhow::Result<()> {
    let change = UserChange { before: None, after: Some(user), mail: MailChange::Keep, keep_an_admin: false, now };
    match store.write_user(change).await {
        Ok(()) => Ok(()),
        Err(Refused::Failed(error)) => Err(error.into()),
        Err(refused) => Err(anyhow!("a sample user was refused: {refused:?}")),
    }
}
