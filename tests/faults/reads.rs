//! Scenarios of the operations that read.

use presence_tests::{Fixtures, SEEDED_REVIEW, SEEDED_WEBHOOK, TestUser};

use super::fixture::{Fixture, Preparation, Scenario, StoredEffect, Target};

/// Returns the path of a scenario.
type PathOf = fn(&Fixture) -> String;

/// Noon of a day in June, from which reviews are searched.
const JUNE: &str = "2025-06-10T12:00:00";

pub(super) fn scenarios() -> Vec<Scenario> {
    use Preparation::{Imports, NewHour, Nothing, Writes};
    let mut scenarios = vec![
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
        read("a review", "get_review", manager, Nothing, |_| format!("/reviews/{SEEDED_REVIEW}")),
        read("a review, first in the hour", "get_review", provider, NewHour, |_| format!("/reviews/{SEEDED_REVIEW}")),
        read("a reply", "get_reply", manager, Nothing, |_| format!("/reviews/{SEEDED_REVIEW}/reply")),
        read("businesses", "search_businesses", manager, Nothing, |_| "/business/search?query=shop".to_owned()),
        read("businesses, after a change", "search_businesses", provider, Imports, |_| {
            "/business/search?query=shop+b1".to_owned()
        }),
        read("feed of events", "list_events", provider, Nothing, |_| "/events?org_id=1".to_owned()),
        read("webhooks", "list_webhooks", admin, Nothing, |_| "/webhooks".to_owned()),
        read("a webhook", "get_webhook", admin, Nothing, |_| format!("/webhooks/{SEEDED_WEBHOOK}")),
        read("deliveries", "list_deliveries", admin, Nothing, |_| format!("/webhooks/{SEEDED_WEBHOOK}/deliveries")),
        read("search of everyone, cold", "search_users", provider, Writes, |_| "/user/search?last_name=r".to_owned()),
    ];
    scenarios.extend(searches());
    scenarios
}

/// Returns searches of many reviews, and of categories.
fn searches() -> Vec<Scenario> {
    use Preparation::{NewDirectory, NewOrg, Nothing};
    let reviews = |by, before, path| read("reviews", "search_reviews", by, before, path);
    let stats = |by, before, path| read("statistics", "get_review_stats", by, before, path);
    let categories = |before| {
        let path: PathOf = |_| "/category/search?lang=FR&name=banque".to_owned();
        read("categories", "search_categories", manager, before, path)
    };
    let category =
        |before| read("a category", "get_category", provider, before, |_| "/category/c-bank?lang=FR".to_owned());
    vec![
        reviews(manager, Nothing, |_| "/reviews?per_page=10&page=2".to_owned()),
        reviews(manager, Nothing, |_| "/reviews?per_page=10&business_city=lyon&order_by=update_date".to_owned()),
        reviews(manager, Nothing, |_| "/reviews?per_page=10&business__in=m1,m2&update_date__gte=2025-08-01".to_owned()),
        reviews(manager, Nothing, |_| {
            format!("/reviews?per_page=10&update_date__gte={JUNE}&update_date__lte=2025-08-10")
        }),
        reviews(provider, Nothing, |_| "/reviews?per_page=10&rating__in=1,3&state=not_treated".to_owned()),
        reviews(provider, NewOrg, |_| "/reviews?per_page=10&business_city=lyon".to_owned()),
        stats(manager, Nothing, |_| format!("/reviews/stats?group_by=month&update_date__gte={JUNE}")),
        stats(manager, Nothing, |_| format!("/reviews/stats?group_by=day&business__in=m1,m2&update_date__gte={JUNE}")),
        stats(provider, Nothing, |_| "/reviews/stats?group_by=business&rating__in=1,3".to_owned()),
        stats(provider, NewOrg, |_| "/reviews/stats?group_by=city&update_date__lte=2025-07-20T12:00:00".to_owned()),
        categories(Nothing),
        categories(NewDirectory),
        category(Nothing),
        category(NewDirectory),
    ]
}

fn read(
    name: &'static str,
    operation: &'static str,
    by: fn(&Fixtures) -> &TestUser,
    before: Preparation,
    path: PathOf,
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
