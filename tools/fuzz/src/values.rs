//! Values and rows that a caller writes: what is accepted is the same after it was written and read again.

use std::fmt::Display;

use jiff::Timestamp;
use presence_domain::api_key::{ApiKeyId, PlaintextApiKey};
use presence_domain::business_directory::BusinessQuery;
use presence_domain::calendar::{Day, Month};
use presence_domain::category::Country;
use presence_domain::email::EmailAddress;
use presence_domain::email_pattern::EmailPattern;
use presence_domain::feed::FeedCursor;
use presence_domain::fuzzy::FuzzyQuery;
use presence_domain::idempotency::IdempotencyKey;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::instant::DateInput;
use presence_domain::network::Network;
use presence_domain::review::{ReviewId, ReviewRow, SeenAt};
use presence_domain::text::city_key;
use presence_domain::webhook::{WebhookReach, WebhookSecret, WebhookUrl};
use presence_domain::webhook_id::WebhookId;

/// Checks that a value of the text shows itself as text that gives the same value.
fn assert_read_again<T: Display>(text: &str, parse: impl Fn(&str) -> Option<T>) {
    if let Some(shown) = parse(text).map(|value| value.to_string()) {
        assert_eq!(parse(&shown).map(|value| value.to_string()), Some(shown));
    }
}

/// Checks the values of parameters, fields and settings.
///
/// # Panics
/// Panics if a value is another one after it was read again.
pub fn values(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    assert_read_again(text, UserId::parse);
    assert_read_again(text, |text| OrgId::new(text.parse().ok()?));
    assert_read_again(text, ApiKeyId::parse);
    assert_read_again(text, WebhookId::parse);
    assert_read_again(text, FeedCursor::parse);
    assert_read_again(text, Country::parse);
    assert_read_again(text, Day::parse);
    assert_read_again(text, Month::parse);
    assert_read_again(text, SeenAt::parse);
    assert_read_again(text, |text| Network::parse(text).ok());
    assert_read_again(text, |text| BusinessId::parse(text).map(|id| id.as_str().to_owned()));
    assert_read_again(text, |text| ReviewId::parse(text).map(|id| id.as_str().to_owned()));
    assert_read_again(text, |text| WebhookSecret::parse(text).map(|secret| secret.expose()));
    assert_read_again(text, |text| PlaintextApiKey::parse(text).map(|key| key.expose().to_owned()));
    assert_read_again(text, |text| EmailAddress::parse(text).ok().map(|address| address.as_str().to_owned()));
    assert_read_again(text, |text| {
        WebhookUrl::parse(text, WebhookReach::Public).ok().map(|url| url.as_str().to_owned())
    });
    if let Ok(address) = EmailAddress::parse(text) {
        assert_eq!(EmailAddress::parse(address.key()).expect("a key is an address").key(), address.key());
    }
    assert_eq!(city_key(&city_key(text)), city_key(text));
    if let Some(input) = DateInput::parse(text) {
        assert!(input.first_second() <= input.last_second() + 1, "{text}");
    }
    let _ =
        (EmailPattern::parse(text), FuzzyQuery::parse(text), BusinessQuery::parse(text), IdempotencyKey::parse(text));
}

/// Checks a row of reviews, as files and messages have it.
///
/// # Panics
/// Panics if an accepted row has an id that is none, or if there is no short reason for a rejected one.
pub fn rows(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match ReviewRow::parse(text, Timestamp::UNIX_EPOCH) {
        Ok(row) => assert_eq!(ReviewId::parse(row.review_id().as_str()).as_ref(), Some(row.review_id())),
        Err(reason) => assert!(!reason.is_empty() && reason.chars().count() <= 300, "{reason}"),
    }
}
