//! Reviews of an organisation as `listing-index` lists them, in the order of time, slice by slice.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::client::read::{Consistency, Item, Order, Partition, number, pk_sk};
use crate::keys::{REVIEW_SK, effective_between, effective_listing, parse_effective_listing, review_pk};
use crate::reviews::body_item::review_from_item;
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::ReviewId;
use presence_domain::text::city_key;
use presence_ledger::audit::{Auditor, FiledReview, FiledReviews, Slice};
use presence_ledger::table::Answer;
use presence_ledger::{PostingKey, ReviewNumber};

/// Reviews in one page of a Query. DynamoDB ends a page at 1 MB, some 1,700 reviews.
const PAGE: i32 = 2_000;
/// Maximum number of reviews whose texts are in memory at a time while they are read one by one.
const REVIEWS_AT_ONCE: usize = 1_000;

impl FiledReviews for ReviewStore {
    fn list_slice(&self, org_id: OrgId, from: PostingKey, reviews: usize) -> Answer<'_, Slice> {
        self.list_slice(org_id, from, reviews).boxed()
    }

    fn list_range(&self, org_id: OrgId, keys: Range<PostingKey>) -> Answer<'_, Slice> {
        self.list_range(org_id, keys).boxed()
    }

    fn get_filed<'a>(&'a self, ids: &'a [ReviewNumber]) -> Answer<'a, Vec<FiledReview>> {
        self.get_filed_reviews(ids).boxed()
    }

    fn list_businesses(&self, org_id: OrgId) -> Answer<'_, Vec<(BusinessId, String)>> {
        async move {
            let (listed, moves) = futures::try_join!(self.businesses.list_by_org(org_id), self.unfinished_moves())?;
            let listed = listed.into_iter().map(|(business_id, location)| (business_id, location.city_key));
            let leaving =
                moves.leaving(org_id).map(|(business_id, city_key)| (business_id.clone(), city_key.to_owned()));
            Ok(listed.chain(leaving).collect())
        }
        .boxed()
    }

    fn current_businesses(&self, org_id: OrgId) -> Answer<'_, Vec<(BusinessId, Option<String>)>> {
        async move {
            let current = self.businesses.current_businesses(&[org_id]).await?.into_iter().flatten();
            let moves = self.unfinished_moves().await?;
            let leaving: BTreeSet<&BusinessId> = moves.leaving(org_id).map(|(business_id, _)| business_id).collect();
            let staying = current.filter(|business| !leaving.contains(&business.id));
            let mut all: Vec<_> = staying.map(|business| (business.id, Some(city_key(&business.city)))).collect();
            all.extend(leaving.iter().map(|business_id| ((*business_id).clone(), None)));
            Ok(all)
        }
        .boxed()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.db.sleep(time).boxed()
    }
}

impl ReviewStore {
    /// Returns the auditor of the trees.
    pub(super) fn auditor(&self) -> Auditor<'_> {
        Auditor::new(&self.logs, &self.trees, self)
    }

    /// Lists the reviews from a key on, up to some number and the rest of its page. The last slice ends behind every key.
    pub(crate) async fn list_slice(&self, org_id: OrgId, from: PostingKey, reviews: usize) -> Result<Slice, Error> {
        let partition = partition(org_id, &(from..PostingKey::END));
        let (mut listed, mut start) = (Vec::new(), None);
        loop {
            let (page, next) = self.query_listing(&partition, start).await?;
            let last = page.last().and_then(listed_key);
            listed.extend(read_page(page)?);
            start = next;
            if start.is_none() {
                return Ok(Slice { org_id, keys: from..PostingKey::END, listed });
            }
            if let Some(last) = last.filter(|_| listed.len() >= reviews) {
                return Ok(Slice { org_id, keys: from..next_key(last), listed });
            }
        }
    }

    /// Lists the reviews in a range of keys.
    pub(crate) async fn list_range(&self, org_id: OrgId, keys: Range<PostingKey>) -> Result<Slice, Error> {
        let partition = partition(org_id, &keys);
        let (mut listed, mut start) = (Vec::new(), None);
        loop {
            let (page, next) = self.query_listing(&partition, start).await?;
            listed.extend(read_page(page)?);
            start = next;
            if start.is_none() {
                return Ok(Slice { org_id, keys, listed });
            }
        }
    }

    /// Returns the reviews with these numbers that exist, by strong reads. Their texts are dropped at once.
    pub(crate) async fn get_filed_reviews(&self, ids: &[ReviewNumber]) -> Result<Vec<FiledReview>, Error> {
        let mut reviews = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(REVIEWS_AT_ONCE) {
            let ids = chunk.iter().filter_map(|id| id.to_id());
            let keys = ids.map(|id: ReviewId| pk_sk(review_pk(&id), REVIEW_SK)).collect();
            reviews.extend(read_page(self.db.get_batch(&schema::REVIEWS, keys, &[]).await?)?);
        }
        Ok(reviews)
    }

    async fn query_listing(
        &self,
        partition: &Partition<'_>,
        start: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        self.db.query_page_with(partition, start, Consistency::Eventual, Order::Ascending).await
    }
}

/// Returns the query of the reviews in a range of keys.
pub(crate) fn partition(org_id: OrgId, keys: &Range<PostingKey>) -> Partition<'static> {
    // `~` sorts after every digit.
    let last = if keys.end == PostingKey::END { "~".to_owned() } else { sort_key(keys.end) };
    Partition {
        table: &schema::REVIEWS,
        index: Some(&schema::LISTING_INDEX),
        value: number(org_id.get()),
        between: Some((sort_key(keys.start), last)),
        page: PAGE,
        // Callers read page by page, until their slice is full or the partition ends.
        max_pages: usize::MAX,
    }
}

/// Returns the sort key of `listing-index` at which a range begins or ends.
fn sort_key(key: PostingKey) -> String {
    if key == PostingKey::FIRST {
        // No sort key is before this one. The second of the first key is no instant, and has no text.
        return "0".to_owned();
    }
    match key.id.to_id() {
        Some(id) => effective_listing(key.effective_at, &id),
        // A number above that of every id: behind all reviews of the second.
        None => effective_between(None, Some(key.effective_at)).map_or_else(|| "~".to_owned(), |(_, last)| last),
    }
}

/// Returns the key by which the index lists an item.
pub(crate) fn listed_key(item: &Item) -> Option<PostingKey> {
    let (effective_at, id) = parse_effective_listing(item.get("effective_listing")?.as_s().ok()?)?;
    Some(PostingKey { effective_at, id: ReviewNumber::of(&id) })
}

/// Returns the first key behind a key.
pub(crate) fn next_key(key: PostingKey) -> PostingKey {
    PostingKey { id: ReviewNumber::new(key.id.get().saturating_add(1)), ..key }
}

fn read_page(items: Vec<Item>) -> Result<Vec<FiledReview>, Error> {
    items.into_iter().map(|item| Ok(FiledReview::of(&review_from_item(&item)?))).collect()
}
