//! Customer reviews left on listing partners.

mod facets;
mod field;
#[cfg(test)]
pub(crate) mod fixture;
mod reply;
mod row;
mod seen_at;

pub use facets::{FACET_KEY_COUNT, FacetCounts, FacetKey, FacetMask};
pub use field::ReviewField;
pub use reply::{
    OutcomeReason, OutcomeReport, Reply, ReplyAction, ReplyOutcome, ReplyRequest, ReplyState, ReplyStatus, ReplyText,
    ShownReply,
};
pub use row::ReviewRow;
pub use seen_at::{AcceptedRow, RowEffect, RowOutcome, RowPlace, SeenAt};

use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use super::ids::{BusinessId, OrgId};

/// Maximum number of characters of a content or a reply. Partners allow some 4,000. Two texts of this length and the short
/// texts fit into the 400 KB of a DynamoDB item.
pub const LONG_TEXT_MAX_CHARS: usize = 10_000;
/// Maximum number of bytes of every other text of a review: the length of a URL that browsers accept.
pub const SHORT_TEXT_MAX_BYTES: usize = 2_048;

/// Characters that no row may have: Unicode reserves them as no characters, and SQS does not transport them.
pub const NONCHARACTERS: [char; 2] = ['\u{fffe}', '\u{ffff}'];

/// Returns a text of a review in the form that is stored: without control characters, and `None` if it is blank.
///
/// So missing, empty and blank texts mean the same.
pub fn normalize_text(mut text: String) -> Option<String> {
    remove_control_characters(&mut text);
    unless_blank(Some(text))
}

/// Returns a text of a review unless it is blank, which means no text.
pub fn unless_blank<T: AsRef<str>>(text: Option<T>) -> Option<T> {
    text.filter(|text| !text.as_ref().trim().is_empty())
}

/// Removes control characters (U+0000 to U+001F, U+007F to U+009F) other than tabs and line breaks.
pub fn remove_control_characters(text: &mut String) {
    text.retain(|character| !character.is_control() || matches!(character, '\t' | '\n' | '\r'));
}

crate::listed_enum! {
    /// Progress of a review: whether somebody has to deal with it. Facet keys and stored reviews count the states in this order.
    pub enum ReviewState {
        /// Answered, or set aside without an answer.
        Treated => "treated",
        /// Not dealt with yet.
        NotTreated => "not_treated",
        /// Taken down by the partner.
        Deleted => "deleted",
    }
}

crate::listed_enum! {
    /// Listing partner whose reviews are imported. Facet keys and stored reviews count the partners in this order.
    pub enum Partner {
        /// `partner_8`
        Partner8 => "partner_8",
        /// `partner_1`
        Partner1 => "partner_1",
        /// `partner_9`
        Partner9 => "partner_9",
    }
}

/// Rating of a review: 1 to 5 stars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rating(u8);

impl Rating {
    /// All ratings, ascending.
    pub const ALL: [Self; 5] = [Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// Returns the rating of a number from 1 to 5; `None` for any other number.
    pub fn new(number: i128) -> Option<Self> {
        u8::try_from(number).ok().map(Self).filter(|rating| Self::ALL.contains(rating))
    }

    /// Returns the rating as a number.
    pub fn get(self) -> u8 {
        self.0
    }
}

/// Id of a review: 12 characters of base 32.
///
/// It is a digest of the partner's name for the review, so that importing a file twice gives the same ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReviewId(String);

impl ReviewId {
    /// Number of characters of an id.
    pub const LENGTH: usize = 12;

    /// Returns the id of a partner's review of a business. `salt` starts at 0; a higher one gives another id, for reviews
    /// whose digests collide.
    pub fn derive(business: &BusinessId, partner: Partner, partner_id: &str, salt: u8) -> Self {
        const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let mut hash = Sha256::new();
        for part in [business.as_str(), partner.as_str(), partner_id] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.update([salt]);
        let bits = hash.finalize().iter().take(8).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        let character = |index: usize| char::from(ALPHABET[(bits >> (5 * index) & 31) as usize]);
        Self((0..Self::LENGTH).map(character).collect())
    }

    /// Reads an id; `None` if the text has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let is_valid =
            text.len() == Self::LENGTH && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        is_valid.then(|| Self(text.to_owned()))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A review as it is stored. Instants are whole seconds since 1970 in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Id of the review.
    pub id: ReviewId,
    /// Number of writes of this review, from 1. A write is refused if the version has changed since it was read.
    pub version: u64,
    /// Organisation of its business.
    pub org_id: OrgId,
    /// Business that was reviewed.
    pub business_id: BusinessId,
    /// City of its business, as a [`city_key`](crate::text::city_key).
    pub city_key: String,
    /// Partner that published it.
    pub partner: Partner,
    /// Partner's id of the review.
    pub partner_id: String,
    /// Name of the review in the partner's interface.
    pub key: String,
    /// Name of its author.
    pub author_name: Option<String>,
    /// Instant of its creation.
    pub date: i64,
    /// Instant of its last change; `None` if it was never changed.
    pub update_date: Option<i64>,
    /// Day on which it was found to be deleted.
    pub delete_date: Option<Date>,
    /// Stars that its author gave.
    pub rating: Rating,
    /// Title of the review.
    pub title: Option<String>,
    /// Text of the review.
    pub content: Option<String>,
    /// Reply of the business.
    pub reply_comment: Option<String>,
    /// Progress of the review.
    pub state: ReviewState,
    /// URL of the review on the partner's site.
    pub link: Option<String>,
    /// Stamp of the newest row about it; `None` if no row had one.
    pub seen_at: Option<SeenAt>,
    /// Latest request about its reply that was made here; `None` if there was none.
    pub reply: Option<Reply>,
    /// Instant of the last change made here, in microseconds since 1970: of the state, of the reply, or an outcome of one. `None` if
    /// only rows wrote it.
    pub acted_at: Option<i64>,
}

impl Review {
    /// Returns the instant that searches filter and sort by: of the last change, or of the creation if there was none.
    pub fn effective_at(&self) -> i64 {
        self.update_date.unwrap_or(self.date)
    }

    /// True if the review has text. Blank content counts as none.
    pub fn has_content(&self) -> bool {
        unless_blank(self.content.as_ref()).is_some()
    }

    /// True if both are the same review of a partner: same business, same partner, same partner's id.
    pub fn same_source(&self, other: &Self) -> bool {
        (&self.business_id, self.partner, &self.partner_id) == (&other.business_id, other.partner, &other.partner_id)
    }

    /// True if the reviews are equal except for id, version and stamp, which nobody sees.
    pub fn content_eq(&self, other: &Self) -> bool {
        let other = Self { id: self.id.clone(), version: self.version, seen_at: self.seen_at, ..other.clone() };
        *self == other
    }

    /// Returns the number of bytes of all texts.
    pub fn text_bytes(&self) -> usize {
        let texts = [&self.author_name, &self.title, &self.content, &self.reply_comment, &self.link];
        let optional: usize = texts.into_iter().flatten().map(String::len).sum();
        let reply = self.reply.as_ref().map_or(0, Reply::text_bytes);
        optional + reply + self.city_key.len() + self.partner_id.len() + self.key.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_texts_are_none_and_control_characters_are_removed() {
        let normalized = |text: &str| normalize_text(text.to_owned());
        for blank in ["", " ", " \n\t\r", "\u{a0}\u{3000}", "\0\u{1f}\u{7f}\u{85}\u{9f}", " \u{1} "] {
            assert_eq!(normalized(blank), None, "{blank:?}");
        }
        assert_eq!(normalized("a\tb\r\nc").as_deref(), Some("a\tb\r\nc"));
        assert_eq!(normalized("\u{1b}[1mTr\u{80}ès\u{7f} bon\0").as_deref(), Some("[1mTrès bon"));
        // Neither is a control character: the first character after them, and one that is only invisible.
        assert_eq!(normalized("\u{a1}\u{200b}").as_deref(), Some("\u{a1}\u{200b}"));
        assert_eq!(normalized(" kept as it is ").as_deref(), Some(" kept as it is "));
    }

    #[test]
    fn id_depends_on_business_partner_and_partner_id_only() {
        let business = BusinessId::parse("b1").expect("an id");
        let id = ReviewId::derive(&business, Partner::Partner8, "x", 0);
        assert_eq!(id, ReviewId::derive(&business, Partner::Partner8, "x", 0));
        assert_eq!(ReviewId::parse(id.as_str()), Some(id.clone()));
        for (partner, partner_id, salt) in
            [(Partner::Partner1, "x", 0), (Partner::Partner8, "y", 0), (Partner::Partner8, "x", 1)]
        {
            assert_ne!(id, ReviewId::derive(&business, partner, partner_id, salt));
        }
        assert_eq!(id.as_str(), "68wq8hb3vwvm", "ids never change");
        for text in ["", "0123456789a", "0123456789abc", "0123456789aB", "0123456789-b"] {
            assert_eq!(ReviewId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_content_is_all_that_people_see() {
        let review = fixture::review("a");
        let id = ReviewId::derive(&review.business_id, review.partner, "b", 0);
        assert!(review.content_eq(&Review { id, version: 2, ..review.clone() }));
        assert!(!review.content_eq(&Review { title: Some("x".to_owned()), ..review.clone() }));
        assert!(review.same_source(&Review { title: Some("x".to_owned()), ..review.clone() }));
        assert!(!review.same_source(&fixture::review("b")));
        let longer = Review { title: Some("x".repeat(100)), ..fixture::review("bc") };
        assert_eq!(review.text_bytes(), "lyon".len() + 2 * "a".len(), "city, partner's id and key");
        assert_eq!(longer.text_bytes(), "lyon".len() + 2 * "bc".len() + 100);
    }
}
