//! `GET /api/v2/user/stats`

use super::fixture::{Case, CaseRunner, create, delete, get, post};

pub(super) fn cases() -> Vec<Case> {
    [callers(), changes()].concat()
}

/// Returns a request for the counts, with the expected ones.
fn counts(reason: &'static str, caller: &'static str, count: u32, invited: u32) -> Case {
    let active = count - invited;
    let expected = format!(r#"{{"count":{count},"invited_count":{invited},"activate_count":{active}}}"#);
    get(reason, "/user/stats").by(caller).answers(200, &expected)
}

fn callers() -> Vec<Case> {
    vec![
        counts("an ORG_ADMIN counts its organisation", "admin_1", 6, 1),
        counts("a BUSINESS_MANAGER too", "manager_1", 6, 1),
        counts("another organisation", "admin_2", 3, 1),
        counts("a PROVIDER counts everyone, those without organisation too", "provider", 10, 2),
        counts("a PROVIDER of an organisation as well", "provider_in_1", 10, 2),
        get("no blank parameter is accepted", "/user/stats?org_id=").unknown_parameter("org_id"),
    ]
}

/// Returns cases that show that every change is counted at once.
fn changes() -> Vec<Case> {
    vec![
        create("one more, invited", r#"{"status":"invited"}"#).creates("new_one"),
        counts("counted as invited", "admin_1", 7, 2),
        post("activated", "/user/<new_one>", r#"{"status":"active","password":"canary-pass-1"}"#).succeeds("new_one"),
        counts("counted as active", "admin_1", 7, 1),
        post("moved", "/user/<new_one>", r#"{"org_id":2}"#).by("provider").succeeds("new_one"),
        counts("counted no more", "admin_1", 6, 1),
        counts("counted there", "admin_2", 4, 1),
        delete("deleted", "/user/<new_one>").by("provider").succeeds("new_one"),
        counts("counted nowhere", "provider", 10, 2),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_stats_gets_its_answer() {
    CaseRunner::start().await.run(&cases()).await;
}
