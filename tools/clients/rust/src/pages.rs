//! Rules for reading all pages of a search.

use std::collections::HashSet;

use async_stream::try_stream;
use futures::{Stream, StreamExt as _, TryStreamExt as _};

use crate::Error;
use crate::types::{Business, BusinessPage, Category, CategoryPage, FoundUser, Review, ReviewPage, UserPage};

/// Greatest number of results on a page.
pub(crate) const MAX_PER_PAGE: i64 = 100;

/// Part of every page: how many results there are now, and the number of the last page.
#[derive(Clone, Copy, Debug)]
pub struct PageInfo {
    /// Number of the page.
    pub page: i64,
    /// Number of the last page.
    pub max_page: i64,
    /// Number of results on all pages.
    pub count: i64,
}

/// Page of a search.
pub trait Page {
    /// Result of the search.
    type Item;

    /// Returns the numbers of the page.
    fn info(&self) -> PageInfo;

    /// Returns the number of results on the page.
    fn size(&self) -> i64;

    /// Returns the results of the page.
    fn into_items(self) -> Vec<Self::Item>;

    /// Returns the id of a result.
    fn id(item: &Self::Item) -> &str;
}

macro_rules! page {
    ($page:ty, $item:ty, $items:ident) => {
        impl Page for $page {
            type Item = $item;

            fn info(&self) -> PageInfo {
                PageInfo { page: self.page, max_page: self.max_page, count: self.count }
            }

            fn size(&self) -> i64 {
                i64::try_from(self.$items.len()).unwrap_or(i64::MAX)
            }

            fn into_items(self) -> Vec<$item> {
                self.$items
            }

            fn id(item: &$item) -> &str {
                &item.id
            }
        }
    };
}

page!(UserPage, FoundUser, users);
page!(CategoryPage, Category, categories);
page!(BusinessPage, Business, businesses);
page!(ReviewPage, Review, reviews);

impl PageInfo {
    /// Returns the number of the page to read next, or `None` at the end.
    ///
    /// The end is where the latest answer says that it is. Results that came in before the current page push others to later
    /// pages: these are read twice. Results that left let others move to earlier pages: `count` shows how many left, and so
    /// many results are read again.
    fn next(self, previous_count: i64, per_page: i64) -> Option<i64> {
        let left = (previous_count - self.count).max(0);
        let back = (left + per_page - 1) / per_page;
        let next = if left > 0 { (self.page - back).max(1) } else { self.page + 1 };
        (next <= self.max_page).then_some(next)
    }
}

/// Yields the pages of a search, from the first to the last.
pub(crate) fn walk<P: Page>(read: impl AsyncFn(i64) -> Result<P, Error>) -> impl Stream<Item = Result<P, Error>> {
    try_stream! {
        let (mut page, mut count, mut per_page) = (Some(1), 0, 1);
        while let Some(number) = page {
            let answer = read(number).await?;
            let info = answer.info();
            // Each page but the last is full.
            per_page = answer.size().max(per_page);
            yield answer;
            page = info.next(count, per_page);
            count = info.count;
        }
    }
}

/// Yields each result of a search once. The ids that were seen are kept in memory until the end.
pub(crate) fn results<P: Page>(
    pages: impl Stream<Item = Result<P, Error>>,
) -> impl Stream<Item = Result<P::Item, Error>> {
    let mut seen = HashSet::new();
    let items = pages.map_ok(|page| futures::stream::iter(page.into_items()).map(Ok::<_, Error>)).try_flatten();
    items.try_filter(move |item| std::future::ready(seen.insert(P::id(item).to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pull::model::Model;

    fn next(page: i64, max_page: i64, count: i64, previous: i64) -> Option<i64> {
        PageInfo { page, max_page, count }.next(previous, 10)
    }

    #[test]
    fn the_next_page_follows_until_the_page_that_the_latest_answer_calls_the_last() {
        assert_eq!([next(1, 3, 30, 0), next(2, 3, 30, 30), next(3, 3, 30, 30)], [Some(2), Some(3), None]);
        assert_eq!([next(3, 4, 31, 30), next(1, 1, 0, 0)], [Some(4), None]);
    }

    #[test]
    fn as_many_results_are_read_again_as_have_left() {
        assert_eq!([next(5, 9, 89, 90), next(5, 8, 79, 90)], [Some(4), Some(3)]);
        assert_eq!([next(2, 1, 5, 90), next(3, 1, 0, 21)], [Some(1), Some(1)]);
    }

    #[tokio::test]
    async fn a_search_yields_each_result_that_was_there_all_the_time_once_while_others_come_and_leave() {
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let stays = |number| format!("stays{number}");
            let leaves = |number| format!("leaves{number}");
            let found = (0..40).flat_map(|number| [stays(number), leaves(number)]);
            let updates = found.map(|id| (id, rng.i64(0..99))).collect();
            let model = Model::new(updates, move |updates| {
                // Either some enter or some leave between two answers. A count does not show both at once.
                for _ in 0..rng.u32(0..8) {
                    if seed % 2 == 1 {
                        updates.remove(&leaves(rng.u32(0..40)));
                    } else if updates.len() < 150 {
                        updates.insert(format!("new{}", updates.len()), rng.i64(0..99));
                    }
                }
            });
            let pages = walk(async |page| Ok(model.search(None, None, page, 4)));
            let found: Vec<_> = results(pages).map_ok(|review| review.id).try_collect().await.expect("a search");
            assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
            assert!((0..40).map(stays).all(|id| found.contains(&id)), "seed {seed}");
        }
    }
}
