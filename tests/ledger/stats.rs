//! Statistics between random writes and folds, compared with a list, by stores with warm and with empty caches.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::access::{Principal, Scope};
use presence_domain::calendar::Day;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::{FacetCounts, FacetKey, FacetMask, Partner, Rating, Review, ReviewId, ReviewState};
use presence_domain::review_stats::{GroupBy, GroupKey, MAX_GROUPS, ReviewStats, StatsGroup};
use presence_domain::text::city_key;
use presence_domain::user::Role;
use presence_store::{Business, FoldLimits, ReviewFilter, ReviewStore, StatsError};
use presence_tests::reviews::{business_id, org_id as org};
use presence_tests::{
    ConnectorLayer as _, LagConnector, TestStack, in_process_client, long_timeouts, operator_scope, rng, rounds,
};

use super::model::{Model, changed, query, review};

const REVIEWS: usize = 1_500;
const STEPS: usize = 12;
const QUESTIONS_A_STEP: usize = 10;
const LIMITS: FoldLimits = FoldLimits { fold_from: u64::MAX, pass_changes: 200, facets_from: 250 };
/// Businesses of the model, with one in the city to which reviews move, and cities as imports write them.
const BUSINESSES: [(&str, u64, &str); 7] = [
    ("b1", 1, "Saint-Étienne"),
    ("b2", 1, "Évora"),
    ("b3", 1, "EVORA"),
    ("b4", 2, "évora"),
    ("b5", 2, "SAINT ETIENNE"),
    ("b6", 1, "Besançon"),
    ("b7", 2, "Besançon"),
];

/// Question for statistics.
#[derive(Clone, Debug)]
struct Question {
    scope: Scope,
    org_id: Option<OrgId>,
    filter: ReviewFilter,
    group_by: Option<GroupBy>,
}

fn scope_of(org_id: Option<OrgId>) -> Scope {
    let role = if org_id.is_some() { Role::OrgAdmin } else { Role::Provider };
    Principal { user_id: UserId::random(), org_id, role }.scope()
}

fn question(rng: &mut Rng) -> Question {
    let org_id = [None, Some(org(1)), Some(org(1)), Some(org(2))][rng.usize(..4)];
    let of_search = query(rng).filter;
    let businesses = (rng.u8(..3) == 0).then(|| {
        let named = BUSINESSES.iter().filter(|_| rng.bool());
        named.map(|(id, ..)| business_id(id)).collect::<Vec<_>>()
    });
    let city = ["evora", "saint etienne", "besancon", "nowhere"][rng.usize(..4)];
    let group_by = [None].into_iter().chain(GroupBy::ALL.map(Some)).nth(rng.usize(..9)).flatten();
    // A review that moved to another city without its business has no place in groups of businesses of a city.
    let has_city = businesses.is_none() && group_by != Some(GroupBy::Business) && rng.u8(..3) == 0;
    let city_key = has_city.then(|| city.to_owned());
    let filter = ReviewFilter { businesses, city_key, newest_first: true, ..of_search };
    Question { scope: scope_of(org_id), org_id, filter, group_by }
}

/// Returns the name of a city as the business of the lowest id writes it, among those that the question names.
fn city_name(question: &Question, key: &str) -> String {
    let is_named = |id: &str| {
        question.filter.businesses.as_ref().is_none_or(|named| named.iter().any(|named| named.as_str() == id))
    };
    let in_city = BUSINESSES.iter().filter(|(id, org_id, city)| {
        city_key(city) == key && is_named(id) && question.org_id.is_none_or(|own| own.get() == *org_id)
    });
    in_city.map(|(_, _, city)| *city).next().unwrap_or(key).to_owned()
}

fn key_of(question: &Question, group_by: GroupBy, review: &Review) -> GroupKey {
    let day = Day::of(review.effective_at());
    match group_by {
        GroupBy::Day => GroupKey::Day(day),
        GroupBy::Month => GroupKey::Month(day.month()),
        GroupBy::Year => GroupKey::Year(day.to_string()[..4].parse().expect("a year")),
        GroupBy::Business => GroupKey::Business(review.business_id.clone()),
        GroupBy::Partner => GroupKey::Partner(review.partner),
        GroupBy::State => GroupKey::State(review.state),
        GroupBy::Rating => GroupKey::Rating(review.rating),
        GroupBy::City => {
            let of_business = BUSINESSES.iter().find(|(id, ..)| *id == review.business_id.as_str());
            let of_business = of_business.map(|(_, _, city)| city_key(city)).expect("a known business");
            // A filter of businesses takes the city of the business.
            let key = if question.filter.businesses.is_some() { of_business } else { review.city_key.clone() };
            GroupKey::City { name: city_name(question, &key), key }
        }
    }
}

/// Returns the statistics that a list of all reviews has.
fn expected(model: &Model, question: &Question) -> ReviewStats {
    let filter = &question.filter;
    let (mut counts, mut groups) = (FacetCounts::default(), BTreeMap::<GroupKey, FacetCounts>::new());
    for review in model.reviews.values() {
        let at = review.effective_at();
        let matches = question.org_id.is_none_or(|own| own == review.org_id)
            && filter.businesses.as_ref().is_none_or(|named| named.contains(&review.business_id))
            && filter.city_key.as_ref().is_none_or(|city| *city == review.city_key)
            && filter.from.is_none_or(|from| from <= at)
            && filter.to.is_none_or(|to| at <= to)
            && filter.mask.contains(FacetKey::of(review));
        if matches {
            counts.add(FacetKey::of(review), 1);
            if let Some(group_by) = question.group_by {
                groups.entry(key_of(question, group_by, review)).or_default().add(FacetKey::of(review), 1);
            }
        }
    }
    let groups = groups.into_iter().map(|(key, counts)| StatsGroup { key, counts }).collect();
    ReviewStats { counts, groups: question.group_by.map(|_| groups) }
}

async fn ask(store: &ReviewStore, question: &Question) -> Result<ReviewStats, StatsError> {
    store.review_stats(question.scope, &question.filter, question.group_by).await
}

async fn put_businesses<'a>(stack: &TestStack, businesses: impl IntoIterator<Item = (&'a str, u64, &'a str)>) {
    for (id, org_id, city) in businesses {
        let business =
            Business { id: business_id(id), org_id: org(org_id), name: "Name".to_owned(), city: city.to_owned() };
        stack.stores().businesses.put(&business).await.expect("the store answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_between_writes_and_folds_are_those_of_a_list() {
    let stack = TestStack::start().await;
    let (mut rng, mut model) = (rng("stats"), Model::default());
    put_businesses(&stack, BUSINESSES).await;
    // Small roots, so that most reviews are in nodes.
    let new_store = || ReviewStore::new(&stack.stores().database).with_fold_limits(LIMITS).with_recent_max(20);
    let (writer, warm) = (new_store(), new_store());
    model.write(&writer, (0..REVIEWS).map(|number| review(&mut rng, number)).collect()).await;
    for step in 0..rounds(STEPS).max(2) {
        // The first fold is of the large organisation.
        if step % 3 == 1 {
            writer.fold_reviews(org(if step % 2 == 1 { 1 } else { 2 })).await.expect("the store answers");
        } else {
            let count = rng.usize(1..90);
            let updates = model.changed(&mut rng, count, changed);
            model.write(&stack.stores().reviews, updates).await;
        }
        let cold = new_store();
        for number in 0..QUESTIONS_A_STEP {
            let question = question(&mut rng);
            let expected = expected(&model, &question);
            for (kind, store) in [("warm", &warm), ("cold", &cold)] {
                let stats = ask(store, &question).await.expect("few groups");
                assert_eq!(stats, expected, "step {step}, question {number}, {kind}: {question:?}");
            }
        }
    }
}

/// Returns reviews of one business, one a day.
fn daily_reviews(days: i64) -> Vec<Review> {
    let mut rng = Rng::with_seed(7);
    let daily = |day: i64| {
        let second = day * 86_400 + 40_000;
        let id = ReviewId::derive(&business_id("b2"), Partner::Partner8, &day.to_string(), 0);
        let new = review(&mut rng, 0);
        let (org_id, business_id, city_key) = (org(1), business_id("b2"), "evora".to_owned());
        Review { id, org_id, business_id, city_key, date: second, update_date: None, ..new }
    };
    (20_000..20_000 + days).map(daily).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_days_are_groups_and_one_more_is_refused() {
    let stack = TestStack::start().await;
    let most = i64::try_from(MAX_GROUPS).expect("a small number");
    stack.fill_reviews(&daily_reviews(most + 1)).await;
    let until = |day: i64| ReviewFilter { to: Some((20_000 + day) * 86_400 - 1), ..ReviewFilter::ALL };
    for (org_id, what) in [(Some(org(1)), "an organisation"), (None, "all")] {
        let question = |days, group_by| Question { scope: scope_of(org_id), org_id, filter: until(days), group_by };
        let store = || ReviewStore::new(&stack.stores().database);
        let stats = ask(&store(), &question(most, Some(GroupBy::Day))).await.expect("a thousand groups");
        assert_eq!(stats.groups.expect("groups").len(), MAX_GROUPS, "{what}");
        let refused = ask(&store(), &question(most + 1, Some(GroupBy::Day))).await;
        assert!(matches!(refused, Err(StatsError::TooManyGroups(_))), "{what}: {refused:?}");
        let months = ask(&store(), &question(most + 1, Some(GroupBy::Month))).await.expect("few groups");
        assert_eq!((months.counts.total(), months.groups.expect("groups").len()), (most + 1, 34), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_add_up_while_the_list_of_businesses_lags() {
    let (stack, lag) = (TestStack::start().await, LagConnector::new(0));
    let stores = stack.stores_through(lag.over(in_process_client()), long_timeouts(), stack.table_prefix());
    let (mut rng, mut model) = (rng("lagging list"), Model::default());
    put_businesses(&stack, BUSINESSES.into_iter().filter(|(id, ..)| *id == "b1")).await;
    let questions = [GroupBy::Business, GroupBy::City].map(|group_by| Question {
        scope: scope_of(Some(org(1))),
        org_id: Some(org(1)),
        filter: ReviewFilter::ALL,
        group_by: Some(group_by),
    });
    for question in &questions {
        ask(&stores.reviews, question).await.expect("no reviews");
    }
    lag.set_reads(u64::MAX);
    put_businesses(&stack, BUSINESSES.into_iter().filter(|(id, ..)| *id != "b1")).await;
    model.write(&stores.reviews, (0..100).map(|number| review(&mut rng, number)).collect()).await;
    stores.reviews.fold_reviews(org(1)).await.expect("the store answers");
    for question in &questions {
        assert_eq!(ask(&stores.reviews, question).await.expect("statistics"), expected(&model, question));
    }
    assert!(lag.stale_answers() > 0, "the list lagged");
}

/// Asserts that groups that lack reviews are no answer.
async fn assert_are_unavailable(store: &ReviewStore, question: &Question) {
    let answer = ask(store, question).await;
    assert!(matches!(&answer, Err(StatsError::Failed(Error::Unavailable(_)))), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn business_that_the_list_lacks_is_found_in_the_log_and_by_its_own_item_afterwards() {
    let stack = TestStack::start().await;
    let (mut rng, mut model) = (rng("unlisted business"), Model::default());
    put_businesses(&stack, BUSINESSES.into_iter().filter(|(id, ..)| *id != "b3")).await;
    let reviews = (0..300).map(|number| review(&mut rng, number)).filter(|review| review.org_id == org(1));
    let reviews: Vec<_> = reviews.take(40).collect();
    model.write(&stack.stores().reviews, reviews).await;
    let own = |group_by| Question {
        scope: scope_of(Some(org(1))),
        org_id: Some(org(1)),
        filter: ReviewFilter::ALL,
        group_by,
    };
    let by_business = own(Some(GroupBy::Business));
    let store = &stack.stores().reviews;
    assert_eq!(ask(store, &by_business).await.expect("statistics"), expected(&model, &by_business));

    store.fold_reviews(org(1)).await.expect("the store answers");
    assert_are_unavailable(store, &by_business).await;
    let by_city = own(Some(GroupBy::City));
    assert_eq!(ask(store, &by_city).await.expect("statistics"), expected(&model, &by_city), "its city is listed");
    put_businesses(&stack, BUSINESSES.into_iter().filter(|(id, ..)| *id == "b3")).await;
    assert_eq!(ask(store, &by_business).await.expect("statistics"), expected(&model, &by_business));
}

#[tokio::test(flavor = "multi_thread")]
async fn named_business_without_a_location_is_in_no_city_until_it_has_one() {
    let stack = TestStack::start().await;
    let (mut rng, mut model) = (rng("unlocated business"), Model::default());
    put_businesses(&stack, BUSINESSES.into_iter().filter(|(id, ..)| *id != "b3")).await;
    let reviews = (0..300).map(|number| review(&mut rng, number)).filter(|review| review.org_id == org(1));
    let reviews: Vec<_> = reviews.take(40).collect();
    model.write(&stack.stores().reviews, reviews).await;
    let named = Some(vec![business_id("b1"), business_id("b3")]);
    let filter = ReviewFilter { businesses: named, ..ReviewFilter::ALL };
    let (scope, org_id, group_by) = (scope_of(Some(org(1))), Some(org(1)), Some(GroupBy::City));
    let by_city = Question { scope, org_id, filter, group_by };
    let store = &stack.stores().reviews;
    let all = expected(&model, &by_city);
    assert_eq!(all.groups.as_ref().map(Vec::len), Some(2), "both businesses have reviews");
    assert_are_unavailable(store, &by_city).await;
    put_businesses(&stack, BUSINESSES.into_iter().filter(|(id, ..)| *id == "b3")).await;
    assert_eq!(ask(store, &by_city).await.expect("statistics"), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_thousand_businesses_are_refused_and_filters_narrow_them() {
    let stack = TestStack::start().await;
    let ids: Vec<String> = (0..=MAX_GROUPS).map(|number| format!("m{number:04}")).collect();
    put_businesses(&stack, ids.iter().map(|id| (id.as_str(), 1, "Évora"))).await;
    let mut rng = rng("many businesses");
    let of_business = |(number, id): (usize, &String)| {
        let (partner, rating) = (Partner::Partner8, Rating::ALL[usize::from(number > 3)]);
        let id = business_id(id);
        let new = review(&mut rng, number);
        let review_id = ReviewId::derive(&id, partner, "1", 0);
        let (city_key, state) = ("evora".to_owned(), ReviewState::Treated);
        Review { id: review_id, org_id: org(1), business_id: id, city_key, partner, rating, state, ..new }
    };
    let reviews: Vec<_> = ids.iter().enumerate().map(of_business).collect();
    stack.fill_reviews(&reviews).await;
    let store = || ReviewStore::new(&stack.stores().database);
    for scope in [scope_of(Some(org(1))), operator_scope()] {
        let refused = store().review_stats(scope, &ReviewFilter::ALL, Some(GroupBy::Business)).await;
        assert!(matches!(refused, Err(StatsError::TooManyGroups(_))), "{refused:?}");
        let mask = FacetMask::from_predicate(|_, rating, _, _| rating.get() == 1);
        let rated_one = ReviewFilter { mask, ..ReviewFilter::ALL };
        let few = store().review_stats(scope, &rated_one, Some(GroupBy::Business)).await.expect("few groups");
        let keys: Vec<String> = few.groups.expect("groups").iter().map(|group| group.key.to_string()).collect();
        assert_eq!(keys, ids[..4]);
        let cities = store().review_stats(scope, &ReviewFilter::ALL, Some(GroupBy::City)).await.expect("a city");
        let city = GroupKey::City { key: "evora".to_owned(), name: "Évora".to_owned() };
        assert_eq!(cities.groups.expect("groups").iter().map(|group| &group.key).collect::<Vec<_>>(), [&city]);
    }
}
