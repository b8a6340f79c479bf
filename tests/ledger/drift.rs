//! Damaged trees: an audit names them, a rebuild corrects them, and no search shows what its filter excludes.

use std::collections::BTreeSet;

use fastrand::Rng;
use jiff::Timestamp;
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetMask, Rating, Review, ReviewId, ReviewState};
use presence_ledger::{ReviewSet, TreeKey};
use presence_store::{AuditSettings, FoldLimits, ReviewFilter, ReviewStore, bulk_body_item, schema};
use presence_tests::reviews::{org_id as org, random_review};
use presence_tests::{TestStack, calls_apart, operator_scope, rng};

use super::damage::{Damage, StoredTrees, business_tree, city_tree, largest_facet_tree, org_tree};
use super::model::{Model, query, review};

/// More than the roots hold themselves, so that trees have nodes.
const REVIEWS: usize = 700;
const SEARCHES: usize = 8;
/// Limits under which large sets have trees of facet keys.
const LIMITS: FoldLimits = FoldLimits { fold_from: u64::MAX, pass_changes: 20_000, facets_from: 300 };

/// Writes and folds reviews of two organisations.
async fn folded(stack: &TestStack, rng: &mut Rng, reviews: usize) -> (ReviewStore, Model) {
    let mut model = Model::default();
    for (id, org, city) in [
        ("b1", 1, "Saint-Étienne"),
        ("b2", 1, "Évora"),
        ("b3", 1, "Évora"),
        ("b4", 2, "Évora"),
        ("b5", 2, "Saint-Étienne"),
    ] {
        stack.create_business(org, id, city).await;
    }
    let store = ReviewStore::new(&stack.stores().database).with_fold_limits(LIMITS);
    model.write(&store, (0..reviews).map(|number| review(rng, number)).collect()).await;
    for number in [1, 2] {
        store.fold_reviews(org(number)).await.expect("the store answers");
    }
    (store, model)
}

async fn searches_equal_the_model(store: &ReviewStore, model: &Model, rng: &mut Rng) {
    for number in 0..SEARCHES {
        model.assert_finds(store, &query(rng), &format!("search {number}")).await;
    }
}

/// Returns the names of the trees and reviews that an audit of everything finds wrong.
async fn subjects(store: &ReviewStore) -> BTreeSet<String> {
    let audit = store.audit_reviews(None).await.expect("the store answers");
    audit.findings.into_iter().map(|finding| finding.subject).collect()
}

fn name_of(tree: &TreeKey) -> String {
    match tree.facet_key {
        None => format!("tree {}", tree.set),
        Some(facet_key) => format!("tree {} of facet key {}", tree.set, facet_key.number()),
    }
}

/// Damage of several trees at once.
type Damages = Vec<(TreeKey, Damage)>;

/// Returns rounds of damage in which each tree has each kind once. A sample of them has each kind, too.
fn each_kind_of_each_tree(kinds: &[Damage], trees: &[&TreeKey]) -> Vec<Damages> {
    let damages = |round: usize| {
        let kinds = kinds.iter().cycle().skip(round);
        trees.iter().zip(kinds).map(|(tree, damage)| ((*tree).clone(), *damage)).collect::<Damages>()
    };
    (0..kinds.len()).step_by(calls_apart(trees.len())).map(damages).collect()
}

/// Damages trees of organisation 1, and corrects them.
async fn damage_and_rebuild(stack: &TestStack, store: &ReviewStore, damages: &[(TreeKey, Damage)]) {
    let stored = StoredTrees::of(stack);
    let mut editions = Vec::new();
    for (tree, damage) in damages {
        editions.push(stored.root(tree).await.edition);
        stored.damage(tree, *damage).await;
    }
    let expected: BTreeSet<String> = damages.iter().map(|(tree, _)| name_of(tree)).collect();
    assert_eq!(subjects(store).await, expected, "{damages:?}");
    let rebuilt = store.rebuild_reviews(org(1)).await.expect("the trees can be rebuilt");
    assert_eq!((rebuilt.rewritten, rebuilt.moved), (damages.len(), 0), "{damages:?}");
    assert_eq!(subjects(store).await, BTreeSet::new(), "{damages:?}");
    for ((tree, damage), edition) in damages.iter().zip(editions) {
        let named = stored.named_edition(tree).await;
        assert!(named > edition, "{damage:?}: a search may take the root of before for the present one: {tree:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_of_every_kind_is_found_by_an_audit_and_corrected_by_a_rebuild() {
    let stack = TestStack::start().await;
    let mut rng = rng("ledger drift");
    let (store, model) = folded(&stack, &mut rng, REVIEWS).await;
    assert_eq!(subjects(&store).await, BTreeSet::new(), "nothing is wrong");
    let (of_org, of_city, of_business) = (org_tree(1), city_tree(1, "evora"), business_tree(1, "b1"));
    let of_facet = largest_facet_tree(&of_city, &StoredTrees::of(&stack).root(&of_city).await);
    let mut rounds = each_kind_of_each_tree(&Damage::OF_POSTINGS, &[&of_org, &of_business, &of_facet]);
    rounds.extend(each_kind_of_each_tree(&Damage::OF_NODES, &[&of_org, &of_city, &of_business]));
    rounds.push(vec![(of_org.clone(), Damage::LostCopy)]);
    let trees = [vec![of_city, of_business], vec![of_org], vec![of_facet]];
    let apart = calls_apart(trees.len());
    for (number, damage) in Damage::OF_ROOTS.into_iter().enumerate() {
        for trees in trees.iter().skip(number % apart).step_by(apart) {
            rounds.push(trees.iter().map(|tree| (tree.clone(), damage)).collect());
        }
    }
    for damages in &rounds {
        damage_and_rebuild(&stack, &store, damages).await;
        searches_equal_the_model(&ReviewStore::new(&stack.stores().database), &model, &mut rng).await;
    }
    // A store that has seen it all has old roots and nodes in its cache.
    searches_equal_the_model(&store, &model, &mut rng).await;
}

/// Changes a review without the log. No write of the store does this.
async fn rewrite_review_only(stack: &TestStack, changed: &Review) {
    let client = stack.dynamodb_client();
    let put = client.put_item().table_name(stack.stores().database.name(&schema::REVIEWS));
    put.set_item(Some(bulk_body_item(changed).expect("an item"))).send().await.expect("DynamoDB answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn review_that_the_filter_excludes_is_neither_shown_nor_counted_whatever_the_trees_say() {
    const DAY: i64 = 86_400;
    let stack = TestStack::start().await;
    let mut rng = rng("bodies that are not what their postings say");
    let (store, mut model) = folded(&stack, &mut rng, 0).await;
    let template = Review { state: ReviewState::Treated, rating: Rating::ALL[0], ..review(&mut rng, 0) };
    let start = 1_700_000_000;
    let reviews = (0..24).map(|number| Review {
        date: start + number * DAY,
        update_date: None,
        org_id: org(1),
        city_key: "lyon".to_owned(),
        ..Review { id: review(&mut rng, usize::try_from(number).expect("small")).id, ..template.clone() }
    });
    let reviews: Vec<Review> = reviews.collect();
    model.write(&stack.stores().reviews, reviews.clone()).await;
    let changes: [fn(&mut Review); 4] = [
        |review| review.rating = Rating::ALL[4],
        |review| review.date -= 100 * DAY,
        |review| review.org_id = org(2),
        |review| "paris".clone_into(&mut review.city_key),
    ];
    let mut damaged: Vec<Review> = Vec::new();
    for (review, change) in reviews.iter().zip(changes.iter().cycle()).take(16) {
        let mut damaged_review = review.clone();
        change(&mut damaged_review);
        damaged.push(damaged_review);
    }
    // This review still matches, at another time.
    damaged.push(Review { date: start + 17 * DAY + 1, ..reviews[23].clone() });
    for review in &damaged {
        rewrite_review_only(&stack, review).await;
    }
    let mask =
        FacetMask::from_predicate(|state, rating, _, _| state == ReviewState::Treated && rating == Rating::ALL[0]);
    let page = PageRequest { page: 1, size: 100 };
    let (from, to) = (Some(start), Some(start + 30 * DAY));
    let sets = [ReviewSet::City(org(1), "lyon".to_owned())];
    let filter = ReviewFilter { mask, from, to, newest_first: false, ..ReviewFilter::ALL };
    let found = store.find_reviews(operator_scope(), Some(&sets), &filter, page).await.expect("the store answers");
    let shown: Vec<&ReviewId> = found.items.iter().map(|review| &review.id).collect();
    let expected = [16, 17, 18, 19, 20, 21, 22].map(|number| &reviews[number].id);
    assert_eq!((shown, found.count), (expected.to_vec(), 7), "what differs from its posting is left out");

    // A rebuild would also move the reviews to where their business is.
    let audited = store
        .audit_on_schedule(AuditSettings::new(1e6, true), Timestamp::from_second(start).expect("an instant"), || true)
        .await;
    let audited = audited.expect("the store answers");
    assert!(audited.wrong > 0 && audited.mended == audited.wrong && audited.round_is_done, "{audited:?}");
    let found = store.find_reviews(operator_scope(), Some(&sets), &filter, page).await.expect("the store answers");
    let shown: Vec<&ReviewId> = found.items.iter().map(|review| &review.id).collect();
    let expected = [16, 17, 23, 18, 19, 20, 21, 22].map(|number| &reviews[number].id);
    assert_eq!((shown, found.count), (expected.to_vec(), 8));
}

#[tokio::test(flavor = "multi_thread")]
async fn businesses_whose_names_have_nearly_one_hash_are_no_drift() {
    let (stack, mut rng, mut model) = (TestStack::start().await, rng("nearly one hash"), Model::default());
    let store = ReviewStore::new(&stack.stores().database).with_fold_limits(LIMITS);
    // The first four bytes of both hashes are 6474def2.
    let ids = ["shop-43546", "shop-160090"];
    for (round, id) in [ids[0], ids[1], ids[0], ids[0]].into_iter().enumerate() {
        stack.create_business(1, id, "Lyon").await;
        let review = random_review(&mut rng, &format!("review {round}"), (id, 1, "lyon"));
        model.write(&store, vec![review]).await;
        store.fold_reviews(org(1)).await.expect("the store answers");
    }
    let settings = AuditSettings { index_time: std::time::Duration::ZERO, ..AuditSettings::new(1_000_000.0, true) };
    let run = store.audit_on_schedule(settings, Timestamp::UNIX_EPOCH, || true).await.expect("the store answers");
    assert_eq!((run.wrong, run.mended), (0, 0), "{run:?}");
    assert_eq!(subjects(&store).await, BTreeSet::new());
    let rebuilt = store.rebuild_reviews(org(1)).await.expect("the store answers");
    assert_eq!((rebuilt.reviews, rebuilt.rewritten), (4, 0));
}
