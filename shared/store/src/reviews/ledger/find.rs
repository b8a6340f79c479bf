//! Search of reviews by the ledger: exact count and any page, in at most four waves of reads.
//!
//! 1. Read the facet counts of all months in the range. If the range begins or ends within a month, read the counts of that
//!    month's days; if it begins or ends within a day, read that day's postings.
//! 2. Sum the counts: that is the number of matches. Walk the months in the order of the answer to find those that hold the
//!    page. Read the counts of their days, or all their postings if that is no more expensive.
//! 3. Walk the days likewise, and read the postings of those that hold the page.
//! 4. Cut the page out of the postings, and read its reviews.
//!
//! The reads of a search are no snapshot: a review may be written between two of them. Everything that is read must add up
//! to the month counts, which come from a single read. If it does not, the search is done once more.
//!
//! Only posting reads grow with the data: 16 bytes for each matching review of the days that are read. These are the two
//! days at the ends of the range and the days that the page touches, four at most unless days are sparse. Up to some 25,000
//! reviews on these days a search stays below 151 read units. Up to 60,000 reviews of one day fit into one page of a Query;
//! more are one wave more.

use std::collections::HashSet;

use super::buckets::{Bucket, PageBuckets, Span, merge_buckets, sort_buckets};
use super::item::Posting;
use super::read_costs::{is_whole_month_cheaper, runs_to_read};
use crate::ReviewStore;
use crate::client::parallel::parallel;
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::instant::{FIRST_SECOND, LAST_SECOND, is_empty_range};
use presence_domain::ledger::{Day, FacetKey, FacetMask, Month, ReviewSet};
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::{Review, ReviewId};
use presence_runtime::telemetry::{Metric, log_metric};

/// Maximum number of reads at a time. Each of the 100 reviews of the largest page may lie on a day of its own. A PROVIDER's
/// search reads the counts of every organisation.
pub(super) const READS_IN_FLIGHT: u16 = 128;

/// A search of reviews in given review sets.
#[derive(Clone, Debug)]
pub struct ReviewQuery {
    /// Review sets to search; no review may be in two of them.
    pub sets: Vec<ReviewSet>,
    /// Facets that match.
    pub mask: FacetMask,
    /// First effective second since 1970 that matches.
    pub from: Option<i64>,
    /// Last effective second since 1970 that matches.
    pub to: Option<i64>,
    /// True for newest first, then id descending; false for the exact reverse.
    pub newest_first: bool,
    /// Page to return.
    pub page: PageRequest,
}

impl ReviewQuery {
    /// True if the review matches.
    fn admits(&self, review: &Review) -> bool {
        let effective_at = review.effective_at();
        self.mask.contains(FacetKey::of(review))
            && self.from.is_none_or(|from| from <= effective_at)
            && self.to.is_none_or(|to| effective_at <= to)
            && ReviewSet::containing(review).iter().any(|set| self.sets.contains(set))
    }
}

impl ReviewStore {
    /// Returns one page of the matching reviews in the scope, and their number. Sets outside the scope match nothing.
    pub async fn find_reviews(&self, scope: Scope, query: &ReviewQuery) -> Result<Page<Review>, Error> {
        let mut query = query.clone();
        query.sets.retain(|set| scope.covers(Some(set.org_id())));
        if query.mask.is_empty() || query.sets.is_empty() || is_empty_range(query.from, query.to) {
            return Ok(Page { request: query.page, count: 0, items: Vec::new() });
        }
        // An end that excludes no review is left open: otherwise it could make a month partial, which costs more reads.
        query.from = query.from.filter(|from| *from > FIRST_SECOND);
        query.to = query.to.filter(|to| *to < LAST_SECOND);
        let mut found = Search::new(self, &query).run().await?;
        if found.has_drift {
            // Most often a write came in between. A second search most often meets none.
            found = Search::new(self, &query).run().await?;
        }
        if found.has_drift {
            tracing::warn!(books = query.sets.len(), "ledger drift");
            log_metric(Metric::LedgerDrift, 1.0);
        }
        Ok(found.page)
    }
}

/// Result of one search.
struct SearchResult {
    page: Page<Review>,
    /// True if what was read did not add up. The page is the best that can be said then.
    has_drift: bool,
}

/// A search in progress.
pub(super) struct Search<'a> {
    pub(super) store: &'a ReviewStore,
    pub(super) query: &'a ReviewQuery,
    /// True once something that was read did not add up.
    pub(super) has_drift: bool,
}

/// The buckets that take the place of one bucket.
struct Expansion<'a> {
    buckets: Vec<Bucket<'a>>,
    /// True if they hold as many matches as the counts of the replaced bucket say.
    adds_up: bool,
}

impl<'a> Search<'a> {
    fn new(store: &'a ReviewStore, query: &'a ReviewQuery) -> Self {
        Self { store, query, has_drift: false }
    }

    /// Does the search. Each turn of the loop expands the page's buckets by one level: from months to days to postings.
    async fn run(mut self) -> Result<SearchResult, Error> {
        let mut buckets = self.read_initial_buckets().await?;
        loop {
            sort_buckets(&mut buckets, self.query.newest_first);
            let count = buckets.iter().map(|bucket| bucket.count(self.query.mask)).sum();
            let range = self.query.page.range(count);
            let located = PageBuckets::locate(buckets, self.query.mask, &range);
            if !located.is_loaded() {
                // What is read may change counts, and with them the place of the page: locate it again.
                buckets = self.expand_page(located).await?;
                continue;
            }
            let skip = range.start.saturating_sub(located.matches_before);
            let postings = self.slice_page(located.on_page, skip, range.end - range.start);
            let items = self.load_reviews(&postings).await?;
            // Postings whose review is not shown are not counted either.
            let count = count - (postings.len() - items.len()) as u64;
            let page = Page { request: self.query.page, count, items };
            return Ok(SearchResult { page, has_drift: self.has_drift });
        }
    }

    /// Expands the unread buckets of a page by one level: its months, or its days once no month is left.
    ///
    /// Days wait for the months: only the days of a month tell where in it the page begins and ends.
    async fn expand_page(&mut self, located: PageBuckets<'a>) -> Result<Vec<Bucket<'a>>, Error> {
        let PageBuckets { before, on_page, after, .. } = located;
        let months_only = on_page.iter().any(Bucket::is_unread_month);
        let expansions = on_page.into_iter().map(|bucket| self.expand_bucket(bucket, months_only));
        let expansions: Vec<Expansion<'a>> = parallel(READS_IN_FLIGHT, expansions).await?;
        self.has_drift |= expansions.iter().any(|expansion| !expansion.adds_up);
        let expanded = expansions.into_iter().flat_map(|expansion| expansion.buckets);
        Ok(before.into_iter().chain(expanded).chain(after).collect())
    }

    /// Reads the days or the postings of a month, or the postings of a day. Other buckets stay as they are.
    async fn expand_bucket(&self, bucket: Bucket<'a>, months_only: bool) -> Result<Expansion<'a>, Error> {
        match bucket.span {
            Span::Month(month) if bucket.postings.is_none() => {
                let counts = bucket.counts.iter().map(|(_, counts)| counts);
                let page_size = i64::try_from(self.query.page.size).unwrap_or(i64::MAX);
                if is_whole_month_cheaper(counts, self.query.mask, page_size) {
                    self.load_month(bucket, month).await
                } else {
                    self.split_month(bucket, month).await
                }
            }
            Span::Day(day) if bucket.postings.is_none() && !months_only => self.load_day(bucket, day).await,
            _ => Ok(Expansion { buckets: vec![bucket], adds_up: true }),
        }
    }

    /// Reads the counts of a month's days, in those review sets that have reviews in the month.
    async fn split_month(&self, bucket: Bucket<'a>, month: Month) -> Result<Expansion<'a>, Error> {
        let reads = bucket.counts.iter().map(|(set, _)| self.read_days(set, month));
        let days = parallel(READS_IN_FLIGHT, reads).await?;
        let days = merge_buckets(days.into_iter().flatten());
        let count: u64 = days.iter().map(|day| day.expected_count(self.query.mask)).sum();
        Ok(Expansion { buckets: days, adds_up: count == bucket.expected_count(self.query.mask) })
    }

    pub(super) async fn read_days(&self, set: &'a ReviewSet, month: Month) -> Result<Vec<Bucket<'a>>, Error> {
        let days = self.store.query_day_counts(set, month).await?.into_iter();
        Ok(days.map(|(day, counts)| Bucket::with_counts(Span::Day(day), set, counts)).collect())
    }

    /// Reads all postings of a month, in those review sets that have reviews in it.
    async fn load_month(&self, bucket: Bucket<'a>, month: Month) -> Result<Expansion<'a>, Error> {
        let reads = bucket.counts.iter().map(|(set, _)| self.store.query_month_postings(set, month));
        let postings = parallel(READS_IN_FLIGHT, reads).await?;
        Ok(self.load_bucket(bucket, postings))
    }

    /// Reads the postings of a day that may match. Its counts tell which facet keys have any.
    async fn load_day(&self, bucket: Bucket<'a>, day: Day) -> Result<Expansion<'a>, Error> {
        let mut reads = Vec::new();
        for (set, counts) in &bucket.counts {
            let runs = runs_to_read(self.query.mask, counts).into_iter();
            reads.extend(runs.map(|run| self.store.query_day_postings(set, day, run)));
        }
        let postings = parallel(READS_IN_FLIGHT, reads).await?;
        Ok(self.load_bucket(bucket, postings))
    }

    /// Returns the bucket with its matching postings, out of those that were read.
    fn load_bucket(&self, bucket: Bucket<'a>, postings: Vec<Vec<Posting>>) -> Expansion<'a> {
        let postings = self.matching(postings);
        let adds_up = postings.len() as u64 == bucket.expected_count(self.query.mask);
        Expansion { buckets: vec![Bucket { postings: Some(postings), ..bucket }], adds_up }
    }

    /// Returns the postings that match. Reads may return others that lie between them.
    pub(super) fn matching(&self, postings: Vec<Vec<Posting>>) -> Vec<Posting> {
        let postings = postings.into_iter().flatten();
        postings.filter(|posting| self.query.mask.contains(posting.facet_key)).collect()
    }

    /// Returns the postings of the page, in order: those of its buckets after `skip`, at most `take`.
    fn slice_page(&mut self, on_page: Vec<Bucket<'a>>, skip: u64, take: u64) -> Vec<Posting> {
        let mut postings: Vec<Posting> = on_page.into_iter().filter_map(|bucket| bucket.postings).flatten().collect();
        postings.sort_unstable();
        if self.query.newest_first {
            postings.reverse();
        }
        // A review that is in two buckets moved from one to the other between their reads.
        let (count, mut seen) = (postings.len(), HashSet::new());
        postings.retain(|posting| seen.insert(posting.id.clone()));
        self.has_drift |= postings.len() < count;
        let (skip, take) = (usize::try_from(skip).unwrap_or(usize::MAX), usize::try_from(take).unwrap_or(usize::MAX));
        postings.into_iter().skip(skip).take(take).collect()
    }

    /// Reads the reviews of the page: the last wave.
    ///
    /// A review that differs from its posting was written in between. The review is right: it is left out if it does not
    /// match any more, and the page is sorted by what the reviews say.
    async fn load_reviews(&mut self, postings: &[Posting]) -> Result<Vec<Review>, Error> {
        let ids: Vec<ReviewId> = postings.iter().map(|posting| posting.id.clone()).collect();
        let mut stored = self.store.get_reviews(&ids).await?;
        let mut reviews = Vec::with_capacity(postings.len());
        let mut is_current = true;
        for posting in postings {
            let review = stored.remove(&posting.id).filter(|review| self.query.admits(review));
            is_current &= review.as_ref().is_some_and(|review| Posting::of(review) == *posting);
            reviews.extend(review);
        }
        if !is_current {
            self.has_drift = true;
            reviews.sort_by_cached_key(|review| (review.effective_at(), review.id.clone()));
            if self.query.newest_first {
                reviews.reverse();
            }
        }
        Ok(reviews)
    }
}
