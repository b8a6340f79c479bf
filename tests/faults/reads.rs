//! Scenarios of the operations that read.

use presence_tests::{Fixtures, SEEDED_REVIEW, SEEDED_WEBHOOK, TestUser};

use super::fixture::{Fixture, Preparation, Scenario, StoredEffect, Target};

pub(super) fn scenarios() -> Vec<Scenario> {
    use Preparation::{Imports, NewHour, Nothing, Writes};
    vec![
        read("me", "get_me", manager, Nothing, |_| "/user/me".to_owned()),
        read("me, first in the hour", "get_me", manager, NewHour, |_| "/user/me".to_owned()),
        read("get", "get_user", manager, Nothing, |fixture| format!("/user/{}", fixture.fixtures.admin_1.id)),
        read("keys", "list_keys", manager, Nothing, |fixture| format!("/user/{}/keys", fixture.fixtures.manager_1.id)),
        read("stats", "get_user_stats", manager, Nothing, |_| "/user/stats".to_owned()),
        read("stats of everyone", "get_user_stats", provider, NewHour, |_| "/user/stats".to_owned()),
        read("search, warm", "search_users", manager, Nothing, |_| "/user/search?query=test".to_owned()),
        read("search, cold", "search_users", manager, Writes, |_| "/user/search?query=test".to_owned()),
        read("search by status, first in the hour", "search_users", manager, NewHour, |_| {
            "/user/search?status=invited&display_business_ids=false".to_owned()
        }),
        read("search of everyone, warm", "search_users", provider, Nothing, |_| "/user/search".to_owned()),
        read("reviews of an organisation", "search_reviews", manager, Nothing, |_| {
            "/reviews?update_date__gte=2025-04-01".to_owned()
        }),
        read("reviews of a business", "search_reviews", manager, Nothing, |_| {
            "/reviews?business__in=lyon-1".to_owned()
        }),
        read("a review", "get_review", manager, Nothing, |_| format!("/reviews/{SEEDED_REVIEW}")),
        read("a review, first in the hour", "get_review", provider, NewHour, |_| format!("/reviews/{SEEDED_REVIEW}")),
        read("a reply", "get_reply", manager, Nothing, |_| format!("/reviews/{SEEDED_REVIEW}/reply")),
        read("statistics by month", "get_review_stats", manager, Nothing, |_| {
            "/reviews/stats?group_by=month&update_date__gte=2025-02-01T12:00".to_owned()
        }),
        read("statistics by city of everyone", "get_review_stats", provider, Nothing, |_| {
            "/reviews/stats?group_by=city".to_owned()
        }),
        read("businesses", "search_businesses", manager, Nothing, |_| "/business/search?query=shop".to_owned()),
        read("businesses, after a change", "search_businesses", provider, Imports, |_| {
            "/business/search?query=shop+b1".to_owned()
        }),
        read("feed of events", "list_events", provider, Nothing, |_| "/events?org_id=1".to_owned()),
        read("webhooks", "list_webhooks", admin, Nothing, |_| "/webhooks".to_owned()),
        read("a webhook", "get_webhook", admin, Nothing, |_| format!("/webhooks/{SEEDED_WEBHOOK}")),
        read("deliveries", "list_deliveries", admin, Nothing, |_| format!("/webhooks/{SEEDED_WEBHOOK}/deliveries")),
        read("search of everyone, cold", "search_users", provider, Writes, |_| "/user/search?last_name=r".to_owned()),
    ]
}

fn read(
    name: &'static str,
    operation: &'static str,
    by: fn(&Fixtures) -> &TestUser,
    before: Preparation,
    path: fn(&Fixture) -> String,
) -> Scenario {
    Scenario {
        name,
        operation,
        by,
        target: Target::Nobody,
        before,
        method: "GET",
        path,
        body: None,
        unbroken: 200,
        again: 200,
        done: StoredEffect::ChangesNothing,
        is_keyed: false,
    }
}

fn manager(fixtures: &Fixtures) -> &TestUser {
    &fixtures.manager_1
}

fn provider(fixtures: &Fixtures) -> &TestUser {
    &fixtures.provider
}

fn admin(fixtures: &Fixtures) -> &TestUser {
    &fixtures.admin_1
}
