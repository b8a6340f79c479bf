//! The bytes of an answer.

use presence_domain::review::ReviewState;
use presence_store::ReviewWrite;

use super::fixtures::{ReviewFixtures, post, posted};
use crate::imports::large_dataset::second;

const FULL: &str = r#"{"id":"<id>","org_id":"1","business_id":"lyon-1","partner":"partner_8","partner_id":"a","author_name":"Zoé","date":"2025-01-01T00:00:00+00:00","update_date":"2026-02-28T23:59:59+00:00","delete_date":"2026-02-27","rating":5,"title":"Titre","content":"Parfait","reply_comment":"Merci","state":"deleted","link":"https://partner.example/a","key":"key of a"}"#;
const BARE: &str = r#"{"id":"<id>","org_id":"1","business_id":"lyon-1","partner":"partner_8","partner_id":"a","author_name":null,"date":"2025-01-01T00:00:00+00:00","update_date":"2025-01-01T00:00:00+00:00","rating":5,"title":null,"content":null,"reply_comment":null,"state":"treated","link":null,"key":"key of a"}"#;

fn envelope(review: &str, id: &str) -> String {
    format!(r#"{{"page":1,"max_page":1,"count":1,"reviews":[{}]}}"#, review.replace("<id>", id))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_has_exactly_its_fields_in_the_order_of_the_interface() {
    let review_fixtures = ReviewFixtures::new().await;
    let old = posted("a");
    let mut full = old.clone();
    full.update_date = Some(second("2026-02-28T23:59:59Z"));
    full.state = ReviewState::Deleted;
    full.delete_date = Some("2026-02-27".parse().expect("a day"));
    full.author_name = Some("Zoé".to_owned());
    full.title = Some("Titre".to_owned());
    full.reply_comment = Some("Merci".to_owned());
    full.link = Some("https://partner.example/a".to_owned());
    post(&review_fixtures.stack, vec![ReviewWrite { old: Some(old.clone()), new: full.clone() }]).await;
    let shown = || review_fixtures.ask("admin_1", "business__in=lyon-1&partner__in=partner_8");
    assert_eq!(shown().await.text, envelope(FULL, old.id.as_str()));
    assert_eq!(
        review_fixtures.ask("admin_1", "update_date__gte=2026-02-28").await.text,
        envelope(FULL, old.id.as_str()),
        "the same out of the book"
    );

    // It comes back: the day of its deletion, where it is still there, is not shown.
    let mut bare = old.clone();
    bare.delete_date = full.delete_date;
    (bare.title, bare.content, bare.reply_comment) =
        (Some(String::new()), Some("  ".to_owned()), Some("\n".to_owned()));
    (bare.link, bare.author_name) = (Some(String::new()), Some(" ".to_owned()));
    post(
        &review_fixtures.stack,
        vec![ReviewWrite {
            old: Some(full.clone()).map(|review| presence_domain::review::Review { version: 2, ..review }),
            new: bare,
        }],
    )
    .await;
    assert_eq!(shown().await.text, envelope(BARE, old.id.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_seconds_come_by_id_descending() {
    let (one, other) = (posted("d"), posted("e"));
    assert_eq!(one.effective_at(), other.effective_at());
    assert!(one.id > other.id, "the rows count on it: d before e");
}
