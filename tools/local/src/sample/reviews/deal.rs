//! Hand-written texts, dealt so that the same one does not come up twice in a row.

use std::collections::BTreeMap;

use anyhow::Context as _;
use fastrand::Rng;
use presence_domain::review::Rating;
use serde::Deserialize;

use crate::sample::rows::rows;

const TEXTS: &str = include_str!("../../../sample/review_texts.jsonl");
const VOICES: &str = include_str!("../../../sample/review_voices.jsonl");
/// The trade of texts that fit any.
const ANY_TRADE: &str = "any";

/// What somebody wrote.
#[derive(Deserialize)]
pub(super) struct Text {
    pub(super) lang: String,
    trade: String,
    rating: u8,
    pub(super) title: Option<String>,
    pub(super) content: String,
}

/// Who speaks a language, and what is answered in it.
#[derive(Deserialize)]
pub(super) struct Voice {
    lang: String,
    pub(super) names: Vec<String>,
    pub(super) thanks: Vec<String>,
    pub(super) regrets: Vec<String>,
}

/// Language, trade and rating.
type Suit = (String, String, Rating);

/// The texts, and what is left of those that are being dealt.
pub(super) struct Texts {
    all: Vec<Text>,
    voices: Vec<Voice>,
    left: BTreeMap<Suit, Vec<usize>>,
}

impl Texts {
    pub(super) fn read() -> anyhow::Result<Self> {
        let (all, voices) = (rows(TEXTS).collect::<Result<_, _>>()?, rows(VOICES).collect::<Result<_, _>>()?);
        Ok(Self { all, voices, left: BTreeMap::new() })
    }

    pub(super) fn voice(&self, lang: &str) -> anyhow::Result<&Voice> {
        self.voices.iter().find(|voice| voice.lang == lang).with_context(|| format!("nobody speaks {lang}"))
    }

    /// The next text; all that fit have been dealt before one of them is again.
    pub(super) fn deal(&mut self, rng: &mut Rng, lang: &str, trade: &str, rating: Rating) -> anyhow::Result<&Text> {
        let left = self.left.entry((lang.to_owned(), trade.to_owned(), rating)).or_default();
        if left.is_empty() {
            let fits = |text: &Text| {
                text.lang == lang && text.rating == rating.get() && [trade, ANY_TRADE].contains(&text.trade.as_str())
            };
            left.extend(self.all.iter().enumerate().filter(|(_, text)| fits(text)).map(|(position, _)| position));
            rng.shuffle(left);
        }
        let next = left.pop().with_context(|| format!("no {lang} text of {} stars", rating.get()))?;
        Ok(&self.all[next])
    }

    #[cfg(test)]
    pub(super) fn all(&self) -> &[Text] {
        &self.all
    }
}
