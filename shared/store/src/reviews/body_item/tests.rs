use aws_sdk_dynamodb::types::AttributeValue;

use super::*;
use presence_domain::ids::UserId;
use presence_domain::review::{Reply, ReplyAction, ReplyStatus};

/// A review with a value in every field.
fn full_review() -> Review {
    let business_id = BusinessId::parse("5409c35a97bbc544d8e26737").expect("an id");
    Review {
        id: ReviewId::parse("63bta5e2wzsv").expect("an id"),
        version: 300,
        org_id: OrgId::new(42).expect("an id"),
        business_id,
        city_key: "saint etienne".to_owned(),
        partner: Partner::Partner9,
        partner_id: "Ab12".to_owned(),
        key: "k".to_owned(),
        author_name: Some("Zoë".to_owned()),
        date: -62_135_596_800,
        update_date: Some(253_402_300_799),
        delete_date: Some("2024-02-29".parse().expect("a day")),
        rating: Rating::ALL[4],
        title: Some("Très bien".to_owned()),
        content: Some("a \"b\"\n\\ 😀".to_owned()),
        reply_comment: Some("Merci".to_owned()),
        state: ReviewState::Deleted,
        link: Some("https://example.org/a?b=c".to_owned()),
        seen_at: SeenAt::parse("1780000001000000#17"),
        reply: None,
        acted_at: None,
    }
}

/// A review with a value in no field that may be missing.
fn bare_review() -> Review {
    Review {
        author_name: None,
        update_date: None,
        delete_date: None,
        title: None,
        content: None,
        reply_comment: None,
        link: None,
        seen_at: None,
        reply: None,
        acted_at: None,
        partner: Partner::Partner8,
        rating: Rating::ALL[0],
        state: ReviewState::Treated,
        date: 1_709_285_400,
        version: 1,
        ..full_review()
    }
}

fn body_bytes(item: &Item) -> &[u8] {
    item[BODY].as_b().expect("bytes").as_ref()
}

#[test]
fn an_item_has_the_keys_the_version_and_the_stamp_of_a_review_and_its_body() {
    let item = review_to_item(&full_review()).expect("an item");
    let mut names: Vec<_> = item.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["body", "effective_listing", "org_id", "pk", "seen_at", "sk", "version"]);
    let bare = review_to_item(&bare_review()).expect("an item");
    assert!(!bare.contains_key("seen_at"));
    for (name, value) in [("org_id", "42"), ("version", "1")] {
        assert_eq!(bare[name], AttributeValue::N(value.to_owned()), "{name}");
    }
}

#[test]
fn stored_bytes_of_a_body_never_change() {
    let bare = review_to_item(&bare_review()).expect("an item");
    let expected = b"\x185409c35a97bbc544d8e26737\x0dsaint etienne\x00\x04Ab12\x01k\x00\xb0\x80\x8d\xde\x0c\x00\x00\x01\x00\x00\x00\x00\x00";
    assert_eq!(body_bytes(&bare), expected);
    let full = review_to_item(&full_review()).expect("an item");
    let expected = [
        &b"\x185409c35a97bbc544d8e26737\x0dsaint etienne\x02\x04Ab12\x01k\x01\x04Zo\xc3\xab\xff\xdb\x8f\xf9\xce\x03"[..],
        b"\x01\xfe\x85\xa2\xff\xdf\x0e\x01\x0a2024-02-29\x05\x01\x0aTr\xc3\xa8s bien\x01\x0ca \"b\"\n\\ \xf0\x9f\x98\x80",
        b"\x01\x05Merci\x02\x01\x19https://example.org/a?b=c",
    ];
    assert_eq!(body_bytes(&full), expected.concat());
}

#[test]
fn a_review_is_read_as_it_was_written() {
    for review in [full_review(), bare_review()] {
        let item = review_to_item(&review).expect("an item");
        assert_eq!(review_from_item(&item).expect("a review"), review);
    }
    let blank = Review { title: Some(String::new()), content: Some(" \n".to_owned()), ..bare_review() };
    let item = review_to_item(&blank).expect("an item");
    assert_eq!(review_from_item(&item).expect("a review"), bare_review(), "a blank text is none");
}

/// Returns reviews with each form of a reply, and one of which the state was set only.
fn acted_upon() -> Vec<Review> {
    let own = Some("Merci".to_owned());
    let statuses = [
        ReplyStatus::OnItsWay { partner_has: None },
        ReplyStatus::OnItsWay { partner_has: own },
        ReplyStatus::Published,
        ReplyStatus::Rejected { content: "Trop long".to_owned() },
        ReplyStatus::Ended,
    ];
    let reply = |(version, status)| Reply {
        version,
        action: ReplyAction::Remove,
        status,
        reason: Some("non".to_owned()),
        requested_by: UserId::parse("1003").expect("an id"),
        requested_at: 1_780_000_000,
        settled_at: Some(1_780_000_001),
    };
    let acted = |reply| Review { reply, acted_at: Some(1_780_000_000_000_001), ..full_review() };
    std::iter::once(None).chain((300..).zip(statuses).map(|row| Some(reply(row)))).map(acted).collect()
}

#[test]
fn changes_made_here_go_through_the_item_of_a_review() {
    for review in acted_upon() {
        let item = review_to_item(&review).expect("an item");
        assert_eq!(review_from_item(&item).expect("a review"), review);
        let bytes = item["acts"].as_b().expect("bytes").as_ref();
        for end in 0..bytes.len() {
            let mut cut = item.clone();
            cut.insert("acts".to_owned(), binary(bytes[..end].to_vec()));
            assert!(review_from_item(&cut).is_err(), "cut after {end} bytes");
        }
    }
    let pending = review_to_item(&acted_upon()[2]).expect("an item");
    let expected =
        b"\x82\x80\x9a\xbb\xd1\xb9\xa9\x06\x01\xad\x02\x01\x00\x01\x05Merci\x01\x03non\xeb\x07\x80\x94\xc5\xa1\x0d\x01\x82\x94\xc5\xa1\x0d";
    assert_eq!(pending["acts"].as_b().expect("bytes").as_ref(), expected, "stored bytes never change");
}

#[test]
fn changes_made_here_go_through_an_export() {
    for review in acted_upon() {
        let exported = exported_acts(&review).expect("bytes").expect("changes");
        let row = Review { reply_comment: None, reply: None, acted_at: None, ..review.clone() };
        assert_eq!(with_exported_acts(row.clone(), &exported).as_ref(), Some(&review));
        assert_eq!(with_exported_acts(row, &exported[..exported.len() - 1]), None);
    }
    assert_eq!(exported_acts(&full_review()).expect("no bytes"), None);
}

#[test]
fn a_damaged_item_is_an_error() {
    let item = review_to_item(&full_review()).expect("an item");
    for name in ["pk", "org_id", "version", "body"] {
        let mut without = item.clone();
        without.remove(name);
        assert!(review_from_item(&without).is_err(), "without {name}");
    }
    for (name, value) in [("pk", "R#short"), ("org_id", "x"), ("seen_at", "yesterday"), ("body", "text")] {
        let mut other = item.clone();
        other.insert(name.to_owned(), text(value));
        assert!(review_from_item(&other).is_err(), "{name}");
    }
    let bytes = body_bytes(&item);
    let with_body = |bytes: Vec<u8>| {
        let mut other = item.clone();
        other.insert(BODY.to_owned(), binary(bytes));
        review_from_item(&other)
    };
    for length in 0..bytes.len() {
        assert!(with_body(bytes[..length].to_vec()).is_err(), "cut after {length} bytes");
    }
    assert!(with_body([bytes, &[0]].concat()).is_err(), "one byte too many");
    for position in 0..bytes.len() {
        for byte in 0..=u8::MAX {
            let mut garbled = bytes.to_vec();
            garbled[position] = byte;
            // Many are other reviews. None may panic.
            let _ = with_body(garbled);
        }
    }
}
