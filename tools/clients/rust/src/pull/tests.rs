//! Tests of a pull against a search in memory.

use std::collections::HashSet;
use std::time::Duration;

use futures::StreamExt as _;

use super::model::{Model, Updates};
use super::{Batch, LAST, PullOptions, pin_mut, pull, text_of};
use crate::Error;
use crate::types::Review;

const PER_PAGE: i64 = 5;

async fn pulled(model: &Model, cursor: Option<&str>, overlap: u64) -> Result<(Vec<Review>, Option<String>), Error> {
    let options = PullOptions { overlap: Duration::from_secs(overlap), per_page: PER_PAGE };
    let search = async |(lower, upper): super::Bounds, page| {
        Ok(model.search(lower.as_deref(), upper.as_deref(), page, PER_PAGE))
    };
    let batches = pull(search, cursor.map(str::to_owned), options);
    pin_mut!(batches);
    let (mut all, mut last) = (Vec::new(), cursor.map(str::to_owned));
    while let Some(batch) = batches.next().await {
        let Batch { reviews, cursor } = batch?;
        assert!(last.is_none_or(|last| cursor >= last), "a cursor goes back");
        all.extend(reviews);
        last = Some(cursor);
    }
    Ok((all, last))
}

fn ids(reviews: &[Review]) -> Vec<&str> {
    reviews.iter().map(|review| review.id.as_str()).collect()
}

fn still(updates: impl IntoIterator<Item = (&'static str, i64)>) -> Model {
    Model::new(updates.into_iter().map(|(id, second)| (id.to_owned(), second)).collect(), |_| {})
}

#[tokio::test]
async fn each_review_comes_once_whatever_changes_between_the_pages() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let updates: Updates = (0..60).map(|number| (format!("r{number}"), 900 + rng.i64(0..4))).collect();
        let mut now = 1000;
        // Few seconds for many reviews: borders fall into the middle of pages, and one second fills several. What changes has
        // the time of the change, and no answer falls into the second of a change.
        let model = Model::new(updates, move |updates| {
            now += 1;
            for _ in 0..rng.u32(0..4) * u32::from(now < 1030) {
                updates.insert(format!("r{}", rng.u32(0..90)), now);
            }
        });
        let (reviews, cursor) = pulled(&model, None, 0).await.expect("a pull");
        let got: HashSet<_> = reviews.iter().map(|review| (review.id.clone(), review.update_date.clone())).collect();
        assert_eq!(got.len(), reviews.len(), "seed {seed}: twice");
        let updates = model.updates.borrow();
        for (id, second) in &*updates {
            assert!(got.contains(&(id.clone(), text_of(*second))), "seed {seed}: {id}");
        }
        assert_eq!(cursor, updates.values().max().map(|second| text_of(*second)));
    }
}

#[tokio::test]
async fn a_second_with_more_reviews_than_a_page_is_read_to_its_end() {
    let updates = (0..23).map(|number| (format!("r{number}"), 500)).chain([("later".to_owned(), 501)]);
    let model = Model::new(updates.collect(), |_| {});
    assert_eq!(pulled(&model, None, 0).await.expect("a pull").0.len(), 24);
}

#[tokio::test]
async fn a_pull_begins_at_the_cursor_and_repeats_the_reviews_of_its_second() {
    let model = still([("a", 500), ("b", 501), ("c", 502)]);
    let (_, cursor) = pulled(&model, None, 0).await.expect("a pull");
    assert_eq!(cursor.as_deref(), Some("1970-01-01T00:08:22+00:00"));
    model.updates.borrow_mut().insert("a".to_owned(), 503);
    let (reviews, _) = pulled(&model, cursor.as_deref(), 0).await.expect("a pull");
    assert_eq!(ids(&reviews), ["c", "a"]);
}

#[tokio::test]
async fn a_late_review_is_seen_within_the_overlap_only_and_the_cursor_never_goes_back() {
    let model = still([("early", 500), ("late", 440)]);
    let cursor = text_of(500);
    assert_eq!(ids(&pulled(&model, Some(&cursor), 0).await.expect("a pull").0), ["early"]);
    let (reviews, after) = pulled(&model, Some(&cursor), 60).await.expect("a pull");
    assert_eq!((ids(&reviews), after.as_ref()), (vec!["late", "early"], Some(&cursor)));
    model.updates.borrow_mut().remove("early");
    assert_eq!(pulled(&model, Some(&cursor), 60).await.expect("a pull").1, Some(cursor));
}

#[tokio::test]
async fn a_date_in_the_future_is_no_cursor_and_hides_no_later_change() {
    let model = still([("before", 500), ("wrong", LAST)]);
    let (reviews, cursor) = pulled(&model, None, 0).await.expect("a pull");
    assert_eq!((ids(&reviews), cursor.as_ref()), (vec!["before", "wrong"], Some(&text_of(500))));
    model.updates.borrow_mut().insert("later".to_owned(), 600);
    let (reviews, cursor) = pulled(&model, cursor.as_deref(), 0).await.expect("a pull");
    assert_eq!((ids(&reviews), cursor), (vec!["before", "later", "wrong"], Some(text_of(600))));
}

#[tokio::test]
async fn a_cursor_in_another_form_is_refused_and_the_ends_of_time_are_no_obstacle() {
    for text in ["yesterday", "2025-01-01", "2025-13-01T00:00:00+00:00"] {
        assert!(matches!(pulled(&still([]), Some(text), 0).await, Err(Error::Form(_))), "{text}");
    }
    let model = still(["a", "b", "c", "d", "e", "f", "g"].map(|id| (id, LAST)));
    let (reviews, cursor) = pulled(&model, Some("0001-01-01T00:00:00+00:00"), u64::MAX).await.expect("a pull");
    assert_eq!((reviews.len(), cursor.as_deref()), (7, Some("0001-01-01T00:00:00+00:00")));
}
