//! `GET /api/v2/user/stats`

use super::fixture::{Case, CaseRunner, create, delete, get, post};

pub(super) fn cases() -> Vec<Case> {
    [whose(), refused(), changes()].concat()
}

fn counts(case: Case, count: u32, invited: u32) -> Case {
    let active = count - invited;
    case.gives(200, &format!(r#"{{"count":{count},"invited_count":{invited},"activate_count":{active}}}"#))
}

fn whose() -> Vec<Case> {
    let of = |why, by| get(why, "/user/stats").by(by);
    vec![
        counts(of("an ORG_ADMIN counts its organisation", "admin_1"), 6, 1),
        counts(of("a BUSINESS_MANAGER too", "manager_1"), 6, 1),
        counts(of("another organisation", "admin_2"), 3, 1),
        counts(of("a PROVIDER counts everyone, those without organisation too", "provider"), 10, 2),
        counts(of("a PROVIDER of an organisation as well", "provider_in_1"), 10, 2),
    ]
}

fn refused() -> Vec<Case> {
    let unknown = |name: &str| format!(r#"{{"{name}":"is not a parameter of this operation"}}"#);
    let mut cases = ["org_id", "status", "page", "display_business_ids", "query", "foo"]
        .map(|name| get("no filter, nor any other parameter", &format!("/user/stats?{name}=1")).bad(&unknown(name)))
        .to_vec();
    cases.push(get("not even a blank one", "/user/stats?org_id=").bad(&unknown("org_id")));
    cases.push(get("without a key", "/user/stats").by("").unauthenticated());
    cases
}

/// Every change is counted at once.
fn changes() -> Vec<Case> {
    let now = |why| get(why, "/user/stats");
    vec![
        create("one more, invited", r#"{"status":"invited"}"#).makes("new_one"),
        counts(now("counted as invited"), 7, 2),
        post("activated", "/user/<new_one>", r#"{"status":"active","password":"canary-pass-1"}"#).done("new_one"),
        counts(now("counted as active"), 7, 1),
        post("moved", "/user/<new_one>", r#"{"org_id":2}"#).by("provider").done("new_one"),
        counts(now("counted no more"), 6, 1),
        counts(now("counted there").by("admin_2"), 4, 1),
        delete("deleted", "/user/<new_one>").by("provider").done("new_one"),
        counts(now("counted nowhere").by("provider"), 10, 2),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn stats_answer_as_their_table_says() {
    CaseRunner::start().await.run(&cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stats_equal_the_counts_of_unfiltered_searches_for_every_role() {
    let runner = CaseRunner::start().await;
    for role in ["provider", "provider_in_1", "admin_1", "manager_1", "admin_2", "manager_2"] {
        let key = runner.named(&format!("{role}.key"));
        let stats = runner.stack.get("/user/stats", key).await.json();
        for (member, path) in [
            ("count", "/user/search"),
            ("invited_count", "/user/search?status=invited"),
            ("activate_count", "/user/search?status=active"),
        ] {
            let page = runner.stack.get(path, key).await.json();
            assert_eq!(stats[member], page["count"], "{member} of {role}");
            assert_eq!(page["users"].as_array().map_or(0, Vec::len).to_string(), page["count"].to_string(), "{role}");
        }
    }
}
