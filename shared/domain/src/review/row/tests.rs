//! Rows that are taken, refused and written again.

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
    assert_eq!(ReviewRow::parse(&row.to_json(), now()).map(|again| again.review), Ok(row.review.clone()));
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
    let texts =
        json!({ "title": "", "content": " \n", "author_name": null, "link": "\0", "reply_comment": "\0Merci\n\u{85}" });
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
        (json!({ "key": "a\u{ffff}" }), "key: must have neither U+FFFE nor U+FFFF, which are no characters"),
        (json!({ "title": "\u{fffe}" }), "title: must have neither U+FFFE nor U+FFFF, which are no characters"),
        (json!({ "content": "a\u{fffe}" }), "content: must have neither U+FFFE nor U+FFFF, which are no characters"),
        (json!({ "key": "" }), "key: must have 1 to 2048 bytes"),
        (json!({ "link": "x".repeat(2_049) }), "link: must have at most 2048 bytes"),
        (json!({ "content": "é".repeat(10_001) }), "content: must have at most 10000 characters"),
        (json!({ "reply_comment": "x".repeat(10_001) }), "reply_comment: must have at most 10000 characters"),
        (json!({ "title": "é".repeat(1_025) }), "title: must have at most 2048 bytes"),
        (json!({ "author_name": "x".repeat(2_049) }), "author_name: must have at most 2048 bytes"),
        (json!({ "partner_id": "\0\u{1}" }), "partner_id: must have 1 to 2048 bytes"),
        (json!({ "seen_at": "2026-03-02T12:00:00.000001Z" }), "seen_at: must not be more than 24 hours in the future"),
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
        (json!({ "acts": "AAA\u{ffff}" }), "acts: must be base64 text of at most 131072 bytes"),
        (json!({ "acts": "A".repeat((128 << 10) + 1) }), "acts: must be base64 text of at most 131072 bytes"),
        (json!({ "date": "0000-12-31" }), "date: must lie in the years 1 to 9999, in UTC"),
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
