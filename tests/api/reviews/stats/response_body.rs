//! Whole answers, to the byte.

use super::super::fixtures::ReviewFixtures;

const WITHOUT_GROUPS: &str = concat!(
    r#"{"count":8,"average_rating":3.38,"ratings":{"1":1,"2":1,"3":2,"4":2,"5":2},"#,
    r#""states":{"treated":3,"not_treated":3,"deleted":2},"partners":{"partner_8":3,"partner_1":3,"partner_9":2},"#,
    r#""with_content":5,"without_content":3}"#
);
const BY_CITY: &str = concat!(
    r#"{"count":2,"average_rating":3.0,"ratings":{"1":1,"2":0,"3":0,"4":0,"5":1},"#,
    r#""states":{"treated":0,"not_treated":1,"deleted":1},"partners":{"partner_8":0,"partner_1":1,"partner_9":1},"#,
    r#""with_content":2,"without_content":0,"groups":["#,
    r#"{"key":"paris","name":"Paris","count":1,"average_rating":5.0,"ratings":{"1":0,"2":0,"3":0,"4":0,"5":1}},"#,
    r#"{"key":"saint etienne","name":"Saint-Étienne","count":1,"average_rating":1.0,"ratings":{"1":1,"2":0,"3":0,"4":0,"5":0}}]}"#
);
const BY_YEAR: &str = concat!(
    r#"{"count":1,"average_rating":1.0,"ratings":{"1":1,"2":0,"3":0,"4":0,"5":0},"#,
    r#""states":{"treated":0,"not_treated":1,"deleted":0},"partners":{"partner_8":0,"partner_1":1,"partner_9":0},"#,
    r#""with_content":1,"without_content":0,"groups":["#,
    r#"{"key":"2025","count":1,"average_rating":1.0,"ratings":{"1":1,"2":0,"3":0,"4":0,"5":0}}]}"#
);
const NOTHING: &str = concat!(
    r#"{"count":0,"average_rating":null,"ratings":{"1":0,"2":0,"3":0,"4":0,"5":0},"#,
    r#""states":{"treated":0,"not_treated":0,"deleted":0},"partners":{"partner_8":0,"partner_1":0,"partner_9":0},"#,
    r#""with_content":0,"without_content":0}"#
);

#[tokio::test(flavor = "multi_thread")]
async fn all_members_are_there_in_their_order() {
    let review_fixtures = ReviewFixtures::new().await;
    let nothing_by_day = NOTHING.replace(r#""without_content":0}"#, r#""without_content":0,"groups":[]}"#);
    for (query, expected) in [
        ("", WITHOUT_GROUPS),
        ("business__in=etienne,paris&group_by=city", BY_CITY),
        ("business__in=etienne&group_by=year", BY_YEAR),
        ("rating=1&rating__in=2", NOTHING),
        ("business_city=nowhere", NOTHING),
        ("business_city=nowhere&group_by=day", &nothing_by_day),
        ("rating=1&rating__in=2&group_by=business", &nothing_by_day),
    ] {
        let reply = review_fixtures.stats("admin_1", query).await;
        assert_eq!((reply.status, reply.text.as_str()), (200, expected), "{query}");
    }
}
