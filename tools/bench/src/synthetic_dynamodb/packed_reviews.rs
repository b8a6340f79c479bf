//! Reviews in 24 bytes each, and their counts.

use std::collections::BTreeMap;
use std::ops::Range;

use presence_domain::ledger::{Day, FACET_KEY_COUNT, FacetKey, Month, SECONDS_OF_DAY};
use presence_domain::review::{Review, ReviewId};

use crate::distribution::{Distribution, ReviewHeader};

/// Alphabet of review ids, in ascending order: five bits a character.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Number of reviews of each facet key.
pub(super) type Counts = [u32; FACET_KEY_COUNT];

/// Selector of the reviews of a set: all, or those of a city by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SetSelector {
    Org,
    City(u16),
}

/// Review without its texts, packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedReview {
    id: u64,
    /// Effective second since 1970.
    at: u32,
    number: u32,
    business: u16,
    facet_key: u8,
}

impl PackedReview {
    fn new(header: &ReviewHeader) -> Option<Self> {
        let id = pack_id(header.id.as_str())?;
        let (at, number) = (u32::try_from(header.at).ok()?, u32::try_from(header.number).ok()?);
        Some(Self { id, at, number, business: header.business, facet_key: header.facet_key.number() })
    }

    fn unpack(self) -> ReviewHeader {
        let number = u64::from(self.number);
        ReviewHeader { at: self.at(), id: self.id(), facet_key: self.facet_key(), business: self.business, number }
    }

    pub(super) fn id(self) -> ReviewId {
        let characters = (0..ReviewId::LENGTH).rev();
        let text = characters.map(|position| char::from(ALPHABET[(self.id >> (5 * position) & 31) as usize]));
        ReviewId::parse(&text.collect::<String>()).expect("the alphabet is that of ids")
    }

    pub(super) fn at(self) -> i64 {
        i64::from(self.at)
    }

    pub(super) fn day(self) -> Day {
        Day::of(self.at())
    }

    pub(super) fn second_of_day(self) -> i64 {
        self.at().rem_euclid(SECONDS_OF_DAY)
    }

    pub(super) fn facet_key(self) -> FacetKey {
        FacetKey::from_number(self.facet_key).expect("the number of a facet key")
    }
}

/// Cities of the businesses.
#[derive(Debug, Default)]
struct Cities {
    keys: Vec<String>,
    /// Position of the city of each business in `keys`.
    by_business: Vec<u16>,
}

impl Cities {
    fn new(distribution: &Distribution) -> Self {
        let mut cities = Self::default();
        for business in (0..).take(distribution.businesses().len()) {
            let key = distribution.city_key(business);
            let city = cities.position(key).unwrap_or_else(|| {
                cities.keys.push(key.to_owned());
                cities.keys.len() - 1
            });
            cities.by_business.push(u16::try_from(city).expect("a few hundred cities"));
        }
        cities
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.keys.iter().position(|city| city == key)
    }

    fn of_business(&self, business: u16) -> u16 {
        self.by_business[usize::from(business)]
    }
}

/// Reviews of a distribution, packed.
#[derive(Debug)]
pub(super) struct PackedReviews {
    distribution: Distribution,
    cities: Cities,
    /// Reviews ordered by second and id.
    all: Vec<PackedReview>,
    /// Positions in `all`, ordered by id.
    by_id: Vec<u32>,
    /// Counts of each month, by the position of the city.
    months: BTreeMap<Month, Vec<Counts>>,
}

impl PackedReviews {
    pub(super) fn new(distribution: Distribution) -> Self {
        let cities = Cities::new(&distribution);
        let mut all: Vec<PackedReview> = Vec::with_capacity(usize::try_from(distribution.total()).unwrap_or_default());
        let mut months = BTreeMap::new();
        for headers in distribution.headers() {
            let Some(first) = headers.first() else { continue };
            let mut counts = vec![[0; FACET_KEY_COUNT]; cities.keys.len()];
            for header in &headers {
                let city = usize::from(cities.of_business(header.business));
                counts[city][usize::from(header.facet_key.number())] += 1;
            }
            months.insert(Day::of(first.at).month(), counts);
            all.extend(headers.iter().map(|header| PackedReview::new(header).expect("a date before 2106")));
        }
        let mut by_id: Vec<u32> = (0..u32::try_from(all.len()).expect("fewer than 2^32 reviews")).collect();
        by_id.sort_unstable_by_key(|position| all[*position as usize].id);
        Self { distribution, cities, all, by_id, months }
    }

    pub(super) fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// Returns the selector of a city by its folded name.
    pub(super) fn city(&self, key: &str) -> Option<SetSelector> {
        let position = self.cities.position(key)?;
        Some(SetSelector::City(u16::try_from(position).ok()?))
    }

    /// Generates a review with its texts.
    pub(super) fn review(&self, id: &str) -> Option<Review> {
        let id = pack_id(id)?;
        let rank = self.by_id.binary_search_by_key(&id, |position| self.all[*position as usize].id).ok()?;
        let review = self.all[self.by_id[rank] as usize];
        Some(self.distribution.review(&review.unpack()))
    }

    /// Returns the reviews of a range of days, both included, ordered by second and id.
    pub(super) fn of_days(&self, set: SetSelector, days: (Day, Day)) -> impl Iterator<Item = PackedReview> {
        let range = self.positions(days.0.start(), days.1.end());
        self.all[range].iter().copied().filter(move |review| self.is_in(set, *review))
    }

    /// Returns the reviews of a business by its position.
    pub(super) fn of_business(&self, business: u16) -> impl Iterator<Item = PackedReview> {
        self.all.iter().copied().filter(move |review| review.business == business)
    }

    fn is_in(&self, set: SetSelector, review: PackedReview) -> bool {
        match set {
            SetSelector::Org => true,
            SetSelector::City(city) => self.cities.of_business(review.business) == city,
        }
    }

    /// Returns the positions of the reviews of a range of seconds, both included.
    fn positions(&self, from: i64, to: i64) -> Range<usize> {
        self.all.partition_point(|review| review.at() < from)..self.all.partition_point(|review| review.at() <= to)
    }

    /// Returns the months that have reviews, with their counts.
    pub(super) fn months(&self, set: SetSelector) -> impl Iterator<Item = (Month, Counts)> {
        let months = self.months.iter().map(move |(month, cities)| match set {
            SetSelector::City(city) => (*month, cities[usize::from(city)]),
            SetSelector::Org => (*month, sum(cities)),
        });
        months.filter(|(_, counts)| counts.iter().any(|count| *count > 0))
    }

    /// Returns the days that have reviews, both ends included, with their counts.
    pub(super) fn days(&self, set: SetSelector, days: (Day, Day)) -> BTreeMap<Day, Counts> {
        let mut counts = BTreeMap::new();
        for review in self.of_days(set, days) {
            counts.entry(review.day()).or_insert([0; FACET_KEY_COUNT])[usize::from(review.facet_key)] += 1;
        }
        counts
    }
}

fn sum(cities: &[Counts]) -> Counts {
    cities.iter().fold([0; FACET_KEY_COUNT], |total, counts| std::array::from_fn(|key| total[key] + counts[key]))
}

/// Returns an id as a number. Numbers have the order of ids.
fn pack_id(id: &str) -> Option<u64> {
    id.bytes().try_fold(0, |number, character| Some(number << 5 | ALPHABET.binary_search(&character).ok()? as u64))
}
