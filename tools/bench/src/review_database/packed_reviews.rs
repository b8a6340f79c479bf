//! Reviews in 24 bytes each.

use std::ops::Range;

use presence_domain::review::{FacetKey, Review, ReviewId};
use presence_store::keys::effective_listing;

use crate::distribution::{Distribution, ReviewHeader};

/// Alphabet of review ids, in ascending order: five bits a character.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Review without its texts, packed.
#[derive(Clone, Copy, Debug)]
struct PackedReview {
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
        let facet_key = FacetKey::from_number(self.facet_key).expect("the number of a facet key");
        ReviewHeader { at: self.at(), id: self.id(), facet_key, business: self.business, number }
    }

    fn id(self) -> ReviewId {
        let characters = (0..ReviewId::LENGTH).rev();
        let text = characters.map(|position| char::from(ALPHABET[(self.id >> (5 * position) & 31) as usize]));
        ReviewId::parse(&text.collect::<String>()).expect("the alphabet is that of ids")
    }

    fn at(self) -> i64 {
        i64::from(self.at)
    }
}

/// Reviews of a distribution, packed.
#[derive(Debug)]
pub(super) struct PackedReviews {
    distribution: Distribution,
    /// Reviews ordered by second and id.
    all: Vec<PackedReview>,
    /// Positions in `all`, ordered by id.
    by_id: Vec<u32>,
}

impl PackedReviews {
    pub(super) fn new(distribution: Distribution) -> Self {
        let mut all: Vec<PackedReview> = Vec::with_capacity(usize::try_from(distribution.total).unwrap_or_default());
        for headers in distribution.headers() {
            all.extend(headers.iter().map(|header| PackedReview::new(header).expect("a date before 2106")));
        }
        let mut by_id: Vec<u32> = (0..u32::try_from(all.len()).expect("fewer than 2^32 reviews")).collect();
        by_id.sort_unstable_by_key(|position| all[*position as usize].id);
        Self { distribution, all, by_id }
    }

    pub(super) fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// Returns the position of a review in the order by second and id.
    pub(super) fn position(&self, id: &str) -> Option<usize> {
        let id = pack_id(id)?;
        let rank = self.by_id.binary_search_by_key(&id, |position| self.all[*position as usize].id).ok()?;
        Some(self.by_id[rank] as usize)
    }

    /// Generates the review at a position, with its texts.
    pub(super) fn generate(&self, position: usize) -> Review {
        self.distribution.review(&self.all[position].unpack())
    }

    /// Returns the positions of the reviews from a sort key of `listing-index` to another one, both included.
    pub(super) fn positions(&self, from: &str, to: &str) -> Range<usize> {
        let listing = |review: &PackedReview| effective_listing(review.at(), &review.id());
        let start = self.all.partition_point(|review| listing(review).as_str() < from);
        let end = self.all.partition_point(|review| listing(review).as_str() <= to);
        start..end.max(start)
    }

    /// Returns the positions of all reviews.
    pub(super) fn all_positions(&self) -> Range<usize> {
        0..self.all.len()
    }
}

/// Returns an id as a number. Numbers have the order of ids.
fn pack_id(id: &str) -> Option<u64> {
    id.bytes().try_fold(0, |number, character| Some(number << 5 | ALPHABET.binary_search(&character).ok()? as u64))
}
