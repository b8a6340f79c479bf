//! Cursor of a reader of a feed. Clients hand it back as they got it.

use std::fmt;

use crate::ids::{MAX_ID, OrgId};

/// Position in the feed of an organisation: after the event with this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedCursor {
    /// Organisation; `None` for users without one.
    pub org_id: Option<OrgId>,
    /// Number of the last event that was read; 0 for none.
    pub number: u64,
}

/// Error of a cursor. Occurs when a text is none, or one of another feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorError {
    /// The text is no cursor.
    Unknown,
    /// The cursor belongs to another organisation.
    OtherOrg,
}

/// Position at which a reader starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeedStart {
    /// The oldest event that is kept.
    #[default]
    Oldest,
    /// The end: only later events.
    Now,
    /// After the event with this number.
    After(u64),
}

impl FeedCursor {
    /// Reads a cursor. `None` if the text has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let (org, number) = text.split_once('-')?;
        let org_id = match org {
            "none" => None,
            org => Some(OrgId::new(org.parse().ok()?)?),
        };
        let number = number.parse().ok().filter(|number| *number <= MAX_ID)?;
        // One position has one text.
        Some(Self { org_id, number }).filter(|cursor| cursor.to_string() == text)
    }

    /// Reads the start of a reader of this organisation's feed: a cursor, or `now`.
    pub fn parse_start(text: &str, org_id: Option<OrgId>) -> Result<FeedStart, CursorError> {
        if text == "now" {
            return Ok(FeedStart::Now);
        }
        let cursor = Self::parse(text).ok_or(CursorError::Unknown)?;
        if cursor.org_id == org_id { Ok(FeedStart::After(cursor.number)) } else { Err(CursorError::OtherOrg) }
    }
}

impl fmt::Display for FeedCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.org_id {
            Some(org_id) => write!(f, "{}-{}", org_id.get(), self.number),
            None => write!(f, "none-{}", self.number),
        }
    }
}

impl fmt::Display for CursorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "is not a cursor of this feed",
            Self::OtherOrg => "is a cursor of another organisation",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written_and_in_no_other_form() {
        for cursor in [(OrgId::new(42), 0), (OrgId::new(MAX_ID), MAX_ID), (None, 7)] {
            let cursor = FeedCursor { org_id: cursor.0, number: cursor.1 };
            assert_eq!(FeedCursor::parse(&cursor.to_string()), Some(cursor));
        }
        for text in [
            "",
            "now",
            "42",
            "42-",
            "-1",
            "0-1",
            "042-1",
            "42-01",
            "+42-1",
            "42-+1",
            "42-1-1",
            "none",
            "42-9999999999999999999",
        ] {
            assert_eq!(FeedCursor::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_reader_starts_at_a_cursor_of_its_own_feed_or_now() {
        let own = OrgId::new(42);
        for (text, start) in [
            ("now", Ok(FeedStart::Now)),
            ("42-3", Ok(FeedStart::After(3))),
            ("43-3", Err(CursorError::OtherOrg)),
            ("none-3", Err(CursorError::OtherOrg)),
            ("3", Err(CursorError::Unknown)),
        ] {
            assert_eq!(FeedCursor::parse_start(text, own), start, "{text}");
        }
    }
}
