//! Customer reviews left on listing partners.

use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use super::ids::{BusinessId, OrgId};

/// The most characters of a content or a reply: partners end theirs at some 4,000. An item of DynamoDB may have 400 KB, which
/// two of these and the short texts never reach.
pub const LONG_TEXT_MAX_CHARS: usize = 10_000;
/// The most bytes of every other text of a review: what browsers take as a URL.
pub const SHORT_TEXT_MAX_BYTES: usize = 2_048;

/// Returns a text of a review as it is kept: without control characters other than tab and line breaks, and none where
/// nothing but blanks is left. So null, empty and blank texts are one and the same.
#[must_use]
pub fn kept_text(mut text: String) -> Option<String> {
    drop_control(&mut text);
    (!text.trim().is_empty()).then_some(text)
}

/// Drops control characters (U+0000 to U+001F, U+007F to U+009F) other than tab and line breaks.
pub fn drop_control(text: &mut String) {
    text.retain(|character| !character.is_control() || matches!(character, '\t' | '\n' | '\r'));
}

/// Where a review stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReviewState {
    /// Answered, or set aside.
    Treated,
    /// Still to be looked at.
    NotTreated,
    /// Taken down by the partner.
    Deleted,
}

impl ReviewState {
    /// Every state, in the order of cells.
    pub const ALL: [Self; 3] = [Self::Treated, Self::NotTreated, Self::Deleted];

    /// The spelling on the wire and in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Treated => "treated",
            Self::NotTreated => "not_treated",
            Self::Deleted => "deleted",
        }
    }
}

/// A listing partner that has reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partner {
    /// `partner_8`
    Partner8,
    /// `partner_1`
    Partner1,
    /// `partner_9`
    Partner9,
}

impl Partner {
    /// Every partner, in the order of cells.
    pub const ALL: [Self; 3] = [Self::Partner8, Self::Partner1, Self::Partner9];

    /// The spelling on the wire and in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Partner8 => "partner_8",
            Self::Partner1 => "partner_1",
            Self::Partner9 => "partner_9",
        }
    }
}

/// 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rating(u8);

impl Rating {
    /// Every rating, ascending.
    pub const ALL: [Self; 5] = [Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// The rating, if the number lies in range.
    #[must_use]
    pub fn new(number: i128) -> Option<Self> {
        u8::try_from(number).ok().map(Self).filter(|rating| Self::ALL.contains(rating))
    }

    /// The rating as a number.
    #[must_use]
    pub fn get(self) -> u8 {
        self.0
    }
}

/// A review on the service's side: 12 characters of base 32, drawn from what the partner calls it, so that an import run
/// twice lands on the same reviews.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReviewId(String);

impl ReviewId {
    /// Characters of an id.
    pub const LENGTH: usize = 12;

    /// The id of a partner's review of a business. `salt` tells two apart whose digests collide; it starts at 0.
    #[must_use]
    pub fn derive(business: &BusinessId, partner: Partner, partner_id: &str, salt: u8) -> Self {
        const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let mut hash = Sha256::new();
        for part in [business.as_str(), partner.as_str(), partner_id] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.update([salt]);
        let bits = hash.finalize().iter().take(8).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        let character = |place: usize| char::from(ALPHABET[(bits >> (5 * place) & 31) as usize]);
        Self((0..Self::LENGTH).map(character).collect())
    }

    /// Reads an id from storage.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits =
            text.len() == Self::LENGTH && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        fits.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A review with everything that the service keeps of it. Instants are whole seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Its id.
    pub id: ReviewId,
    /// Counts the writes of this review, from 1.
    pub version: u64,
    /// The organisation of its business.
    pub org_id: OrgId,
    /// The business that it is of.
    pub business_id: BusinessId,
    /// The folded city of its business.
    pub city_key: String,
    /// Where it was left.
    pub partner: Partner,
    /// What the partner calls it.
    pub partner_id: String,
    /// What the partner's interface calls it.
    pub key: String,
    /// Who wrote it.
    pub author_name: Option<String>,
    /// When it was written.
    pub date: i64,
    /// When it was changed last.
    pub update_date: Option<i64>,
    /// The day on which it was found to be deleted.
    pub delete_date: Option<Date>,
    /// 1 to 5.
    pub rating: Rating,
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub content: Option<String>,
    /// The reply.
    pub reply_comment: Option<String>,
    /// Where it stands.
    pub state: ReviewState,
    /// Where it can be read.
    pub link: Option<String>,
}

impl Review {
    /// By what it is sorted and filtered: the date of its last change, else of its creation.
    #[must_use]
    pub fn effective_at(&self) -> i64 {
        self.update_date.unwrap_or(self.date)
    }

    /// True if the review has text. Blank content counts as none.
    #[must_use]
    pub fn has_content(&self) -> bool {
        self.content.as_ref().is_some_and(|content| !content.trim().is_empty())
    }

    /// Whether it is the same review of the same business on the same partner.
    #[must_use]
    pub fn same_source(&self, other: &Self) -> bool {
        let name = |review: &Self| (review.business_id.clone(), review.partner, review.partner_id.clone());
        name(self) == name(other)
    }

    /// Whether it is the same in everything but its id and its version, which follow from where and when it is stored.
    #[must_use]
    pub fn content_eq(&self, other: &Self) -> bool {
        let other = Self { id: self.id.clone(), version: self.version, ..other.clone() };
        *self == other
    }

    /// Bytes of its texts.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        let texts = [&self.author_name, &self.title, &self.content, &self.reply_comment, &self.link];
        let optional: usize = texts.into_iter().flatten().map(String::len).sum();
        optional + self.city_key.len() + self.partner_id.len() + self.key.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_empty_and_blank_texts_are_one_and_control_characters_are_dropped() {
        let kept = |text: &str| kept_text(text.to_owned());
        for blank in ["", " ", " \n\t\r", "\u{a0}\u{3000}", "\0\u{1f}\u{7f}\u{85}\u{9f}", " \u{1} "] {
            assert_eq!(kept(blank), None, "{blank:?}");
        }
        assert_eq!(kept("a\tb\r\nc").as_deref(), Some("a\tb\r\nc"));
        assert_eq!(kept("\u{1b}[1mTr\u{80}ès\u{7f} bon\0").as_deref(), Some("[1mTrès bon"));
        // Neither is a control character: the first letter after them, and one that only looks like nothing.
        assert_eq!(kept("\u{a1}\u{200b}").as_deref(), Some("\u{a1}\u{200b}"));
        assert_eq!(kept(" kept as it is ").as_deref(), Some(" kept as it is "));
    }

    #[test]
    fn an_id_follows_from_what_the_partner_calls_the_review() {
        let business = BusinessId::parse("b1").expect("an id");
        let id = ReviewId::derive(&business, Partner::Partner8, "x", 0);
        assert_eq!(id, ReviewId::derive(&business, Partner::Partner8, "x", 0));
        assert_eq!(ReviewId::parse(id.as_str()), Some(id.clone()));
        for (partner, partner_id, salt) in
            [(Partner::Partner1, "x", 0), (Partner::Partner8, "y", 0), (Partner::Partner8, "x", 1)]
        {
            assert_ne!(id, ReviewId::derive(&business, partner, partner_id, salt));
        }
    }
}
