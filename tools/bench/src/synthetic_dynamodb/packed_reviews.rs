//! Reviews as 24 bytes each, and what can be said of them.

use std::collections::BTreeMap;
use std::ops::Range;

use presence_domain::ledger::{CELLS, Cell, Day, Month, SECONDS_OF_DAY};
use presence_domain::review::{Review, ReviewId};

use crate::distribution::{Distribution, ReviewHeader};

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Reviews by cell.
pub(super) type Counts = [u32; CELLS];

/// Reviews: everyone's, or those of a city, by its place among the cities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SetSelector {
    Org,
    City(u16),
}

/// A review.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedReview {
    id: u64,
    /// Seconds since 1970.
    at: u32,
    number: u32,
    business: u16,
    cell: u8,
}

impl PackedReview {
    fn new(entry: &ReviewHeader) -> Option<Self> {
        let id = pack_id(entry.id.as_str())?;
        let (at, number) = (u32::try_from(entry.at).ok()?, u32::try_from(entry.number).ok()?);
        Some(Self { id, at, number, business: entry.business, cell: entry.cell.number() })
    }

    pub(super) fn id(self) -> ReviewId {
        let places = (0..ReviewId::LENGTH).rev();
        let text = places.map(|place| char::from(ALPHABET[(self.id >> (5 * place) & 31) as usize]));
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

    pub(super) fn cell(self) -> Cell {
        Cell::from_number(self.cell).expect("it was a cell")
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct PackedReviews {
    distribution: Distribution,
    /// In the order of second and id.
    all: Vec<PackedReview>,
    /// Positions in `all`, in the order of ids.
    by_id: Vec<u32>,
    /// The city of each business, by its place among the cities.
    cities: Vec<u16>,
    city_keys: Vec<String>,
    /// By month and city.
    months: BTreeMap<Month, Vec<Counts>>,
}

impl PackedReviews {
    pub(super) fn new(distribution: Distribution) -> Self {
        let (mut cities, mut city_keys) = (Vec::new(), Vec::<String>::new());
        for business in (0..).take(distribution.businesses().len()) {
            let key = distribution.city_key(business);
            let known = city_keys.iter().position(|city| city == key);
            let city = known.unwrap_or_else(|| {
                city_keys.push(key.to_owned());
                city_keys.len() - 1
            });
            cities.push(u16::try_from(city).expect("a few hundred cities"));
        }
        let mut rows: Vec<PackedReview> = Vec::with_capacity(usize::try_from(distribution.total()).unwrap_or_default());
        let mut months = BTreeMap::new();
        for entries in distribution.headers() {
            let Some(first) = entries.first() else { continue };
            let mut counts = vec![[0; CELLS]; city_keys.len()];
            for entry in &entries {
                counts[usize::from(cities[usize::from(entry.business)])][usize::from(entry.cell.number())] += 1;
            }
            months.insert(Day::of(first.at).month(), counts);
            rows.extend(entries.iter().map(|entry| PackedReview::new(entry).expect("a review of these five years")));
        }
        let mut by_id: Vec<u32> = (0..u32::try_from(rows.len()).expect("fewer than 2^32 reviews")).collect();
        by_id.sort_unstable_by_key(|position| rows[*position as usize].id);
        Self { distribution, all: rows, by_id, cities, city_keys, months }
    }

    pub(super) fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    pub(super) fn city(&self, key: &str) -> Option<SetSelector> {
        let place = self.city_keys.iter().position(|city| city == key)?;
        Some(SetSelector::City(u16::try_from(place).ok()?))
    }

    /// The review with its texts.
    pub(super) fn review(&self, id: &str) -> Option<Review> {
        let packed = pack_id(id)?;
        let place = self.by_id.binary_search_by_key(&packed, |position| self.all[*position as usize].id).ok()?;
        let row = self.all[self.by_id[place] as usize];
        Some(self.distribution.review(&ReviewHeader {
            at: row.at(),
            id: row.id(),
            cell: row.cell(),
            business: row.business,
            number: u64::from(row.number),
        }))
    }

    /// Those of these days, both included, in the order of second and id.
    pub(super) fn of_days(&self, selector: SetSelector, days: (Day, Day)) -> impl Iterator<Item = PackedReview> {
        let range = self.range(days.0.start(), days.1.end());
        self.all[range].iter().copied().filter(move |row| self.is(selector, *row))
    }

    /// Those of a business.
    pub(super) fn of_business(&self, business: u16) -> impl Iterator<Item = PackedReview> {
        self.all.iter().copied().filter(move |row| row.business == business)
    }

    fn is(&self, selector: SetSelector, row: PackedReview) -> bool {
        match selector {
            SetSelector::Org => true,
            SetSelector::City(city) => self.cities[usize::from(row.business)] == city,
        }
    }

    fn range(&self, from: i64, to: i64) -> Range<usize> {
        self.all.partition_point(|row| row.at() < from)..self.all.partition_point(|row| row.at() <= to)
    }

    /// The months that have reviews, with their counts.
    pub(super) fn months(&self, selector: SetSelector) -> impl Iterator<Item = (Month, Counts)> {
        let of_month = move |(month, cities): (&Month, &Vec<Counts>)| {
            let counts = match selector {
                SetSelector::City(city) => cities[usize::from(city)],
                SetSelector::Org => {
                    cities.iter().fold([0; CELLS], |sum, city| std::array::from_fn(|n| sum[n] + city[n]))
                }
            };
            counts.iter().any(|count| *count > 0).then_some((*month, counts))
        };
        self.months.iter().filter_map(of_month)
    }

    /// The days that have reviews, both ends included, with their counts.
    pub(super) fn days(&self, selector: SetSelector, days: (Day, Day)) -> BTreeMap<Day, Counts> {
        let mut counts = BTreeMap::new();
        for row in self.of_days(selector, days) {
            counts.entry(row.day()).or_insert([0; CELLS])[usize::from(row.cell)] += 1;
        }
        counts
    }
}

/// An id as a number, in the same order.
fn pack_id(id: &str) -> Option<u64> {
    id.bytes().try_fold(0, |id, byte| Some(id << 5 | ALPHABET.binary_search(&byte).ok()? as u64))
}
