//! Random reviews of two organisations, written with the log, beside a list of what the store should have.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::review::{Rating, Review, ReviewState};
use presence_store::ReviewStore;
use presence_tests::ReviewModel;
pub(super) use presence_tests::reviews::org_id as org;
use presence_tests::reviews::{business_id, pick, random_review, random_second};

const CITIES: [&str; 3] = ["saint etienne", "evora", "lyon"];
const BUSINESSES: usize = 12;

/// Returns a new random review, one in ten of organisation 2.
pub(super) fn new_review(rng: &mut Rng) -> Review {
    let (business, org) = (rng.usize(..BUSINESSES), if rng.u8(..10) == 0 { 2 } else { 1 });
    let place = (&*format!("b{business}"), org, CITIES[business % CITIES.len()]);
    let name = format!("review {}", rng.u64(..));
    random_review(rng, &name, place)
}

/// Makes random changes through the store: new reviews, other facets, other dates, and moves to another city, business or
/// organisation.
pub(super) async fn write_random(model: &mut ReviewModel, store: &ReviewStore, rng: &mut Rng, count: usize) {
    let reviews: Vec<_> = model.reviews.values().collect();
    let mut changes = BTreeMap::new();
    for _ in 0..count {
        let new = match rng.choice(&reviews) {
            Some(old) if rng.u8(..3) > 0 => changed(rng, old),
            _ => new_review(rng),
        };
        changes.insert(new.id.clone(), new);
    }
    model.write(store, changes.into_values().collect()).await;
}

fn changed(rng: &mut Rng, old: &Review) -> Review {
    let mut new = old.clone();
    match rng.u8(..8) {
        0 => new.state = pick(rng, &ReviewState::ALL),
        1 => new.rating = pick(rng, &Rating::ALL),
        2 => new.date = random_second(rng),
        3 => new.update_date = Some(random_second(rng)),
        4 => pick(rng, &CITIES).clone_into(&mut new.city_key),
        5 => new.business_id = business_id(&format!("b{}", rng.usize(..BUSINESSES))),
        6 => new.org_id = org(3 - old.org_id.get()),
        _ => new.content = pick(rng, &[None, Some("Bien")]).map(str::to_owned),
    }
    new
}
