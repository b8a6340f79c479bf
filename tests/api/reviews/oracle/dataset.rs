//! Dataset of the oracle: shops of two organisations with their reviews, random changes, and the rows that import them.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::instant::format_second;
use presence_domain::review::{Rating, Review, ReviewId, ReviewState};
use presence_domain::text::city_key;
use presence_tests::reviews::{CROWDED_DAYS, DAY, FIRST_SECOND, matching, pick, random_review, random_second};
use serde_json::{Value, json};

/// Business with reviews.
struct Shop {
    id: &'static str,
    org: u64,
    /// Cities before and after a move.
    cities: [&'static str; 2],
    /// Share of the reviews. Organisation 2 has few.
    share: usize,
    /// True if the shop writes its city in capital letters.
    shouts: bool,
}

const SHOPS: [Shop; 5] = [
    Shop { id: "b1", org: 1, cities: ["Saint-Étienne", "Saint-Étienne"], share: 10, shouts: false },
    Shop { id: "b2", org: 1, cities: ["Évora", "Évora"], share: 8, shouts: false },
    Shop { id: "b3", org: 1, cities: ["Évora", "Besançon"], share: 2, shouts: false },
    Shop { id: "b4", org: 2, cities: ["Évora", "Saint-Étienne"], share: 1, shouts: true },
    Shop { id: "b5", org: 2, cities: ["Saint-Étienne", "Saint-Étienne"], share: 1, shouts: false },
];

/// Shops, with the reviews that the tables should have.
pub(crate) struct Dataset {
    moved: bool,
    reviews: BTreeMap<ReviewId, Review>,
}

impl Dataset {
    /// Builds a dataset with so many reviews.
    pub(crate) fn build(rng: &mut Rng, count: usize) -> Self {
        let reviews = (0..count).map(|number| shop_review(rng, number)).map(|review| (review.id.clone(), review));
        Self { moved: false, reviews: reviews.collect() }
    }

    /// Returns the reviews that a caller sees, the oldest first: those of an organisation, or all.
    pub(super) fn sorted(&self, org: Option<u64>) -> Vec<&Review> {
        matching(self.reviews.values(), false, |review| org.is_none_or(|org| review.org_id.get() == org))
    }

    pub(crate) fn reviews(&self) -> Vec<Review> {
        self.reviews.values().cloned().collect()
    }

    /// Returns the number of reviews of organisation 1 in its largest month.
    pub(super) fn reviews_in_crowded_month(&self) -> usize {
        let in_crowd = |review: &&Review| {
            let at = review.effective_at() - FIRST_SECOND;
            review.org_id.get() == 1 && (0..CROWDED_DAYS * DAY).contains(&at)
        };
        self.reviews.values().filter(in_crowd).count()
    }

    /// Returns the shops of an organisation, or all, in the order of their ids: id, key of the city, and its name as the shop writes it.
    pub(super) fn city_names(&self, org: Option<u64>) -> Vec<(&'static str, String, String)> {
        // The fixtures have businesses without reviews, and they give their city a name, too.
        let others = [("b1-1", 1), ("b2-1", 2)].map(|(id, org)| (org, id, "Saint-Étienne".to_owned()));
        let shops = SHOPS.iter().map(|shop| (shop.org, shop.id, self.written_city(shop)));
        let seen = shops.chain(others).filter(|(other, ..)| org.is_none_or(|org| org == *other));
        let mut names: Vec<_> = seen.map(|(_, id, name)| (id, city_key(&name), name)).collect();
        names.sort_unstable();
        names
    }

    /// Returns the city of a shop as its row has it.
    fn written_city(&self, shop: &Shop) -> String {
        if shop.shouts { self.city(shop).to_uppercase() } else { self.city(shop).to_owned() }
    }

    fn city(&self, shop: &Shop) -> &'static str {
        shop.cities[usize::from(self.moved)]
    }

    /// Returns the rows of the organisations, and those of the shops in their present cities.
    pub(crate) fn org_and_shop_rows(&self) -> (String, String) {
        let orgs = [1, 2].map(|org| json!({"id": org, "name": format!("Org {org}")}));
        let shops = SHOPS
            .iter()
            .map(|shop| json!({"id": shop.id, "org_id": shop.org, "name": "Shop", "city": self.written_city(shop)}));
        (lines(orgs), lines(shops))
    }

    /// Moves the shops to their other cities. A second call moves them back.
    pub(super) fn move_shops(&mut self) {
        self.moved = !self.moved;
        for review in self.reviews.values_mut() {
            review.city_key = city_key(shop(review).cities[usize::from(self.moved)]);
        }
    }

    /// Changes so many reviews, adds so many, and returns their rows.
    pub(crate) fn change(&mut self, rng: &mut Rng, changes: usize, newcomers: usize) -> String {
        let ids: Vec<_> = self.reviews.keys().cloned().collect();
        let mut touched = BTreeMap::new();
        for _ in 0..changes {
            let id = &ids[rng.usize(..ids.len())];
            touched.insert(id.clone(), changed(rng, &self.reviews[id]));
        }
        let known = self.reviews.len();
        touched.extend((known..known + newcomers).map(|number| {
            let review = shop_review(rng, number);
            (review.id.clone(), review)
        }));
        self.put(rng, touched)
    }

    /// Restores deleted reviews, and returns their rows.
    pub(super) fn restore(&mut self, rng: &mut Rng) -> String {
        let deleted = self.reviews.values().filter(|review| review.state == ReviewState::Deleted).take(150);
        let back = deleted.map(|review| (review.id.clone(), Review { state: ReviewState::Treated, ..review.clone() }));
        let back = back.collect();
        self.put(rng, back)
    }

    /// Stores the reviews in the dataset, and returns their rows in random order.
    fn put(&mut self, rng: &mut Rng, reviews: BTreeMap<ReviewId, Review>) -> String {
        let mut rows: Vec<Value> = reviews.values().map(|review| row(rng, review)).collect();
        rng.shuffle(&mut rows);
        self.reviews.extend(reviews);
        lines(rows)
    }
}

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().fold(String::new(), |lines, row| lines + &row.to_string() + "\n")
}

fn shop(review: &Review) -> &'static Shop {
    SHOPS.iter().find(|shop| shop.id == review.business_id.as_str()).expect("a shop")
}

/// Returns a random review of one of the shops, before these move.
fn shop_review(rng: &mut Rng, number: usize) -> Review {
    let shares: Vec<&Shop> = SHOPS.iter().flat_map(|shop| std::iter::repeat_n(shop, shop.share)).collect();
    let shop = pick(rng, &shares);
    let review = random_review(rng, &format!("review {number}"), (shop.id, shop.org, &city_key(shop.cities[0])));
    Review { author_name: Some("Zoë".to_owned()), ..review }
}

/// Returns the review with a change of a field that searches depend on.
fn changed(rng: &mut Rng, old: &Review) -> Review {
    let mut new = old.clone();
    match rng.u8(..5) {
        0 => new.state = ReviewState::Deleted,
        1 => new.state = pick(rng, &ReviewState::ALL),
        2 => new.rating = pick(rng, &Rating::ALL),
        3 => new.content = pick(rng, &[None, Some(" "), Some("Nul")]).map(str::to_owned),
        _ => new.update_date = (rng.u8(..3) > 0).then(|| random_second(rng)),
    }
    new
}

fn row(rng: &mut Rng, review: &Review) -> Value {
    json!({
        "business_id": review.business_id.as_str(), "partner": review.partner.as_str(),
        "partner_id": review.partner_id, "author_name": review.author_name, "rating": review.rating.get(),
        "content": review.content, "state": review.state.as_str(),
        "date": random_form(rng, review.date), "update_date": review.update_date.map(|at| random_form(rng, at)),
    })
}

/// Returns a second in a random form that rows accept.
fn random_form(rng: &mut Rng, at: i64) -> String {
    let text = |at: i64| format_second(at)[..19].to_owned();
    match rng.u8(..6) {
        0 => text(at),
        1 => format!("{}Z", text(at)),
        2 => format!("{}.999Z", text(at)),
        3 => format!("{}+05:30", text(at + 19_800)),
        4 => format!("{}-0800", text(at - 28_800)),
        _ if at.rem_euclid(DAY) == 0 => text(at)[..10].to_owned(),
        _ => format!("{}+00:00", text(at)),
    }
}
