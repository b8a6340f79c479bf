//! Rows of reviews: a line of JSON, as partners and operators write it.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Number, json};

use super::seen_at::MAX_TIME_AHEAD;
use super::{
    LONG_TEXT_MAX_CHARS, NONCHARACTERS, Partner, Rating, Review, ReviewId, ReviewState, SHORT_TEXT_MAX_BYTES, SeenAt,
    normalize_text, remove_control_characters,
};
use crate::ids::{BusinessId, OrgId};
use crate::instant::{DateInput, format_second};
use crate::json_row::parse_json;

/// Maximum number of bytes of `acts`: two long texts of four bytes a character and a reason, in base64, need 110,000.
const ACTS_MAX_BYTES: usize = 128 << 10;

/// Row of a review whose values follow the rules.
#[derive(Clone, Debug)]
pub struct ReviewRow {
    /// Review without the place of its business.
    review: Review,
    /// Changes made here, of a row that was exported.
    acts: Option<String>,
}

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
    acts: Option<String>,
}

impl ReviewRow {
    /// Parses a line that is read now, and checks its values. The error is the reason to reject it, which names the wrong field.
    pub fn parse(line: &str, now: Timestamp) -> Result<Self, String> {
        let mut row = parse_json::<RawReview>(line)?;
        let acts = row.acts.take();
        Ok(Self { review: row.check(now)?, acts: acts.map(check_acts).transpose()? })
    }

    /// Returns the business that the row is about.
    pub fn business_id(&self) -> &BusinessId {
        &self.review.business_id
    }

    /// Returns the id that the review has, unless another review has that id.
    pub fn review_id(&self) -> &ReviewId {
        &self.review.id
    }

    /// Returns what an export says about changes made here. Only the build of a table reads it: to others it is no part of the row.
    pub fn acts(&self) -> Option<&str> {
        self.acts.as_deref()
    }

    /// Returns the review at the place of its business: the organisation and the folded name of the city.
    pub fn into_review(self, org_id: OrgId, city_key: &str) -> Review {
        Review { org_id, city_key: city_key.to_owned(), ..self.review }
    }

    /// Returns the row in its shortest form: one line of JSON, without the characters that are removed anyway, and without the place of
    /// its stamp.
    pub fn to_json(&self) -> String {
        let Review { business_id, partner, partner_id, key, author_name, date, update_date, delete_date, .. } =
            &self.review;
        let Review { rating, title, content, reply_comment, state, link, seen_at, .. } = &self.review;
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
    pub fn unknown_business(&self) -> String {
        format!("business_id: there is no business {}: import it first", self.review.business_id.as_str())
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
            reply: None,
            acted_at: None,
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
    check_characters(field, &name)?;
    if name.is_empty() {
        return Err(format!("{field}: must have 1 to {SHORT_TEXT_MAX_BYTES} bytes"));
    }
    check_length(field, name)
}

/// Parses a short text. An empty or blank one counts as missing.
fn parse_short_text(field: &str, text: Option<String>) -> Result<Option<String>, String> {
    parse_text(field, text)?.map(|text| check_length(field, text)).transpose()
}

/// Normalizes a text, and checks its characters.
fn parse_text(field: &str, text: Option<String>) -> Result<Option<String>, String> {
    let text = text.and_then(normalize_text);
    text.as_deref().map_or(Ok(()), |text| check_characters(field, text))?;
    Ok(text)
}

fn check_characters(field: &str, text: &str) -> Result<(), String> {
    if text.contains(NONCHARACTERS) {
        return Err(format!("{field}: must have neither U+FFFE nor U+FFFF, which are no characters"));
    }
    Ok(())
}

fn check_length(field: &str, text: String) -> Result<String, String> {
    if text.len() > SHORT_TEXT_MAX_BYTES {
        return Err(format!("{field}: must have at most {SHORT_TEXT_MAX_BYTES} bytes"));
    }
    Ok(text)
}

/// Parses a long text. An empty or blank one counts as missing.
fn parse_long_text(field: &str, text: Option<String>) -> Result<Option<String>, String> {
    let text = parse_text(field, text)?;
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

/// Checks the length and the characters of `acts`. The build of a table decodes it.
fn check_acts(acts: String) -> Result<String, String> {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    if acts.len() > ACTS_MAX_BYTES || !acts.bytes().all(is_base64) {
        return Err(format!("acts: must be base64 text of at most {ACTS_MAX_BYTES} bytes"));
    }
    Ok(acts)
}

/// Parses a date as a day in UTC.
fn parse_day(field: &str, text: &str) -> Result<Date, String> {
    parse_date_input(field, text)?.day().ok_or_else(|| out_of_range(field))
}

fn out_of_range(field: &str) -> String {
    format!("{field}: must lie in the years 1 to 9999, in UTC")
}

#[cfg(test)]
mod tests;
