//! Texts of a generated review. They depend on its number only.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::review::{FacetKey, Partner, Rating, Review, ReviewState};

use super::{Distribution, ReviewHeader, org_id};

#[rustfmt::skip]
const WORDS: [&str; 16] = [
    "accueil", "parfait", "service", "rapide", "produits", "frais", "équipe", "souriante",
    "attente", "longue", "prix", "corrects", "parking", "pratique", "conseils", "précieux",
];
const NAMES: [&str; 8] = ["Zoé", "Léa", "Anna", "Marie", "Jean", "Paul", "José", "Søren"];

/// Returns the id of the review at its partner.
pub(super) fn partner_id(number: u64) -> String {
    format!("ChZDSUhN{number:012}")
}

impl Distribution {
    /// Generates the review of a header, with its texts. Its item has some 500 bytes.
    pub(crate) fn review(&self, header: &ReviewHeader) -> Review {
        let number = header.number;
        let (state, rating, partner, has_content) = facets(header.facet_key);
        let was_changed = number % 10 == 3;
        let partner_id = partner_id(number);
        let written_at = header.at - i64::try_from(number % 40 + 1).unwrap_or_default() * SECONDS_OF_DAY - 1;
        Review {
            id: header.id.clone(),
            version: 1,
            org_id: org_id(),
            business_id: self.businesses.as_slice()[usize::from(header.business)].id.clone(),
            city_key: self.city_key(header.business).to_owned(),
            partner,
            key: format!("accounts/104/reviews/{partner_id}"),
            author_name: Some(format!("{} {}", words(&NAMES, number, 1), words(&WORDS, number / 8, 1))),
            date: if was_changed { written_at } else { header.at },
            update_date: was_changed.then_some(header.at),
            delete_date: (state == ReviewState::Deleted).then(|| {
                let day = Timestamp::from_second(header.at + SECONDS_OF_DAY).unwrap_or(Timestamp::MAX);
                TimeZone::UTC.to_datetime(day).date()
            }),
            rating,
            title: number.is_multiple_of(4).then(|| words(&WORDS, number, 3)),
            content: has_content.then(|| words(&WORDS, number, 16 + number % 12)),
            reply_comment: (state == ReviewState::Treated).then(|| words(&WORDS, number / 3, 10)),
            state,
            link: Some(format!("https://reviews.example/{}/{partner_id}", partner.as_str())),
            partner_id,
            seen_at: None,
            reply: None,
            acted_at: None,
        }
    }
}

/// Returns the facets of a key: the inverse of [`FacetKey::new`](presence_domain::review::FacetKey::new).
fn facets(key: FacetKey) -> (ReviewState, Rating, Partner, bool) {
    let number = usize::from(key.number());
    (ReviewState::ALL[number / 30], Rating::ALL[number / 6 % 5], Partner::ALL[number / 2 % 3], number % 2 == 1)
}

/// Joins `count` words of a vocabulary. Another number gives other words.
fn words(vocabulary: &[&str], number: u64, count: u64) -> String {
    let length = vocabulary.len() as u64;
    let words = (0..count).map(|position| {
        let index = (number / 5 + position * (number % 7 + 1)) % length;
        vocabulary[usize::try_from(index).unwrap_or(0)]
    });
    words.collect::<Vec<_>>().join(" ")
}
