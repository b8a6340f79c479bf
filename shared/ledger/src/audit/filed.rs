//! Reviews as an audit knows them: everything by which trees file them.

use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::table::Answer;
use crate::{Place, Posting, PostingKey, ReviewNumber, ReviewSet};
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::Review;

/// Calls of an audit beside those of the ledger's table.
pub trait FiledReviews: Debug + Sync {
    /// Lists the reviews of an organisation from a key on, up to some number and the rest of its page, by an index that lags. The last
    /// slice ends behind every key.
    fn list_slice(&self, org_id: OrgId, from: PostingKey, reviews: usize) -> Answer<'_, Slice>;

    /// Lists the reviews of an organisation in a range of keys, by an index that lags.
    fn list_range(&self, org_id: OrgId, keys: Range<PostingKey>) -> Answer<'_, Slice>;

    /// Returns the reviews with these numbers that exist, by strong reads.
    fn get_filed<'a>(&'a self, ids: &'a [ReviewNumber]) -> Answer<'a, Vec<FiledReview>>;

    /// Lists the businesses of an organisation with their cities, by an index that lags, and those that are leaving with the cities that they
    /// left.
    fn list_businesses(&self, org_id: OrgId) -> Answer<'_, Vec<(BusinessId, String)>>;

    /// Returns all businesses that may have reviews in an organisation, with their cities; `None` for one that is leaving, which may have
    /// reviews in several.
    fn current_businesses(&self, org_id: OrgId) -> Answer<'_, Vec<(BusinessId, Option<String>)>>;

    /// Waits.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;
}

/// Everything by which trees file a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiledReview {
    /// Number of the review.
    pub id: ReviewNumber,
    /// Version of the review.
    pub version: u64,
    /// Organisation that has the review.
    pub org_id: OrgId,
    /// Its place there.
    pub place: Place,
}

/// Reviews of an organisation in a range of keys, as the index lists them. The index lags.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Organisation.
    pub org_id: OrgId,
    /// Range of keys.
    pub keys: Range<PostingKey>,
    /// Reviews that are listed.
    pub listed: Vec<FiledReview>,
}

impl FiledReview {
    /// Returns what trees know of a review.
    pub fn of(review: &Review) -> Self {
        let (id, place) = (ReviewNumber::of(&review.id), Place::of(review));
        Self { id, version: review.version, org_id: review.org_id, place }
    }

    /// Returns the posting of the review in every tree that counts it.
    pub fn posting(&self) -> Posting {
        let key = PostingKey { effective_at: self.place.effective_at, id: self.id };
        Posting { key, facet_key: self.place.facet_key, version: self.version }
    }

    /// Returns the sets that count the review.
    pub fn sets(&self) -> [ReviewSet; 3] {
        self.place.sets(self.org_id)
    }

    /// Returns the id of the business.
    pub fn business_id(&self) -> &BusinessId {
        &self.place.business_id
    }
}

impl Slice {
    /// True if no later slice follows.
    pub fn is_last(&self) -> bool {
        self.keys.end == PostingKey::END
    }
}
