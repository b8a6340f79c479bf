//! Exact bytes of an answer.

use presence_domain::review::ReviewState;
use presence_store::ReviewWrite;

use super::fixtures::{ReviewFixtures, seeded_review, write_reviews};
use crate::imports::large_dataset::second;

const FULL: &str = r#"{"id":"<id>","org_id":"1","business_id":"lyon-1","partner":"partner_8","partner_id":"a","author_name":"Zoé","date":"2025-01-01T00:00:00+00:00","update_date":"2026-02-28T23:59:59+00:00","delete_date":"2026-02-27","rating":5,"title":"Titre","content":"Parfait","reply_comment":"Merci","state":"deleted","link":"https://partner.example/a","key":"key of a"}"#;
const BARE: &str = r#"{"id":"<id>","org_id":"1","business_id":"lyon-1","partner":"partner_8","partner_id":"a","author_name":null,"date":"2025-01-01T00:00:00+00:00","update_date":"2025-01-01T00:00:00+00:00","rating":5,"title":null,"content":null,"reply_comment":null,"state":"treated","link":null,"key":"key of a"}"#;

fn envelope(review: &str, id: &str) -> String {
    format!(r#"{{"page":1,"max_page":1,"count":1,"reviews":[{}]}}"#, review.replace("<id>", id))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_has_exactly_its_fields_in_the_order_of_the_interface() {
    let review_fixtures = ReviewFixtures::new().await;
    let old = seeded_review("a");
    let mut full = old.clone();
    full.update_date = Some(second("2026-02-28T23:59:59Z"));
    full.state = ReviewState::Deleted;
    full.delete_date = Some("2026-02-27".parse().expect("a day"));
    full.author_name = Some("Zoé".to_owned());
    full.title = Some("Titre".to_owned());
    full.reply_comment = Some("Merci".to_owned());
    full.link = Some("https://partner.example/a".to_owned());
    write_reviews(&review_fixtures.stack, vec![ReviewWrite { old: Some(old.clone()), new: full.clone() }]).await;
    let search = "business__in=lyon-1&partner__in=partner_8";
    assert_eq!(review_fixtures.ask("admin_1", search).await.text, envelope(FULL, old.id.as_str()));
    assert_eq!(
        review_fixtures.ask("admin_1", "update_date__gte=2026-02-28").await.text,
        envelope(FULL, old.id.as_str()),
        "the same by a search of the organisation"
    );

    // The review is restored: a day of deletion that is still stored is not shown.
    let mut bare = old.clone();
    bare.delete_date = full.delete_date;
    (bare.title, bare.content, bare.reply_comment) =
        (Some(String::new()), Some("  ".to_owned()), Some("\n".to_owned()));
    (bare.link, bare.author_name) = (Some(String::new()), Some(" ".to_owned()));
    write_reviews(
        &review_fixtures.stack,
        vec![ReviewWrite {
            old: Some(full.clone()).map(|review| presence_domain::review::Review { version: 2, ..review }),
            new: bare,
        }],
    )
    .await;
    assert_eq!(review_fixtures.ask("admin_1", search).await.text, envelope(BARE, old.id.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_of_the_same_second_come_by_descending_id() {
    let (one, other) = (seeded_review("d"), seeded_review("e"));
    assert_eq!(one.effective_at(), other.effective_at());
    assert!(one.id > other.id, "the cases expect d before e");
}
