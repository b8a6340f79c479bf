//! Searching: count by tallies, find the page's place, read only what lies on it.
//!
//! At most four waves: tallies of months (and the days of those that the range cuts, and the slips of the days that it cuts),
//! tallies of the days of the months that the page lies in, slips of the days that it lies in, reviews on it. All that is
//! read adds up to the tallies of the months, which one read gives. Where it does not, a write came in between: everything
//! is read once more.
//!
//! What may grow is the slips: 16 bytes for each matching review of the days that the range cuts or the page touches, four
//! at the most where no day is sparse. While these are some 25,000 reviews a search stays below 151 read units; and up to
//! 60,000 of one day are one page of a Query, more are a wave more.

use std::collections::HashSet;

use super::buckets::{Bucket, Span, merge, order, overlapping};
use super::initial_reads::{InitialRead, outline};
use super::item::Posting;
use super::reads::{is_read_whole, runs_to_read};
use crate::ReviewStore;
use crate::client::meter::side_by_side;
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::instant::{FIRST_SECOND, LAST_SECOND, is_empty_range};
use presence_domain::ledger::{Day, FacetCounts, FacetKey, FacetMask, Month, ReviewSet};
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::{Review, ReviewId};
use presence_runtime::telemetry::{Metric, log_metric};

/// How often a search is made where writes come in between.
const ATTEMPTS: u32 = 2;
/// Runs of cells that are read one by one where no tally tells which of them are empty; more are read as a whole day.
const MAX_RUNS: usize = 3;
/// Reads side by side: each review of the largest page may lie on a day of its own, and a PROVIDER's search reads every
/// organisation's tallies.
const READS_IN_FLIGHT: u16 = 128;

/// What a search of reviews asks for.
#[derive(Clone, Debug)]
pub struct ReviewQuery {
    /// The books, disjoint.
    pub books: Vec<ReviewSet>,
    /// The cells.
    pub mask: FacetMask,
    /// The first effective second since 1970.
    pub from: Option<i64>,
    /// The last one.
    pub to: Option<i64>,
    /// Newest first, then id descending; else the exact reverse.
    pub newest_first: bool,
    /// The page.
    pub page: PageRequest,
}

/// A search under way.
struct Search<'a> {
    store: &'a ReviewStore,
    query: &'a ReviewQuery,
    buckets: Vec<Bucket>,
    /// Whether something did not add up.
    drift: bool,
}

impl ReviewStore {
    /// One page of the reviews in the scope that match, and how many there are. Books outside the scope match nothing.
    pub async fn find_reviews(&self, scope: Scope, query: &ReviewQuery) -> Result<Page<Review>, Error> {
        let mut query = query.clone();
        query.books.retain(|book| scope.covers(Some(book.org_id())));
        if query.mask.is_empty() || query.books.is_empty() || is_empty_range(query.from, query.to) {
            return Ok(Page { request: query.page, count: 0, items: Vec::new() });
        }
        // An end that cuts nothing off needs no reads of its own.
        query.from = query.from.filter(|from| *from > FIRST_SECOND);
        query.to = query.to.filter(|to| *to < LAST_SECOND);
        for _ in 1..ATTEMPTS {
            let (page, drift) = Search::run(self, &query).await?;
            if !drift {
                return Ok(page);
            }
        }
        let (page, drift) = Search::run(self, &query).await?;
        if drift {
            tracing::warn!(books = query.books.len(), "ledger drift");
            log_metric(Metric::LedgerDrift, 1.0);
        }
        Ok(page)
    }
}

impl<'a> Search<'a> {
    async fn run(store: &'a ReviewStore, query: &'a ReviewQuery) -> Result<(Page<Review>, bool), Error> {
        let mut search = Self { store, query, buckets: Vec::new(), drift: false };
        search.outline().await?;
        let (count, slips) = loop {
            order(&mut search.buckets, query.newest_first);
            let count = search.buckets.iter().map(|bucket| bucket.count(query.mask)).sum();
            let range = query.page.range(count);
            let (on_page, before) = overlapping(&search.buckets, query.mask, &range);
            if !search.read_closer(&on_page).await? {
                break (count, search.cut(&on_page, range.start - before.min(range.start), range.end - range.start));
            }
        };
        let items = search.bodies(&slips).await?;
        // What is not shown is not counted.
        let count = count - (slips.len() - items.len()) as u64;
        Ok((Page { request: query.page, count, items }, search.drift))
    }

    /// The first wave.
    async fn outline(&mut self) -> Result<(), Error> {
        let reads = outline(self.query.from, self.query.to);
        let all = (0..self.query.books.len()).flat_map(|book| reads.iter().map(move |read| (book, read)));
        let parts: Vec<Vec<Bucket>> =
            side_by_side(READS_IN_FLIGHT, all.map(|(book, read)| self.read_outline(book, read))).await?;
        let mut buckets = merge(parts.into_iter().flatten());
        self.drift |= !reads.iter().all(|read| self.adds_up(read, &buckets));
        let (from, to) = (self.query.from.unwrap_or(i64::MIN), self.query.to.unwrap_or(i64::MAX));
        let is_cut = |month| reads.iter().any(|read| matches!(read, InitialRead::Days(cut) if *cut == month));
        buckets.retain(|bucket| match bucket.span {
            Span::Month(month) => !is_cut(month),
            Span::Day(day) => from <= day.start() && day.end() <= to,
            Span::PartialDay(_) => true,
        });
        for slips in buckets.iter_mut().filter_map(|bucket| bucket.slips.as_mut()) {
            slips.retain(|slip| (from..=to).contains(&slip.at));
        }
        self.buckets = buckets;
        Ok(())
    }

    /// Whether the days of a cut month add up to it, or the slips of a cut day to that day: all of them, in the range or
    /// not.
    fn adds_up(&self, read: &InitialRead, buckets: &[Bucket]) -> bool {
        let mask = self.query.mask;
        let sum = |belongs: &dyn Fn(Span) -> bool| -> u64 {
            buckets.iter().filter(|bucket| belongs(bucket.span)).map(|bucket| bucket.count(mask)).sum()
        };
        match *read {
            InitialRead::Months(..) => true,
            InitialRead::Days(month) => {
                sum(&|span| matches!(span, Span::Day(day) if day.month() == month))
                    == sum(&|span| span == Span::Month(month))
            }
            InitialRead::PartialDay(day) => {
                sum(&|span| span == Span::PartialDay(day)) == sum(&|span| span == Span::Day(day))
            }
        }
    }

    async fn read_outline(&self, position: usize, read: &InitialRead) -> Result<Vec<Bucket>, Error> {
        let book = &self.query.books[position];
        let tallied = |span: Span, tally: FacetCounts| {
            let mut bucket = Bucket::new(span);
            bucket.tallies.insert(position, tally);
            bucket
        };
        Ok(match *read {
            InitialRead::Months(from, to) => {
                let months = self.store.months(book, from, to).await?;
                months.into_iter().map(|(month, tally)| tallied(Span::Month(month), tally)).collect()
            }
            InitialRead::Days(month) => {
                let days = self.store.days(book, month.first_day(), month.last_day()).await?;
                days.into_iter().map(|(day, tally)| tallied(Span::Day(day), tally)).collect()
            }
            InitialRead::PartialDay(day) => {
                vec![Bucket::with_slips(Span::PartialDay(day), self.part(book, day).await?)]
            }
        })
    }

    /// The matching slips of a day.
    async fn part(&self, book: &ReviewSet, day: Day) -> Result<Vec<Posting>, Error> {
        let runs = self.query.mask.runs();
        let runs = if runs.len() > MAX_RUNS { FacetMask::ALL.runs() } else { runs };
        let slips =
            side_by_side(READS_IN_FLIGHT, runs.into_iter().map(|run| self.store.slips_of_run(book, day, run))).await?;
        Ok(self.matching(slips).collect())
    }

    /// Reads what is not known of these buckets: months become days (or slips), days get their slips. Whether there was
    /// anything to read.
    async fn read_closer(&mut self, on_page: &[usize]) -> Result<bool, Error> {
        let unknown = |position: &&usize| self.buckets[**position].slips.is_none();
        let (months, days): (Vec<usize>, Vec<usize>) = on_page
            .iter()
            .filter(unknown)
            .partition(|position| matches!(self.buckets[**position].span, Span::Month(_)));
        let chosen = if months.is_empty() { days } else { months };
        let closer =
            side_by_side(READS_IN_FLIGHT, chosen.iter().map(|position| self.closer(&self.buckets[*position]))).await?;
        let anything = !chosen.is_empty();
        for (position, (buckets, adds_up)) in chosen.into_iter().zip(closer).rev() {
            self.drift |= !adds_up;
            self.buckets.splice(position..=position, buckets);
        }
        Ok(anything)
    }

    /// What a bucket is made of, and whether that adds up to it.
    async fn closer(&self, bucket: &Bucket) -> Result<(Vec<Bucket>, bool), Error> {
        let page = i64::try_from(self.query.page.size).unwrap_or(i64::MAX);
        match bucket.span {
            Span::Month(month) if is_read_whole(bucket.tallies.values(), self.query.mask, page) => {
                let books = bucket.tallies.keys().map(|position| &self.query.books[*position]);
                let slips =
                    side_by_side(READS_IN_FLIGHT, books.map(|book| self.store.slips_of_month(book, month))).await?;
                Ok(self.known(bucket, slips))
            }
            Span::Month(month) => self.days_of(bucket, month).await,
            Span::Day(day) => {
                let runs = bucket.tallies.iter().flat_map(|(position, tally)| {
                    runs_to_read(self.query.mask, tally).into_iter().map(|run| (&self.query.books[*position], run))
                });
                let slips =
                    side_by_side(READS_IN_FLIGHT, runs.map(|(book, run)| self.store.slips_of_run(book, day, run)))
                        .await?;
                Ok(self.known(bucket, slips))
            }
            Span::PartialDay(_) => Ok((vec![bucket.clone()], true)),
        }
    }

    async fn days_of(&self, bucket: &Bucket, month: Month) -> Result<(Vec<Bucket>, bool), Error> {
        let positions = bucket.tallies.keys().copied();
        let read = InitialRead::Days(month);
        let days = side_by_side(READS_IN_FLIGHT, positions.map(|position| self.read_outline(position, &read))).await?;
        let days = merge(days.into_iter().flatten());
        let sum: u64 = days.iter().map(|day| day.tallied(self.query.mask)).sum();
        Ok((days, sum == bucket.tallied(self.query.mask)))
    }

    fn known(&self, bucket: &Bucket, slips: Vec<Vec<Posting>>) -> (Vec<Bucket>, bool) {
        let slips: Vec<_> = self.matching(slips).collect();
        let adds_up = slips.len() as u64 == bucket.tallied(self.query.mask);
        let known = Bucket { slips: Some(slips), ..bucket.clone() };
        (vec![known], adds_up)
    }

    fn matching(&self, slips: Vec<Vec<Posting>>) -> impl Iterator<Item = Posting> + use<> {
        let mask = self.query.mask;
        slips.into_iter().flatten().filter(move |slip| mask.contains(slip.cell))
    }

    /// The slips on the page, in order, out of the buckets that it lies in.
    /// A review that two buckets have was moved from one to the other in between.
    fn cut(&mut self, on_page: &[usize], skip: u64, take: u64) -> Vec<Posting> {
        let mut slips: Vec<Posting> =
            on_page.iter().filter_map(|position| self.buckets[*position].slips.clone()).flatten().collect();
        slips.sort_unstable();
        if self.query.newest_first {
            slips.reverse();
        }
        let (all, mut seen) = (slips.len(), HashSet::new());
        slips.retain(|slip| seen.insert(slip.id.clone()));
        self.drift |= slips.len() < all;
        let (skip, take) = (usize::try_from(skip).unwrap_or(usize::MAX), usize::try_from(take).unwrap_or(usize::MAX));
        slips.into_iter().skip(skip).take(take).collect()
    }

    /// The last wave. A review that is not any more what its slip says was written in between: what it says itself holds, and
    /// one that does not match any more is left out.
    async fn bodies(&mut self, slips: &[Posting]) -> Result<Vec<Review>, Error> {
        let ids: Vec<ReviewId> = slips.iter().map(|slip| slip.id.clone()).collect();
        let mut bodies = self.store.review_bodies(&ids).await?;
        let as_said =
            |slip: &Posting, review: &Review| (review.effective_at(), FacetKey::of(review)) == (slip.at, slip.cell);
        let mut reviews = Vec::with_capacity(slips.len());
        let mut all_as_said = true;
        for slip in slips {
            let review = bodies.remove(&slip.id);
            all_as_said &= review.as_ref().is_some_and(|review| as_said(slip, review) && self.query.admits(review));
            reviews.extend(review.filter(|review| self.query.admits(review)));
        }
        if !all_as_said {
            self.drift = true;
            reviews.sort_by_cached_key(|review| (review.effective_at(), review.id.clone()));
            if self.query.newest_first {
                reviews.reverse();
            }
        }
        Ok(reviews)
    }
}

impl ReviewQuery {
    /// True if the review may be shown.
    fn admits(&self, review: &Review) -> bool {
        let at = review.effective_at();
        self.mask.contains(FacetKey::of(review))
            && self.from.is_none_or(|from| from <= at)
            && self.to.is_none_or(|to| at <= to)
            && ReviewSet::containing(review).iter().any(|book| self.books.contains(book))
    }
}
