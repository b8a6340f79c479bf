//! Businesses of the generated organisation, and their cities.

use presence_domain::ids::BusinessId;
use presence_domain::text::city_key;
use presence_store::Business;

use super::org_id;

/// Cities of five sizes, with 30 %, 3 %, 0.3 %, 0.03 % and 0.003 % of the reviews.
pub(crate) const CITIES_BY_SIZE: [&str; 5] = ["Paris", "Lyon", "Nice", "Sète", "Èze"];
/// Shares of these cities, of 100,000 reviews.
const SHARES: [u32; 5] = [30_000, 3_000, 300, 30, 3];
/// Number of businesses in each of these cities.
const BUSINESSES: [u16; 5] = [150, 20, 3, 1, 1];
/// Number of the other cities, which share the rest of the reviews.
const OTHER_CITIES: u16 = 195;
/// Number of businesses in each of the other cities.
const BUSINESSES_OF_OTHER_CITY: u16 = 2;
/// Largest number of reviews of the small business.
const SMALL_BUSINESS_REVIEWS: u64 = 1_000;

/// Businesses in the order of their cities: the five named cities, the other cities, the small business.
#[derive(Debug)]
pub(super) struct Businesses {
    all: Vec<Business>,
    city_keys: Vec<String>,
    /// Positions in `all` of the first business of each group of cities, and of the small business at the end.
    group_starts: [u16; 7],
    /// Distance between two reviews of the small business.
    small_business_interval: u64,
}

impl Businesses {
    /// Generates the businesses for a number of reviews.
    pub(super) fn new(total: u64) -> Self {
        let mut cities: Vec<String> = Vec::new();
        let mut group_starts = [0; 7];
        for (size, city) in CITIES_BY_SIZE.iter().enumerate() {
            group_starts[size + 1] = group_starts[size] + BUSINESSES[size];
            cities.extend(std::iter::repeat_n((*city).to_owned(), usize::from(BUSINESSES[size])));
        }
        let others = (1..=OTHER_CITIES).map(|number| format!("Saint-Martin {number}"));
        cities.extend(others.flat_map(|city| std::iter::repeat_n(city, usize::from(BUSINESSES_OF_OTHER_CITY))));
        group_starts[6] = group_starts[5] + OTHER_CITIES * BUSINESSES_OF_OTHER_CITY;
        cities.push("Saint-Martin 1".to_owned());
        let all: Vec<Business> = cities.into_iter().enumerate().map(|(number, city)| business(number, city)).collect();
        let city_keys = all.iter().map(|business| city_key(&business.city)).collect();
        Self { all, city_keys, group_starts, small_business_interval: (total / SMALL_BUSINESS_REVIEWS).max(100) }
    }

    pub(super) fn as_slice(&self) -> &[Business] {
        &self.all
    }

    pub(super) fn small_business(&self) -> &Business {
        &self.all[usize::from(self.group_starts[6])]
    }

    pub(super) fn city_key(&self, business: u16) -> &str {
        &self.city_keys[usize::from(business)]
    }

    /// Picks the business of a review: its position.
    pub(super) fn pick(&self, number: u64, rng: &mut fastrand::Rng) -> u16 {
        let mut remainder = rng.u32(0..100_000);
        let mut size = 0;
        while size < SHARES.len() && remainder >= SHARES[size] {
            remainder -= SHARES[size];
            size += 1;
        }
        // Drawn in either case: the numbers that follow must not depend on it.
        let of_city = rng.u16(self.group_starts[size]..self.group_starts[size + 1]);
        let is_of_small_business = number.is_multiple_of(self.small_business_interval)
            && number / self.small_business_interval < SMALL_BUSINESS_REVIEWS;
        if is_of_small_business { self.group_starts[6] } else { of_city }
    }
}

fn business(number: usize, city: String) -> Business {
    let id = BusinessId::parse(&format!("5409c35a97bbc544d8{number:06x}")).expect("hexadecimal digits");
    Business { id, org_id: org_id(), name: format!("Shop {number}"), city }
}
