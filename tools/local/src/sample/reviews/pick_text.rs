//! Hand-written review texts, picked so that a text does not repeat before all others of its kind were used.

use std::collections::BTreeMap;

use anyhow::Context as _;
use fastrand::Rng;
use presence_domain::review::Rating;
use serde::Deserialize;

use crate::sample::rows::parse_lines;

const REVIEW_TEXTS: &str = include_str!("../../../sample/review_texts.jsonl");
const LANGUAGE_TEXTS: &str = include_str!("../../../sample/review_language_texts.jsonl");
/// Trade of the texts that fit every trade.
const ANY_TRADE: &str = "any";

/// Text of a review, for one language, trade and rating.
#[derive(Deserialize)]
pub(super) struct ReviewText {
    pub(super) lang: String,
    trade: String,
    rating: u8,
    pub(super) title: Option<String>,
    pub(super) content: String,
}

/// Author names and replies in a language.
#[derive(Deserialize)]
pub(super) struct LanguageTexts {
    lang: String,
    pub(super) names: Vec<String>,
    pub(super) thanks: Vec<String>,
    pub(super) regrets: Vec<String>,
}

/// Language, trade and rating of a text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TextKey {
    lang: String,
    trade: String,
    rating: Rating,
}

/// Picks texts at random. The unused texts of each key are kept in a shuffled order.
pub(super) struct TextPicker {
    texts: Vec<ReviewText>,
    languages: Vec<LanguageTexts>,
    unused: BTreeMap<TextKey, Vec<usize>>,
}

impl TextPicker {
    /// Reads the texts of the sample files.
    pub(super) fn read() -> anyhow::Result<Self> {
        let texts = parse_lines(REVIEW_TEXTS).collect::<Result<_, _>>()?;
        let languages = parse_lines(LANGUAGE_TEXTS).collect::<Result<_, _>>()?;
        Ok(Self { texts, languages, unused: BTreeMap::new() })
    }

    /// Returns the names and replies of a language.
    pub(super) fn language(&self, lang: &str) -> anyhow::Result<&LanguageTexts> {
        let texts = self.languages.iter().find(|texts| texts.lang == lang);
        texts.with_context(|| format!("the sample has no texts in {lang}"))
    }

    /// Picks a text. No text repeats before all that fit were picked once.
    pub(super) fn pick(
        &mut self,
        rng: &mut Rng,
        lang: &str,
        trade: &str,
        rating: Rating,
    ) -> anyhow::Result<&ReviewText> {
        let key = TextKey { lang: lang.to_owned(), trade: trade.to_owned(), rating };
        let unused = self.unused.entry(key.clone()).or_default();
        if unused.is_empty() {
            let matching = self.texts.iter().enumerate().filter(|(_, text)| text.matches(&key));
            unused.extend(matching.map(|(position, _)| position));
            rng.shuffle(unused);
        }
        let position = unused.pop().with_context(|| format!("no {lang} text of {} stars", rating.get()))?;
        Ok(&self.texts[position])
    }

    #[cfg(test)]
    pub(super) fn texts(&self) -> &[ReviewText] {
        &self.texts
    }
}

impl ReviewText {
    fn matches(&self, key: &TextKey) -> bool {
        self.lang == key.lang && self.rating == key.rating.get() && (self.trade == key.trade || self.trade == ANY_TRADE)
    }
}
