//! Rows of reviews: a line of JSON, as partners and operators write it.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Number, json};

use super::seen_at::MAX_TIME_AHEAD;
use super::{
    LONG_TEXT_MAX_CHARS, Partner, Rating, Review, ReviewId, ReviewState, SHORT_TEXT_MAX_BYTES, SeenAt, normalize_text,
    remove_control_characters,
};
use crate::ids::{BusinessId, OrgId};
use crate::instant::{DateInput, format_second};
use crate::json_row::parse_json;

/// Row of a review whose values follow the rules. Only the place of its business is missing: the review inside has none yet.
#[derive(Clone, Debug)]
pub struct ReviewRow(Review);

/// Row as parsed from JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReview {
    business_id: String,
    partner: String,
    partner_id: String,
    key: Option<String>,
    author_name: Option<String>,
    date: String,
    update_date: Option<String>,
    delete_date: Option<String>,
    rating: Number,
    title: Option<String>,
    content: Option<String>,
    reply_comment: Option<String>,
    state: String,
    link: Option<String>,
    seen_at: Option<String>,
    stamp: Option<String>,
}

impl ReviewRow {
    /// Parses a line that is read now, and checks its values. The error is the reason to reject it, which names the wrong field.
    pub fn parse(line: &str, now: Timestamp) -> Result<Self, String> {
        parse_json::<RawReview>(line)?.check(now).map(Self)
    }

    /// Returns the business that the row is about.
    #[must_use]
    pub fn business_id(&self) -> &BusinessId {
        &self.0.business_id
    }

    /// Returns the id that the review has, unless another review has that id.
    #[must_use]
    pub fn review_id(&self) -> &ReviewId {
        &self.0.id
    }

    /// Returns the review at the place of its business: the organisation and the folded name of the city.
    #[must_use]
    pub fn into_review(self, org_id: OrgId, city_key: &str) -> Review {
        Review { org_id, city_key: city_key.to_owned(), ..self.0 }
    }

    /// Returns the row in its shortest form: one line of JSON, without the characters that are removed anyway, and without the place of
    /// its stamp.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Review { business_id, partner, partner_id, key, author_name, date, update_date, delete_date, .. } = &self.0;
        let Review { rating, title, content, reply_comment, state, link, seen_at, .. } = &self.0;
        let seen_at = seen_at.and_then(|seen| jiff::Timestamp::from_microsecond(seen.at).ok());
        json!({
            "business_id": business_id.as_str(), "partner": partner.as_str(), "partner_id": partner_id, "key": key,
            "author_name": author_name, "date": format_second(*date), "update_date": update_date.map(format_second),
            "delete_date": delete_date.map(|day| day.to_string()), "rating": rating.get(), "title": title,
            "content": content, "reply_comment": reply_comment, "state": state.as_str(), "link": link,
            "seen_at": seen_at.map(|instant| instant.to_string()),
        })
        .to_string()
    }

    /// Returns the reason to reject a row whose business does not exist.
    #[must_use]
    pub fn unknown_business(&self) -> String {
        format!("business_id: there is no business {}: import it first", self.0.business_id.as_str())
    }
}

impl RawReview {
    /// Checks the values and converts them to a review without a place. The error names the wrong field.
    fn check(self, now: Timestamp) -> Result<Review, String> {
        let business_id =
            BusinessId::parse(&self.business_id).ok_or("business_id: must have 1 to 64 letters, digits and : _ . -")?;
        let partner = parse_choice("partner", &self.partner, &Partner::ALL, Partner::as_str)?;
        let partner_id = parse_name("partner_id", self.partner_id)?;
        let key = self.key.map_or_else(|| Ok(partner_id.clone()), |key| parse_name("key", key))?;
        let date = parse_second("date", &self.date)?;
        let update_date = self.update_date.map(|text| parse_second("update_date", &text)).transpose()?;
        let delete_date = self.delete_date.map(|text| parse_day("delete_date", &text)).transpose()?;
        let rating = self.rating.as_i64().and_then(|number| Rating::new(number.into()));
        let rating = rating.ok_or("rating: must be an integer from 1 to 5")?;
        let author_name = parse_short_text("author_name", self.author_name)?;
        let title = parse_short_text("title", self.title)?;
        let content = parse_long_text("content", self.content)?;
        let reply_comment = parse_long_text("reply_comment", self.reply_comment)?;
        let state = parse_choice("state", &self.state, &ReviewState::ALL, ReviewState::as_str)?;
        let link = parse_short_text("link", self.link)?;
        let seen_at = self.seen_at.map(|text| parse_seen_at(&text, now)).transpose()?;
        let seen_at = self.stamp.map_or(Ok(seen_at), |text| parse_stamp(&text, seen_at).map(Some))?;
        Ok(Review {
            id: ReviewId::derive(&business_id, partner, &partner_id, 0),
            version: 0,
            org_id: OrgId::LEAST,
            business_id,
            city_key: String::new(),
            partner,
            partner_id,
            key,
            author_name,
            date,
            update_date,
            delete_date,
            rating,
            title,
            content,
            reply_comment,
            state,
            link,
            seen_at,
        })
    }
}

fn parse_choice<T: Copy>(field: &str, text: &str, choices: &[T], as_str: fn(T) -> &'static str) -> Result<T, String> {
    let found = choices.iter().copied().find(|choice| as_str(*choice) == text);
    found.ok_or_else(|| {
        let choices: Vec<_> = choices.iter().map(|choice| as_str(*choice)).collect();
        format!("{field}: must be one of {}", choices.join(", "))
    })
}

/// Parses a name that a partner gives a review. It is not empty.
fn parse_name(field: &str, mut name: String) -> Result<String, String> {
    remove_control_characters(&mut name);
    if name.is_empty() {
        return Err(format!("{field}: must have 1 to {SHORT_TEXT_MAX_BYTES} bytes"));
    }
    check_length(field, name)
}

/// Parses a short text. An empty or blank one counts as missing.
fn parse_short_text(field: &str, text: Option<String>) -> Result<Option<String>, String> {
    text.and_then(normalize_text).map(|text| check_length(field, text)).transpose()
}

fn check_length(field: &str, text: String) -> Result<String, String> {
    if text.len() > SHORT_TEXT_MAX_BYTES {
        return Err(format!("{field}: must have at most {SHORT_TEXT_MAX_BYTES} bytes"));
    }
    Ok(text)
}

/// Parses a long text. An empty or blank one counts as missing.
fn parse_long_text(field: &str, text: Option<String>) -> Result<Option<String>, String> {
    let text = text.and_then(normalize_text);
    if text.as_ref().is_some_and(|text| text.chars().count() > LONG_TEXT_MAX_CHARS) {
        return Err(format!("{field}: must have at most {LONG_TEXT_MAX_CHARS} characters"));
    }
    Ok(text)
}

fn parse_date_input(field: &str, text: &str) -> Result<DateInput, String> {
    DateInput::parse(text)
        .ok_or_else(|| format!("{field}: must be a date such as 2024-03-01 or 2024-03-01T09:30:00+00:00"))
}

/// Parses a date as seconds since 1970. A day without a time means its start; fractions are dropped.
fn parse_second(field: &str, text: &str) -> Result<i64, String> {
    parse_date_input(field, text)?.second().ok_or_else(|| out_of_range(field))
}

/// Parses the stamp of a row that is read now. A day without a time means its start.
fn parse_seen_at(text: &str, now: Timestamp) -> Result<SeenAt, String> {
    let field = "seen_at";
    let seen_at = parse_date_input(field, text)?.microsecond().map(SeenAt::at).ok_or_else(|| out_of_range(field))?;
    if seen_at.is_in_future(now) {
        return Err(format!("{field}: must not be more than {} hours in the future", MAX_TIME_AHEAD.as_hours()));
    }
    Ok(seen_at)
}

/// Parses the whole stamp of an exported row, which has the instant of `seen_at`.
fn parse_stamp(text: &str, seen_at: Option<SeenAt>) -> Result<SeenAt, String> {
    let is_same_instant = |stamp: &SeenAt| seen_at.is_some_and(|seen_at| seen_at.at == stamp.at);
    let stamp = SeenAt::parse(text).filter(is_same_instant);
    stamp.ok_or_else(|| "stamp: must be the one that was exported with this seen_at".to_owned())
}

/// Parses a date as a day in UTC.
fn parse_day(field: &str, text: &str) -> Result<Date, String> {
    parse_date_input(field, text)?.day().ok_or_else(|| out_of_range(field))
}

fn out_of_range(field: &str) -> String {
    format!("{field}: must lie in the years 1 to 9999, in UTC")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn now() -> Timestamp {
        "2026-03-01T12:00:00Z".parse().expect("an instant")
    }

    fn parse(changes: &Value) -> Result<Review, String> {
        let mut row = json!({
            "business_id": "b1", "partner": "partner_8", "partner_id": "Ab12", "date": "2024-03-01",
            "rating": 5, "state": "not_treated",
        });
        for (name, value) in changes.as_object().expect("an object") {
            row[name] = value.clone();
        }
        Ok(ReviewRow::parse(&row.to_string(), now())?.into_review(OrgId::new(42).expect("an id"), "lyon"))
    }

    #[test]
    fn optional_fields_may_be_missing_and_the_key_defaults_to_the_partner_id() {
        let review = parse(&json!({})).expect("the row is right");
        assert_eq!((review.key.as_str(), review.org_id.get(), review.city_key.as_str()), ("Ab12", 42, "lyon"));
        assert_eq!((review.date, review.update_date, review.title), (1_709_251_200, None, None));
    }

    #[test]
    fn shortest_form_of_a_row_is_the_same_row() {
        let texts = json!({ "title": "\u{1}T\"\\", "content": "é\n".repeat(4_000), "seen_at": "1969-12-31T23:59:59.000001Z",
            "business_id": "b1", "partner": "partner_1", "partner_id": "x", "key": "k", "author_name": "Zoë", "date": "0001-01-01",
            "update_date": "9999-12-31T23:59:59Z", "delete_date": "2024-02-29", "rating": 1, "state": "deleted", "link": "l" });
        let row = ReviewRow::parse(&texts.to_string(), now()).expect("the row is right");
        assert_eq!(ReviewRow::parse(&row.to_json(), now()).map(|again| again.0), Ok(row.0.clone()));
        assert!(!row.to_json().contains('\n'));
    }

    #[test]
    fn dates_are_whole_seconds_and_days_in_utc() {
        let dates = json!({ "date": "2024-03-01T00:30:00.999+02:00", "update_date": "2024-03-02", "delete_date": "2024-03-03T23:30-01:00" });
        let review = parse(&dates).expect("the row is right");
        assert_eq!((review.date, review.update_date), (1_709_245_800, Some(1_709_337_600)));
        assert_eq!(review.delete_date.map(|day| day.to_string()).as_deref(), Some("2024-03-04"));
    }

    #[test]
    fn seen_at_keeps_microseconds_and_is_no_content() {
        let seen = |text: &str| parse(&json!({ "seen_at": text })).map(|review| review.seen_at);
        assert_eq!(seen("2024-03-01T09:30:00.123456789+01:00"), Ok(Some(SeenAt::at(1_709_281_800_123_456))));
        assert_eq!(seen("2024-03-01"), Ok(Some(SeenAt::at(1_709_251_200_000_000))));
        assert_eq!(seen("1969-12-31T23:59:59.5Z"), Ok(Some(SeenAt::at(-500_000))));
        assert_eq!(seen("2026-03-02T13:00:00+01:00"), Ok(Some(SeenAt::at(1_772_452_800_000_000))), "a day ahead");
        let stamped = parse(&json!({ "seen_at": "1970-01-01T00:00:00.000017Z", "stamp": "17@5#3=" }));
        assert_eq!(stamped.map(|review| review.seen_at), Ok(SeenAt::parse("17@5#3=")));
        assert_eq!(parse(&json!({ "seen_at": null })).map(|review| review.seen_at), Ok(None));
        assert!(seen("soon").is_err_and(|reason| reason.starts_with("seen_at: ")));
        let (one, other) = (parse(&json!({ "seen_at": "2024-03-01" })), parse(&json!({})));
        assert!(one.expect("a review").content_eq(&other.expect("a review")));
    }

    #[test]
    fn empty_and_blank_texts_are_none_and_control_characters_are_dropped() {
        let texts = json!({ "title": "", "content": " \n", "author_name": null, "link": "\0", "reply_comment": "\0Merci\n\u{85}" });
        let review = parse(&texts).expect("the row is right");
        assert_eq!((review.title, review.content, review.author_name, review.link), (None, None, None, None));
        assert_eq!(review.reply_comment.as_deref(), Some("Merci\n"));
    }

    #[test]
    fn text_lengths_are_counted_without_control_characters() {
        let long = "é".repeat(10_000) + &"\0".repeat(50);
        let short = "é".repeat(1_024) + &"\u{9f}".repeat(50);
        let texts = json!({ "content": long, "reply_comment": long, "title": short, "author_name": short, "link": short,
            "partner_id": short, "key": short });
        let review = parse(&texts).expect("the row is right");
        assert_eq!(review.content.map(|text| text.chars().count()), Some(10_000));
        assert_eq!((review.partner_id.len(), review.title.map(|text| text.len())), (2_048, Some(2_048)));
    }

    #[test]
    fn reason_names_the_error() {
        let cases = [
            (json!({ "rating": 6 }), "rating: must be an integer from 1 to 5"),
            (json!({ "rating": 0 }), "rating: must be an integer from 1 to 5"),
            (json!({ "rating": 4.5 }), "rating: must be an integer from 1 to 5"),
            (json!({ "partner": "partner_2" }), "partner: must be one of partner_8, partner_1, partner_9"),
            (json!({ "state": "TREATED" }), "state: must be one of treated, not_treated, deleted"),
            (json!({ "partner_id": "" }), "partner_id: must have 1 to 2048 bytes"),
            (json!({ "key": "" }), "key: must have 1 to 2048 bytes"),
            (json!({ "link": "x".repeat(2_049) }), "link: must have at most 2048 bytes"),
            (json!({ "content": "é".repeat(10_001) }), "content: must have at most 10000 characters"),
            (json!({ "reply_comment": "x".repeat(10_001) }), "reply_comment: must have at most 10000 characters"),
            (json!({ "title": "é".repeat(1_025) }), "title: must have at most 2048 bytes"),
            (json!({ "author_name": "x".repeat(2_049) }), "author_name: must have at most 2048 bytes"),
            (json!({ "partner_id": "\0\u{1}" }), "partner_id: must have 1 to 2048 bytes"),
            (
                json!({ "seen_at": "2026-03-02T12:00:00.000001Z" }),
                "seen_at: must not be more than 24 hours in the future",
            ),
            (json!({ "seen_at": "9999-12-31" }), "seen_at: must not be more than 24 hours in the future"),
            (json!({ "stamp": "17#3" }), "stamp: must be the one that was exported with this seen_at"),
            (
                json!({ "seen_at": "1970-01-01T00:00:00.000018Z", "stamp": "17#3" }),
                "stamp: must be the one that was exported with this seen_at",
            ),
            (
                json!({ "seen_at": "1970-01-01", "stamp": "0#x" }),
                "stamp: must be the one that was exported with this seen_at",
            ),
            (json!({ "business_id": "a/b" }), "business_id: must have 1 to 64 letters, digits and : _ . -"),
        ];
        for (changes, expected) in cases {
            assert_eq!(parse(&changes).expect_err("the row is wrong"), expected, "{changes}");
        }
        for wrong in ["", "yesterday", "2023-02-29", "2024-03-01 09:30"] {
            assert!(parse(&json!({ "date": wrong })).is_err_and(|reason| reason.starts_with("date: ")), "{wrong:?}");
        }
        let unknown = parse(&json!({ "stars": 5 })).expect_err("the field is unknown");
        assert!(unknown.starts_with("stars: unknown field"), "{unknown}");
    }
}
