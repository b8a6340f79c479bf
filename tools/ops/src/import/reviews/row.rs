//! Rows of reviews.

use jiff::civil::Date;
use presence_domain::ids::BusinessId;
use presence_domain::instant::DateInput;
use presence_domain::review::{
    LONG_TEXT_MAX_CHARS, Partner, Rating, Review, ReviewId, ReviewState, SHORT_TEXT_MAX_BYTES, drop_control, kept_text,
};
use presence_store::BusinessLocation;
use serde::Deserialize;
use serde_json::Number;

/// A row as JSON has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawReview {
    pub(super) business_id: String,
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
}

impl RawReview {
    /// The review, if the row follows the rules and its business is somewhere; else what is wrong.
    pub(super) fn review(self, place: Option<&BusinessLocation>) -> Result<Review, String> {
        let business_id =
            BusinessId::parse(&self.business_id).ok_or("business_id: must have 1 to 64 letters, digits and : _ . -")?;
        let partner = choice("partner", &self.partner, &Partner::ALL, Partner::as_str)?;
        let partner_id = name("partner_id", self.partner_id)?;
        let key = self.key.map_or_else(|| Ok(partner_id.clone()), |key| name("key", key))?;
        let date = second("date", &self.date)?;
        let update_date = self.update_date.map(|text| second("update_date", &text)).transpose()?;
        let delete_date = self.delete_date.map(|text| day("delete_date", &text)).transpose()?;
        let rating = self.rating.as_i64().and_then(|number| Rating::new(number.into()));
        let rating = rating.ok_or("rating: must be an integer from 1 to 5")?;
        let author_name = short_text("author_name", self.author_name)?;
        let title = short_text("title", self.title)?;
        let content = long_text("content", self.content)?;
        let reply_comment = long_text("reply_comment", self.reply_comment)?;
        let state = choice("state", &self.state, &ReviewState::ALL, ReviewState::as_str)?;
        let link = short_text("link", self.link)?;
        let place =
            place.ok_or_else(|| format!("business_id: there is no business {}: import it first", self.business_id))?;
        Ok(Review {
            id: ReviewId::derive(&business_id, partner, &partner_id, 0),
            version: 0,
            org_id: place.org_id,
            business_id,
            city_key: place.city_key.clone(),
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
        })
    }
}

fn choice<T: Copy>(field: &str, text: &str, choices: &[T], spelling: fn(T) -> &'static str) -> Result<T, String> {
    let found = choices.iter().copied().find(|choice| spelling(*choice) == text);
    found.ok_or_else(|| {
        let choices: Vec<_> = choices.iter().map(|choice| spelling(*choice)).collect();
        format!("{field}: must be one of {}", choices.join(", "))
    })
}

/// What a partner calls a review: not empty.
fn name(field: &str, mut name: String) -> Result<String, String> {
    drop_control(&mut name);
    if name.is_empty() {
        return Err(format!("{field}: must have 1 to {SHORT_TEXT_MAX_BYTES} bytes"));
    }
    short(field, name)
}

/// A text of which little is expected.
fn short_text(field: &str, text: Option<String>) -> Result<Option<String>, String> {
    text.and_then(kept_text).map(|text| short(field, text)).transpose()
}

fn short(field: &str, text: String) -> Result<String, String> {
    if text.len() > SHORT_TEXT_MAX_BYTES {
        return Err(format!("{field}: must have at most {SHORT_TEXT_MAX_BYTES} bytes"));
    }
    Ok(text)
}

/// Returns a text that somebody wrote.
fn long_text(field: &str, text: Option<String>) -> Result<Option<String>, String> {
    let text = text.and_then(kept_text);
    if text.as_ref().is_some_and(|text| text.chars().count() > LONG_TEXT_MAX_CHARS) {
        return Err(format!("{field}: must have at most {LONG_TEXT_MAX_CHARS} characters"));
    }
    Ok(text)
}

fn written(field: &str, text: &str) -> Result<DateInput, String> {
    let written = DateInput::parse(text);
    written.ok_or_else(|| format!("{field}: must be a date such as 2024-03-01 or 2024-03-01T09:30:00+00:00"))
}

/// A second since 1970: a bare day is its start, fractions are dropped.
fn second(field: &str, text: &str) -> Result<i64, String> {
    written(field, text)?.second().ok_or_else(|| outside(field))
}

/// A day in UTC.
fn day(field: &str, text: &str) -> Result<Date, String> {
    written(field, text)?.day().ok_or_else(|| outside(field))
}

fn outside(field: &str) -> String {
    format!("{field}: must lie in the years 1 to 9999, in UTC")
}

#[cfg(test)]
mod tests {
    use presence_domain::ids::OrgId;
    use serde_json::{Value, json};

    use super::*;
    use crate::import::rows;

    fn read(changes: &Value) -> Result<Review, String> {
        let mut row = json!({
            "business_id": "b1", "partner": "partner_8", "partner_id": "Ab12", "date": "2024-03-01",
            "rating": 5, "state": "not_treated",
        });
        for (name, value) in changes.as_object().expect("an object") {
            row[name] = value.clone();
        }
        let place = BusinessLocation { org_id: OrgId::new(42).expect("an id"), city_key: "lyon".to_owned() };
        rows::raw::<RawReview>(&row.to_string())?.review(Some(&place))
    }

    #[test]
    fn what_is_optional_may_be_missing_and_the_key_is_the_partners_id_then() {
        let review = read(&json!({})).expect("the row is right");
        assert_eq!((review.key.as_str(), review.org_id.get(), review.city_key.as_str()), ("Ab12", 42, "lyon"));
        assert_eq!((review.date, review.update_date, review.title), (1_709_251_200, None, None));
    }

    #[test]
    fn dates_are_whole_seconds_and_days_in_utc() {
        let dates = json!({ "date": "2024-03-01T00:30:00.999+02:00", "update_date": "2024-03-02", "delete_date": "2024-03-03T23:30-01:00" });
        let review = read(&dates).expect("the row is right");
        assert_eq!((review.date, review.update_date), (1_709_245_800, Some(1_709_337_600)));
        assert_eq!(review.delete_date.map(|day| day.to_string()).as_deref(), Some("2024-03-04"));
    }

    #[test]
    fn empty_and_blank_texts_are_none_and_control_characters_are_dropped() {
        let texts = json!({ "title": "", "content": " \n", "author_name": null, "link": "\0", "reply_comment": "\0Merci\n\u{85}" });
        let review = read(&texts).expect("the row is right");
        assert_eq!((review.title, review.content, review.author_name, review.link), (None, None, None, None));
        assert_eq!(review.reply_comment.as_deref(), Some("Merci\n"));
    }

    #[test]
    fn the_longest_texts_are_counted_without_control_characters() {
        let long = "é".repeat(10_000) + &"\0".repeat(50);
        let short = "é".repeat(1_024) + &"\u{9f}".repeat(50);
        let texts = json!({ "content": long, "reply_comment": long, "title": short, "author_name": short, "link": short,
            "partner_id": short, "key": short });
        let review = read(&texts).expect("the row is right");
        assert_eq!(review.content.map(|text| text.chars().count()), Some(10_000));
        assert_eq!((review.partner_id.len(), review.title.map(|text| text.len())), (2_048, Some(2_048)));
    }

    #[test]
    fn the_reason_says_what_is_wrong() {
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
            (json!({ "business_id": "a/b" }), "business_id: must have 1 to 64 letters, digits and : _ . -"),
        ];
        for (changes, expected) in cases {
            assert_eq!(read(&changes).expect_err("the row is wrong"), expected, "{changes}");
        }
        for wrong in ["", "yesterday", "2023-02-29", "2024-03-01 09:30"] {
            assert!(read(&json!({ "date": wrong })).is_err_and(|reason| reason.starts_with("date: ")), "{wrong:?}");
        }
        let unknown = read(&json!({ "stars": 5 })).expect_err("the field is unknown");
        assert!(unknown.starts_with("stars: unknown field"), "{unknown}");
    }
}
