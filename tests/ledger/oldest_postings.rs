//! Copies of the oldest postings in the root of an organisation, while reviews at the end of an answer change.

use presence_domain::page::PageRequest;
use presence_domain::review::{Review, ReviewId};
use presence_ledger::{PostingKey, ReviewNumber, ReviewSet};
use presence_store::{ReviewFilter, ReviewStore};
use presence_tests::operator_scope;

use super::fold_fixture::{LIMITS, Ledger};
use super::log_writer::org;

/// Number of reviews of a page.
const SIZE: u64 = 30;

/// Checks both ends of an answer over an organisation, in both orders, by a store that has read nothing.
async fn assert_ends(ledger: &Ledger, moment: &str) {
    let of_org = |review: &&Review| review.org_id == org(1);
    let key = |review: &Review| PostingKey { effective_at: review.effective_at(), id: ReviewNumber::of(&review.id) };
    let mut reviews: Vec<&Review> = ledger.writer.reviews.values().filter(of_org).collect();
    reviews.sort_by_key(|review| key(review));
    let count = reviews.len() as u64;
    for newest_first in [true, false] {
        reviews.reverse();
        for page in [1, 2, count.div_ceil(SIZE) - 1, count.div_ceil(SIZE)] {
            let store = ReviewStore::new(&ledger.stack.stores().database).with_fold_limits(LIMITS);
            let request = PageRequest { page, size: SIZE };
            let filter = ReviewFilter { newest_first, ..ReviewFilter::ALL };
            let found = store.find_reviews(operator_scope(), Some(&[ReviewSet::Org(org(1))]), &filter, request).await;
            let found = found.expect("the store answers");
            let found_ids: Vec<&ReviewId> = found.items.iter().map(|review| &review.id).collect();
            let range = request.range(count);
            let ranks = usize::try_from(range.start).expect("few")..usize::try_from(range.end).expect("few");
            let expected: Vec<&ReviewId> = reviews[ranks].iter().map(|review| &review.id).collect();
            assert_eq!((found.count, found_ids), (count, expected), "{moment}, {filter:?}, {request:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_of_an_answer_are_right_while_the_oldest_reviews_move_and_return() {
    let mut ledger = Ledger::with("oldest reviews", 1_500).await;
    // Folds find more changes than the root has copies: the next ones come from leaves.
    for round in 0..4 {
        let mut oldest: Vec<Review> = ledger.writer.reviews.values().cloned().collect();
        oldest.retain(|review| review.org_id == org(1));
        oldest.sort_by_key(Review::effective_at);
        let days = if round == 3 { -300 } else { 200 };
        let moved = oldest.into_iter().take(20).map(|review| {
            let date = review.effective_at() + days * 86_400;
            Review { date, update_date: None, delete_date: None, ..review }
        });
        ledger.writer.write(&ledger.store, moved.collect()).await;
        assert_ends(&ledger, &format!("round {round}, in the log")).await;
        if round % 2 == 1 {
            ledger.fold_alone().await;
            ledger.assert_folded(&format!("round {round}")).await;
            assert_ends(&ledger, &format!("round {round}, folded")).await;
        }
    }
}
