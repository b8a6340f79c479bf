//! Cities and businesses.

use presence::domain::ids::BusinessId;
use presence::domain::text::city_key;
use presence::store::Business;

use super::org_id;

/// The cities of five sizes, with 30 %, 3 %, 0.3 %, 0.03 % and 0.003 % of the reviews.
pub const CITIES_BY_SIZE: [&str; 5] = ["Paris", "Lyon", "Nice", "Sète", "Èze"];
/// Their shares, of 100,000.
const SHARES: [u32; 5] = [30_000, 3_000, 300, 30, 3];
/// Businesses in each of them.
const BUSINESSES: [u16; 5] = [150, 20, 3, 1, 1];
/// The cities that have the rest of the reviews, and businesses in each of them.
const OTHER_CITIES: u16 = 195;
const IN_OTHER_CITY: u16 = 2;
/// The most reviews of the small business.
const SMALL_BUSINESS: u64 = 1_000;

/// Where reviews are left.
#[derive(Debug)]
pub(super) struct Businesses {
    businesses: Vec<Business>,
    city_keys: Vec<String>,
    /// The first business of each of the cities of five sizes, of all others, and the small one.
    firsts: [u16; 7],
    /// One review in so many is of the small business.
    small_every: u64,
}

impl Businesses {
    pub(super) fn new(total: u64) -> Self {
        let mut cities: Vec<String> = Vec::new();
        let mut firsts = [0; 7];
        for (size, city) in CITIES_BY_SIZE.iter().enumerate() {
            firsts[size + 1] = firsts[size] + BUSINESSES[size];
            cities.extend(std::iter::repeat_n((*city).to_owned(), usize::from(BUSINESSES[size])));
        }
        let others = (1..=OTHER_CITIES).map(|number| format!("Saint-Martin {number}"));
        cities.extend(others.flat_map(|city| std::iter::repeat_n(city, usize::from(IN_OTHER_CITY))));
        firsts[6] = firsts[5] + OTHER_CITIES * IN_OTHER_CITY;
        cities.push("Saint-Martin 1".to_owned());
        let business = |(number, city): (usize, String)| Business {
            id: BusinessId::parse(&format!("5409c35a97bbc544d8{number:06x}")).expect("hexadecimal digits"),
            org_id: org_id(),
            name: format!("Shop {number}"),
            city,
        };
        let businesses: Vec<Business> = cities.into_iter().enumerate().map(business).collect();
        let city_keys = businesses.iter().map(|business| city_key(&business.city)).collect();
        Self { businesses, city_keys, firsts, small_every: (total / SMALL_BUSINESS).max(100) }
    }

    pub(super) fn businesses(&self) -> &[Business] {
        &self.businesses
    }

    pub(super) fn small_business(&self) -> &Business {
        &self.businesses[usize::from(self.firsts[6])]
    }

    pub(super) fn city_key(&self, business: u16) -> &str {
        &self.city_keys[usize::from(business)]
    }

    /// The business of a review.
    pub(super) fn pick(&self, number: u64, rng: &mut fastrand::Rng) -> u16 {
        let mut left = rng.u32(0..100_000);
        let mut size = 0;
        while size < SHARES.len() && left >= SHARES[size] {
            left -= SHARES[size];
            size += 1;
        }
        let one = rng.u16(self.firsts[size]..self.firsts[size + 1]);
        if number.is_multiple_of(self.small_every) && number / self.small_every < SMALL_BUSINESS {
            self.firsts[6]
        } else {
            one
        }
    }
}
