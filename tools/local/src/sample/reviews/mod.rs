//! The reviews of the sample, and the two ways of loading them.

mod deal;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Day, Month};
use presence_domain::review::Review;
use presence_store::{Business, Store};
use tokio::task::JoinHandle;

use crate::embedded::EmbeddedDynamo;

/// Months written side by side: each has tallies of its own, and transactions that meet are refused.
const WORKERS: usize = 16;

/// Begins to make the reviews of these businesses, beside what else is done.
pub(super) fn begin(businesses: Vec<Business>) -> JoinHandle<anyhow::Result<Vec<Review>>> {
    tokio::task::spawn_blocking(move || write::reviews(&businesses))
}

/// Loads the reviews: at once where nothing but this process holds the table and it has no reviews,
/// else each with what counts it beside what is there already.
pub(super) async fn load(store: &Store, embedded: Option<&EmbeddedDynamo>, reviews: Vec<Review>) -> anyhow::Result<()> {
    match embedded {
        Some(embedded) if store.orgs_with_reviews().await?.is_empty() => embedded.fill_reviews(store, &reviews),
        _ => put(store, reviews).await,
    }
}

/// By the way of an import: what is there already, of an interrupted start too, is neither lost nor counted twice. A batch
/// of the finished items would be quicker, but would write over the tallies of reviews that are not the sample's.
async fn put(store: &Store, reviews: Vec<Review>) -> anyhow::Result<()> {
    let orgs: BTreeSet<OrgId> = reviews.iter().map(|review| review.org_id).collect();
    for org in orgs {
        store.register_org_with_reviews(org).await?;
    }
    let mut months: BTreeMap<(OrgId, Month), Vec<Review>> = BTreeMap::new();
    for review in reviews {
        months.entry((review.org_id, Day::of(review.effective_at()).month())).or_default().push(review);
    }
    let writes = months.into_values().map(|month| async move { store.upsert_reviews(&month).await.map(|_| ()) });
    Ok(stream::iter(writes).buffer_unordered(WORKERS).try_collect().await?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::sample::rows;
    use crate::stack::sdk_config;

    /// Enough to meet in days and cells.
    const SOME: usize = 200;

    async fn table(database: &EmbeddedDynamo, store: &Store) -> Vec<BTreeMap<String, String>> {
        let client = aws_sdk_dynamodb::Client::new(&sdk_config(&database.endpoint_url()));
        let scan = client.scan().table_name(store.name(&presence_store::schema::REVIEWS));
        let mut pages = scan.into_paginator().items().send();
        let mut items = Vec::new();
        while let Some(item) = pages.next().await {
            let item = item.expect("DynamoDB answers");
            items.push(item.into_iter().map(|(name, value)| (name, format!("{value:?}"))).collect());
        }
        items.sort();
        items
    }

    #[tokio::test]
    async fn both_ways_of_loading_end_in_the_same_table_and_loading_again_changes_nothing() {
        let database = EmbeddedDynamo::start(0, None).expect("starts");
        let config = sdk_config(&database.endpoint_url());
        let [filled, posted, both] = ["filled-", "posted-", "both-"].map(|prefix| Store::new(&config, prefix));
        let mut reviews = write::reviews(&rows::businesses().expect("businesses")).expect("reviews");
        reviews.truncate(SOME);
        for store in [&filled, &posted, &both] {
            store.create_tables().await.expect("tables");
        }
        load(&filled, Some(&database), reviews.clone()).await.expect("filled");
        load(&posted, None, reviews.clone()).await.expect("posted");
        let wanted = table(&database, &filled).await;
        assert_eq!(wanted, table(&database, &posted).await);
        load(&filled, Some(&database), reviews.clone()).await.expect("loaded again");
        assert_eq!(wanted, table(&database, &filled).await);
        let rest = reviews.split_off(SOME / 2);
        load(&both, Some(&database), reviews).await.expect("filled");
        load(&both, Some(&database), rest).await.expect("posted beside them");
        assert_eq!(wanted, table(&database, &both).await);
    }
}
