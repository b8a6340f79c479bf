//! Generator of the sample reviews. A fixed seed makes them the same at every start.

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

use super::pick_text::{LanguageTexts, ReviewText, TextPicker};
use crate::sample::rows::parse_lines;

const PROFILES: &str = include_str!("../../../sample/review_profiles.jsonl");
/// Seed of the generator. Every change of it, or of the order of the draws, makes another sample.
const SEED: u64 = 2021;
/// End of the sample in seconds: 2026-02-28T22:00:00Z. No date of a review is later.
const LAST_SECOND: i64 = 1_772_316_000;
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// Distribution of the ratings. Most authors are happy, and most of the others are angry: one in ten gives three stars.
const RATINGS: [u8; 20] = [5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 3, 3, 2, 2, 1, 1, 1];
const PARTNERS: [Partner; 5] =
    [Partner::Partner1, Partner::Partner1, Partner::Partner1, Partner::Partner8, Partner::Partner9];
/// The only partner whose reviews have titles.
const PARTNER_WITH_TITLES: Partner = Partner::Partner9;
/// Number of characters in a partner's id of a review.
const PARTNER_ID_LENGTH: usize = 16;

/// Profile of a business: the number of its reviews, their languages and their trade.
#[derive(Deserialize)]
struct BusinessProfile {
    business_id: String,
    trade: String,
    /// Languages. One that is listed twice is twice as likely.
    langs: Vec<String>,
    /// Day of the first reviews, such as 2021-01-04.
    since: String,
    /// Number of reviews.
    reviews: usize,
}

/// Business and dates of a review that is not generated yet.
struct ReviewDraft<'a> {
    date: i64,
    update_date: Option<i64>,
    profile: &'a BusinessProfile,
    business: &'a Business,
}

/// Generates the reviews of these businesses.
pub(super) fn generate_reviews(businesses: &[Business]) -> anyhow::Result<Vec<Review>> {
    let profiles = parse_lines::<BusinessProfile>(PROFILES).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut texts, mut rng) = (TextPicker::read()?, Rng::with_seed(SEED));
    let mut drafts = Vec::new();
    for profile in &profiles {
        let business = businesses.iter().find(|business| business.id.as_str() == profile.business_id);
        let business = business.with_context(|| format!("no sample business {}", profile.business_id))?;
        let since = profile.since.parse::<Date>()?.to_zoned(TimeZone::UTC)?.timestamp().as_second();
        drafts.extend((0..profile.reviews).map(|_| ReviewDraft::draw(&mut rng, profile, business, since)));
    }
    // Texts are picked in the order of an organisation's search, so that a page seldom shows a text twice.
    drafts.sort_by_key(|draft| (draft.business.org_id, Reverse(draft.effective_at())));
    drafts.iter().map(|draft| complete(&mut rng, &mut texts, draft)).collect()
}

impl<'a> ReviewDraft<'a> {
    /// Draws the dates of a review: more in later years, none at night. One in three is updated later.
    fn draw(rng: &mut Rng, profile: &'a BusinessProfile, business: &'a Business, since: i64) -> Self {
        let days = (LAST_SECOND - since) / DAY;
        let day = rng.i64(0..days).max(rng.i64(0..days));
        let date = since + day * DAY + rng.i64(7 * HOUR..21 * HOUR);
        let update_date = (rng.u8(..3) == 0).then(|| rng.i64(date + HOUR..=LAST_SECOND.min(date + 90 * DAY)));
        Self { date, update_date, profile, business }
    }

    fn effective_at(&self) -> i64 {
        self.update_date.unwrap_or(self.date)
    }
}

/// Draws everything that a draft lacks: language, partner, rating, text, state and reply.
fn complete(rng: &mut Rng, texts: &mut TextPicker, draft: &ReviewDraft<'_>) -> anyhow::Result<Review> {
    let ReviewDraft { date, update_date, profile, business } = *draft;
    let (lang, partner) = (choose(rng, &profile.langs)?.as_str(), *choose(rng, &PARTNERS)?);
    let rating = Rating::new((*choose(rng, &RATINGS)?).into()).context("a rating")?;
    let has_content = rng.u8(..4) > 0;
    let text = if has_content { Some(texts.pick(rng, lang, &profile.trade, rating)?) } else { None };
    let (title, content) = text.map(|ReviewText { title, content, .. }| (title.clone(), content.clone())).unzip();
    let state = draw_state(rng, draft.effective_at());
    let language = texts.language(lang)?;
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
        author_name: Some(choose(rng, &language.names)?.clone()),
        date,
        update_date,
        delete_date: (state == ReviewState::Deleted)
            .then(|| draw_delete_date(rng, draft.effective_at()))
            .transpose()?,
        rating,
        title: title.flatten().filter(|_| partner == PARTNER_WITH_TITLES),
        content,
        reply_comment: draw_reply(rng, language, state, rating)?,
        state,
        seen_at: None,
        reply: None,
        acted_at: None,
    })
}

/// Draws the state: one review in twenty is deleted, and most of those older than a month are treated.
fn draw_state(rng: &mut Rng, effective_at: i64) -> ReviewState {
    let months = (LAST_SECOND - effective_at) / (30 * DAY);
    match rng.u8(..20) {
        0 => ReviewState::Deleted,
        chance if chance < 16 && months > 1 => ReviewState::Treated,
        chance if chance < 6 => ReviewState::Treated,
        _ => ReviewState::NotTreated,
    }
}

/// Draws the reply: three of four treated reviews have one.
fn draw_reply(
    rng: &mut Rng,
    language: &LanguageTexts,
    state: ReviewState,
    rating: Rating,
) -> anyhow::Result<Option<String>> {
    if state != ReviewState::Treated || rng.u8(..4) == 0 {
        return Ok(None);
    }
    let replies = if rating.get() > 3 { &language.thanks } else { &language.regrets };
    choose(rng, replies).cloned().map(Some)
}

fn draw_delete_date(rng: &mut Rng, effective_at: i64) -> anyhow::Result<Date> {
    let second = (effective_at + rng.i64(DAY..60 * DAY)).min(LAST_SECOND);
    Ok(TimeZone::UTC.to_datetime(Timestamp::from_second(second)?).date())
}

fn choose<'a, T>(rng: &mut Rng, values: &'a [T]) -> anyhow::Result<&'a T> {
    rng.choice(values).ok_or_else(|| anyhow!("nothing to choose from"))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::sample::rows::businesses;

    fn sample() -> Vec<Review> {
        generate_reviews(&businesses().expect("businesses")).expect("reviews")
    }

    #[test]
    fn generated_sample_is_the_same_each_time() {
        assert!(sample() == sample());
    }

    #[test]
    fn sample_uses_most_hand_written_texts_in_six_languages() {
        let texts = TextPicker::read().expect("texts");
        let lang_of: BTreeMap<&str, &str> =
            texts.texts().iter().map(|text| (text.content.as_str(), text.lang.as_str())).collect();
        assert_eq!(lang_of.len(), texts.texts().len(), "a text is listed twice");
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
    fn sample_has_every_state_and_optional_field() {
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
    fn updates_and_deletions_come_after_the_review_and_before_the_end_of_the_sample() {
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
