//! Sample reviews, and the two ways to load them: as finished items, or through the store.

mod generate;
mod pick_text;

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use presence_domain::calendar::{Day, Month};
use presence_domain::ids::OrgId;
use presence_domain::review::Review;
use presence_ledger::tree::FACETS_FROM;
use presence_store::{Business, Stores};
use tokio::task::JoinHandle;

use crate::embedded::EmbeddedDynamo;

/// Number of months written at the same time. Months have separate counts, so their transactions never conflict.
const WORKERS: usize = 16;

/// Generates the reviews on another thread, while the rest of the sample is loaded.
pub(super) fn spawn_generation(businesses: Vec<Business>) -> JoinHandle<anyhow::Result<Vec<Review>>> {
    tokio::task::spawn_blocking(move || generate::generate_reviews(&businesses))
}

/// Loads the reviews. An empty embedded table is filled at once; any other one gets them through the store.
pub(super) async fn load(
    store: &Stores,
    embedded: Option<&EmbeddedDynamo>,
    reviews: Vec<Review>,
) -> anyhow::Result<()> {
    match embedded {
        Some(embedded) if store.reviews.orgs_with_reviews().await?.is_empty() => {
            embedded.fill_reviews(store, &reviews, FACETS_FROM)
        }
        _ => put_reviews(store, reviews).await,
    }
}

/// Writes the reviews as an import does.
///
/// Reviews of an interrupted start are neither lost nor counted twice. A batch of finished items would be faster, but would
/// overwrite the counts of reviews that are not from the sample.
async fn put_reviews(store: &Stores, reviews: Vec<Review>) -> anyhow::Result<()> {
    let orgs: BTreeSet<OrgId> = reviews.iter().map(|review| review.org_id).collect();
    for org in orgs {
        store.reviews.register_org_with_reviews(org).await?;
    }
    let mut months: BTreeMap<(OrgId, Month), Vec<Review>> = BTreeMap::new();
    for review in reviews {
        months.entry((review.org_id, Day::of(review.effective_at()).month())).or_default().push(review);
    }
    let writes =
        months.into_values().map(|month| async move { store.reviews.upsert_reviews(&month).await.map(|_| ()) });
    Ok(stream::iter(writes).buffer_unordered(WORKERS).try_collect().await?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use presence_store::Database;

    use super::*;
    use crate::sample::rows;
    use crate::stack::sdk_config;

    /// Number of reviews: enough that some share a day and a count.
    const REVIEWS: usize = 200;

    /// Returns the reviews among the items of a table. Those of the trees depend on the order of writes.
    fn bodies(items: &[BTreeMap<String, String>]) -> Vec<&BTreeMap<String, String>> {
        items.iter().filter(|item| item.contains_key("version")).collect()
    }

    /// Checks that every tree of a store counts its reviews.
    async fn assert_trees_are_right(store: &Stores) {
        let audit = store.reviews.audit_reviews(None).await.expect("the store answers");
        // The businesses of the sample are not loaded here, which is a finding for each review.
        let of_trees: Vec<_> =
            audit.findings.iter().filter(|finding| !finding.subject.starts_with("review ")).collect();
        assert_eq!((audit.reviews, of_trees), (REVIEWS, vec![]));
    }

    async fn scan_reviews(database: &EmbeddedDynamo, store: &Stores) -> Vec<BTreeMap<String, String>> {
        let client = aws_sdk_dynamodb::Client::new(&sdk_config(&database.endpoint_url()));
        let scan = client.scan().table_name(store.database.name(&presence_store::schema::REVIEWS));
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
    async fn both_ways_of_loading_make_the_same_reviews_and_loading_again_changes_nothing() {
        let database = EmbeddedDynamo::start(0, None).expect("starts");
        let config = sdk_config(&database.endpoint_url());
        let [filled, written, both] =
            ["filled-", "written-", "both-"].map(|prefix| Stores::new(Database::new(&config, prefix)));
        let mut reviews = generate::generate_reviews(&rows::businesses().expect("businesses")).expect("reviews");
        reviews.truncate(REVIEWS);
        for store in [&filled, &written, &both] {
            store.database.create_tables().await.expect("tables");
        }
        load(&filled, Some(&database), reviews.clone()).await.expect("filled");
        load(&written, None, reviews.clone()).await.expect("written");
        let expected = scan_reviews(&database, &filled).await;
        assert_eq!(bodies(&expected), bodies(&scan_reviews(&database, &written).await));
        load(&filled, Some(&database), reviews.clone()).await.expect("loaded again");
        assert_eq!(expected, scan_reviews(&database, &filled).await);
        let rest = reviews.split_off(REVIEWS / 2);
        load(&both, Some(&database), reviews).await.expect("filled");
        load(&both, Some(&database), rest).await.expect("written beside them");
        assert_eq!(bodies(&expected), bodies(&scan_reviews(&database, &both).await));
        for store in [&filled, &written, &both] {
            assert_trees_are_right(store).await;
        }
    }
}
