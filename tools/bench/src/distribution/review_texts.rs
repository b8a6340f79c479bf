//! The texts of a review, written from its number.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use presence::domain::ledger::{Cell, SECONDS_OF_DAY};
use presence::domain::review::{Partner, Rating, Review, ReviewState};

use super::{Distribution, ReviewHeader, org_id};

const WORDS: [&str; 16] = [
    "accueil",
    "parfait",
    "service",
    "rapide",
    "produits",
    "frais",
    "équipe",
    "souriante",
    "attente",
    "longue",
    "prix",
    "corrects",
    "parking",
    "pratique",
    "conseils",
    "précieux",
];
const NAMES: [&str; 8] = ["Zoé", "Léa", "Anna", "Marie", "Jean", "Paul", "José", "Søren"];

/// What the partner calls the review.
pub(super) fn partner_id(number: u64) -> String {
    format!("ChZDSUhN{number:012}")
}

impl Distribution {
    /// The review with its texts: its item has some 500 bytes.
    #[must_use]
    pub fn review(&self, entry: &ReviewHeader) -> Review {
        let number = entry.number;
        let (state, rating, partner, has_content) = parts(entry.cell);
        let changed = number % 10 == 3;
        let partner_id = partner_id(number);
        let written = entry.at - i64::try_from(number % 40 + 1).unwrap_or_default() * SECONDS_OF_DAY - 1;
        Review {
            id: entry.id.clone(),
            version: 1,
            org_id: org_id(),
            business_id: self.businesses.businesses()[usize::from(entry.business)].id.clone(),
            city_key: self.city_key(entry.business).to_owned(),
            partner,
            key: format!("accounts/104/reviews/{partner_id}"),
            author_name: Some(format!("{} {}", words(&NAMES, number, 1), words(&WORDS, number / 8, 1))),
            date: if changed { written } else { entry.at },
            update_date: changed.then_some(entry.at),
            delete_date: (state == ReviewState::Deleted).then(|| {
                let day = Timestamp::from_second(entry.at + SECONDS_OF_DAY).unwrap_or(Timestamp::MAX);
                TimeZone::UTC.to_datetime(day).date()
            }),
            rating,
            title: number.is_multiple_of(4).then(|| words(&WORDS, number, 3)),
            content: has_content.then(|| words(&WORDS, number, 16 + number % 12)),
            reply_comment: (state == ReviewState::Treated).then(|| words(&WORDS, number / 3, 10)),
            state,
            link: Some(format!("https://reviews.example/{}/{partner_id}", partner.as_str())),
            partner_id,
        }
    }
}

/// What a cell is made of: [`Cell::new`](presence::domain::ledger::Cell::new) backwards.
fn parts(cell: Cell) -> (ReviewState, Rating, Partner, bool) {
    let number = usize::from(cell.number());
    (ReviewState::ALL[number / 30], Rating::ALL[number / 6 % 5], Partner::ALL[number / 2 % 3], number % 2 == 1)
}

/// So many of the words, others for another number.
fn words(of: &[&str], number: u64, count: u64) -> String {
    let word = |place: u64| of[usize::try_from((number / 5 + place * (number % 7 + 1)) % of.len() as u64).unwrap_or(0)];
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}
