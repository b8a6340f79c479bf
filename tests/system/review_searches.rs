//! Searches of reviews and their statistics, beside what changes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Method;
use presence_domain::review::{Rating, Review, ReviewState};
use presence_tests::reviews::matching;
use serde_json::{Value, json};

use super::clients::Client;
use super::history::State;

/// Filter of a query, with what admits a review to it.
type Filter = (&'static str, fn(&Review) -> bool);

/// Filters of searches. The business `b1-3` moves.
const FILTERS: [Filter; 8] = [
    ("", |_| true),
    ("&state=treated", |review| review.state == ReviewState::Treated),
    ("&state=not_treated,deleted", |review| review.state != ReviewState::Treated),
    ("&rating__in=1,5", |review| [Rating::ALL[0], Rating::ALL[4]].contains(&review.rating)),
    ("&content__isnull=false&rating=2", |review| review.content.is_some() && review.rating == Rating::ALL[1]),
    ("&business__in=b1-1,b1-3", |review| ["b1-1", "b1-3"].contains(&review.business_id.as_str())),
    ("&business__in=b1-2&state=deleted", |review| {
        review.business_id.as_str() == "b1-2" && review.state == ReviewState::Deleted
    }),
    ("&business_city=saint-etienne&content__isnull=true", |review| review.content.is_none()),
];
/// Reviews on a page.
const SIZES: [usize; 3] = [1, 4, 100];
/// Number of the last page that is read.
const LAST_PAGE: usize = 3;

impl Client {
    /// Reads a page of a search, or statistics, and judges it.
    pub(crate) async fn search_reviews(&mut self) {
        let (since, of_stats, newest_first) = (self.moment(), self.rng.bool(), self.rng.bool());
        let (filter, admits) = *self.rng.choice(&FILTERS).expect("one");
        let (size, page) = (*self.rng.choice(&SIZES).expect("one"), self.rng.usize(1..=LAST_PAGE));
        let path = if of_stats {
            format!("/reviews/stats?{}", filter.trim_start_matches('&'))
        } else {
            let order = if newest_first { "-" } else { "" };
            format!("/reviews?per_page={size}&page={page}&order_by={order}update_date{filter}")
        };
        let request = self.request(Method::GET, path.clone(), Value::Null);
        let Some((200, body)) = self.send(&request).await else {
            return;
        };
        let org = self.org;
        let mut history = self.simulation.history();
        let shown: Vec<_> = body["reviews"].as_array().into_iter().flatten().collect();
        let fits = |all: &State| {
            let is_found = |review: &Review| is_seen(review, org) && admits(review);
            let found = matching(all.reviews.values().map(Arc::as_ref), newest_first, is_found);
            let on_page = found.iter().skip((page - 1) * size).take(size).map(|review| review.id.as_str());
            if of_stats {
                stats_of(&body) == stored_stats(&found)
            } else {
                body["count"] == found.len()
                    && on_page.eq(shown.iter().map(|review| review["id"].as_str().unwrap_or_default()))
            }
        };
        history.judge(since, || format!("{path} of {org:?}: {body}"), fits);
        // Their other fields may be newer than the page: each review is as it was at some moment since the request.
        let now = history.now();
        for review_shown in shown {
            let id = review_shown["id"].as_str().unwrap_or_default();
            let is_so = |all: &State| {
                all.reviews.get(id).is_some_and(|review| stored_fields(review) == fields_of(review_shown))
            };
            if !history.was(since..=now, is_so) {
                history.found(format!("{path} shows a review as it never was: {review_shown}"));
            }
        }
    }
}

/// True for somebody of this organisation, or who sees all.
pub(crate) fn is_seen(review: &Review, org: Option<u64>) -> bool {
    org.is_none_or(|org| org == review.org_id.get())
}

/// Returns the fields of a review in an answer that are compared.
pub(crate) fn fields_of(shown: &Value) -> Value {
    ["id", "org_id", "state", "rating", "title", "reply_comment"].into_iter().map(|name| shown[name].clone()).collect()
}

/// Returns the same fields of a stored review.
pub(crate) fn stored_fields(review: &Review) -> Value {
    let Review { id, org_id, state, rating, title, reply_comment, .. } = review;
    json!([id.as_str(), org_id.to_string(), state.as_str(), rating.get(), title, reply_comment])
}

/// Returns the number of reviews, and their numbers by rating and by state.
pub(crate) fn stored_stats(reviews: &[&Review]) -> Value {
    let of_rating = |stars: u8| reviews.iter().filter(|review| review.rating.get() == stars).count();
    let of_state = |state: ReviewState| reviews.iter().filter(|review| review.state == state).count();
    let ratings: BTreeMap<_, _> = (1..=5).map(|stars| (stars.to_string(), of_rating(stars))).collect();
    let states: BTreeMap<_, _> = ReviewState::ALL.map(|state| (state.as_str(), of_state(state))).into();
    json!([reviews.len(), ratings, states])
}

/// Returns the same numbers of an answer.
pub(crate) fn stats_of(shown: &Value) -> Value {
    json!([shown["count"], shown["ratings"], shown["states"]])
}
