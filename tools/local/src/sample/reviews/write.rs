//! The sample's reviews: the same at every start, whatever the time is.

use std::cmp::Reverse;

use anyhow::{Context as _, anyhow};
use fastrand::Rng;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence_domain::text::city_key;
use presence_store::Business;
use serde::Deserialize;

use super::deal::{Text, Texts, Voice};
use crate::sample::rows::rows;

const PLACES: &str = include_str!("../../../sample/review_places.jsonl");
/// Any other number makes another sample.
const SEED: u64 = 2021;
/// 2026-02-28T22:00:00Z: nothing happens later.
const LAST_SECOND: i64 = 1_772_316_000;
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// One in ten has three stars: most people who write are happy, and of the others most are angry.
const RATINGS: [u8; 20] = [5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 3, 3, 2, 2, 1, 1, 1];
const PARTNERS: [Partner; 5] =
    [Partner::Partner1, Partner::Partner1, Partner::Partner1, Partner::Partner8, Partner::Partner9];
/// The one partner whose reviews have titles.
const TITLED: Partner = Partner::Partner9;
/// Characters of what a partner calls a review.
const PARTNER_ID_LENGTH: usize = 16;

/// A business that is written about.
#[derive(Deserialize)]
struct Place {
    business_id: String,
    trade: String,
    /// A language as many times as it is likely.
    langs: Vec<String>,
    /// The day of the first reviews, such as 2021-01-04.
    since: String,
    /// How many there are.
    reviews: usize,
}

/// A review to be written: when and where.
struct Visit<'a> {
    date: i64,
    update_date: Option<i64>,
    place: &'a Place,
    business: &'a Business,
}

/// The reviews of these businesses.
pub(super) fn reviews(businesses: &[Business]) -> anyhow::Result<Vec<Review>> {
    let places = rows::<Place>(PLACES).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut texts, mut rng) = (Texts::read()?, Rng::with_seed(SEED));
    let mut visits = Vec::new();
    for place in &places {
        let business = businesses.iter().find(|business| business.id.as_str() == place.business_id);
        let business = business.with_context(|| format!("no sample business {}", place.business_id))?;
        let since = place.since.parse::<Date>()?.to_zoned(TimeZone::UTC)?.timestamp().as_second();
        visits.extend((0..place.reviews).map(|_| Visit::new(&mut rng, place, business, since)));
    }
    // In the order of an organisation's searches: so texts are dealt, and pages seldom show one of them twice.
    visits.sort_by_key(|visit| (visit.business.org_id, Reverse(visit.effective_at())));
    visits.iter().map(|visit| review(&mut rng, &mut texts, visit)).collect()
}

impl<'a> Visit<'a> {
    /// More and more of them as the years go by, and none at night; a third is changed later.
    fn new(rng: &mut Rng, place: &'a Place, business: &'a Business, since: i64) -> Self {
        let days = (LAST_SECOND - since) / DAY;
        let day = rng.i64(0..days).max(rng.i64(0..days));
        let date = since + day * DAY + rng.i64(7 * HOUR..21 * HOUR);
        let update_date = (rng.u8(..3) == 0).then(|| rng.i64(date + HOUR..=LAST_SECOND.min(date + 90 * DAY)));
        Self { date, update_date, place, business }
    }

    fn effective_at(&self) -> i64 {
        self.update_date.unwrap_or(self.date)
    }
}

fn review(rng: &mut Rng, texts: &mut Texts, visit: &Visit<'_>) -> anyhow::Result<Review> {
    let Visit { date, update_date, place, business } = *visit;
    let (lang, partner) = (pick(rng, &place.langs)?.as_str(), *pick(rng, &PARTNERS)?);
    let rating = Rating::new((*pick(rng, &RATINGS)?).into()).context("a rating")?;
    let has_content = rng.u8(..4) > 0;
    let text = if has_content { Some(texts.deal(rng, lang, &place.trade, rating)?) } else { None };
    let (title, content) = text.map(|Text { title, content, .. }| (title.clone(), content.clone())).unzip();
    let state = state(rng, visit.effective_at());
    let voice = texts.voice(lang)?;
    let partner_id: String = (0..PARTNER_ID_LENGTH).map(|_| rng.alphanumeric()).collect();
    Ok(Review {
        id: ReviewId::derive(&business.id, partner, &partner_id, 0),
        version: 1,
        org_id: business.org_id,
        business_id: business.id.clone(),
        city_key: city_key(&business.city),
        partner,
        key: partner_id.clone(),
        link: Some(format!("https://reviews.example/{}/{partner_id}", partner.as_str())),
        partner_id,
        author_name: Some(pick(rng, &voice.names)?.clone()),
        date,
        update_date,
        delete_date: (state == ReviewState::Deleted).then(|| day_of_deletion(rng, visit.effective_at())).transpose()?,
        rating,
        title: title.flatten().filter(|_| partner == TITLED),
        content,
        reply_comment: reply(rng, voice, state, rating)?,
        state,
    })
}

/// One in twenty is taken down; the others wait for an answer for a while.
fn state(rng: &mut Rng, effective_at: i64) -> ReviewState {
    let months = (LAST_SECOND - effective_at) / (30 * DAY);
    match rng.u8(..20) {
        0 => ReviewState::Deleted,
        chance if chance < 16 && months > 1 => ReviewState::Treated,
        chance if chance < 6 => ReviewState::Treated,
        _ => ReviewState::NotTreated,
    }
}

/// Most of what is treated was answered.
fn reply(rng: &mut Rng, voice: &Voice, state: ReviewState, rating: Rating) -> anyhow::Result<Option<String>> {
    if state != ReviewState::Treated || rng.u8(..4) == 0 {
        return Ok(None);
    }
    let replies = if rating.get() > 3 { &voice.thanks } else { &voice.regrets };
    pick(rng, replies).cloned().map(Some)
}

fn day_of_deletion(rng: &mut Rng, effective_at: i64) -> anyhow::Result<Date> {
    let second = (effective_at + rng.i64(DAY..60 * DAY)).min(LAST_SECOND);
    Ok(TimeZone::UTC.to_datetime(Timestamp::from_second(second)?).date())
}

fn pick<'a, T>(rng: &mut Rng, of: &'a [T]) -> anyhow::Result<&'a T> {
    rng.choice(of).ok_or_else(|| anyhow!("nothing to choose from"))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::sample::rows::businesses;

    fn sample() -> Vec<Review> {
        reviews(&businesses().expect("businesses")).expect("reviews")
    }

    #[test]
    fn the_sample_is_the_same_each_time() {
        assert!(sample() == sample());
    }

    #[test]
    fn it_speaks_six_languages_and_more_in_hand_written_texts() {
        let texts = Texts::read().expect("texts");
        let lang_of: BTreeMap<&str, &str> =
            texts.all().iter().map(|text| (text.content.as_str(), text.lang.as_str())).collect();
        assert_eq!(lang_of.len(), texts.all().len(), "a text is there twice");
        let (mut by_lang, mut used) = (BTreeMap::<&str, usize>::new(), BTreeSet::new());
        for content in sample().iter().filter_map(|review| review.content.as_deref()) {
            let (text, lang) = lang_of.get_key_value(content).expect("a text of the file");
            *by_lang.entry(lang).or_default() += 1;
            used.insert(*text);
        }
        for lang in ["fr", "de", "es", "pt", "it", "en"] {
            assert!(by_lang[lang] >= 100, "{lang}: {}", by_lang[lang]);
        }
        assert!(used.len() >= 150, "{} texts", used.len());
    }

    #[test]
    fn it_has_some_of_everything() {
        let sample = sample();
        let share = |has: fn(&Review) -> bool| sample.iter().filter(|review| has(review)).count() * 100 / sample.len();
        assert!((28..39).contains(&share(|review| review.update_date.is_some())));
        assert!((2..9).contains(&share(|review| review.state == ReviewState::Deleted)));
        assert!((15..35).contains(&share(|review| review.content.is_none())));
        assert!(share(|review| review.title.is_some()) > 0);
        assert!(share(|review| review.reply_comment.is_some()) > 20);
        let reviewed: BTreeSet<_> = sample.iter().map(|review| &review.business_id).collect();
        assert_eq!(reviewed.len(), businesses().expect("businesses").len());
        let ids: BTreeSet<_> = sample.iter().map(|review| &review.id).collect();
        assert_eq!(ids.len(), sample.len());
    }

    #[test]
    fn what_happens_to_a_review_happens_after_it_was_written_and_before_the_sample_ends() {
        for review in sample() {
            let effective_at = review.effective_at();
            assert!(review.date <= effective_at && effective_at <= LAST_SECOND, "{review:?}");
            assert_eq!(review.delete_date.is_some(), review.state == ReviewState::Deleted);
            let day = |second| TimeZone::UTC.to_datetime(Timestamp::from_second(second).expect("a second")).date();
            let days = day(effective_at)..=day(LAST_SECOND);
            assert!(review.delete_date.is_none_or(|date| days.contains(&date)), "{review:?}");
        }
    }
}
