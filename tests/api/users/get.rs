//! `GET /api/v2/user/{user_id}`

use super::fixture::{Case, CaseRunner, get};

const MANAGER_1: &str = r#"{"id":"<manager_1>","status":"active","first_name":"Test","last_name":"manager-1","business_ids":[],"org_id":1,"phone":null,"role":"BUSINESS_MANAGER","email":"<manager_1.email>"}"#;
const MANAGER_1_WITHOUT: &str = r#"{"id":"<manager_1>","status":"active","first_name":"Test","last_name":"manager-1","org_id":1,"phone":null,"role":"BUSINESS_MANAGER","email":"<manager_1.email>"}"#;
const INVITED_1: &str = r#"{"id":"<invited_1>","status":"invited","first_name":"Test","last_name":"invited-1","business_ids":[],"org_id":1,"phone":null,"role":"BUSINESS_MANAGER","email":"<invited_1.email>"}"#;
const PROVIDER: &str = r#"{"id":"<provider>","status":"active","first_name":"Test","last_name":"provider","business_ids":[],"org_id":null,"phone":null,"role":"PROVIDER","email":"<provider.email>"}"#;
const PROVIDER_IN_1: &str = r#"{"id":"<provider_in_1>","status":"active","first_name":"Test","last_name":"provider-in-1","business_ids":[],"org_id":1,"phone":null,"role":"PROVIDER","email":"<provider_in_1.email>"}"#;
const MANAGER_2: &str = r#"{"id":"<manager_2>","status":"active","first_name":"Test","last_name":"manager-2","business_ids":[],"org_id":2,"phone":null,"role":"BUSINESS_MANAGER","email":"<manager_2.email>"}"#;

pub(super) fn cases() -> Vec<Case> {
    [people(), with_business_ids(), without_business_ids(), ids_of_nobody()].concat()
}

fn people() -> Vec<Case> {
    vec![
        get("nine keys in the order of the interface", "/user/<manager_1>").answers(200, MANAGER_1),
        get("a BUSINESS_MANAGER reads its own organisation", "/user/<invited_1>")
            .by("manager_1")
            .answers(200, INVITED_1),
        get("a PROVIDER in the organisation is visible to it", "/user/<provider_in_1>").answers(200, PROVIDER_IN_1),
        get("a PROVIDER reads every organisation", "/user/<manager_2>").by("provider").answers(200, MANAGER_2),
        get("a PROVIDER of an organisation reads every other", "/user/<manager_2>")
            .by("provider_in_1")
            .answers(200, MANAGER_2),
        get("org_id is null without an organisation", "/user/<provider>").by("provider_in_1").answers(200, PROVIDER),
    ]
}

fn with_business_ids() -> Vec<Case> {
    ["True", "true", "TRUE", "tRuE", "1"]
        .map(|yes| {
            let path = format!("/user/<manager_1>?display_business_ids={yes}");
            get("true in any case, or 1, shows business_ids", &path).answers(200, MANAGER_1)
        })
        .to_vec()
}

fn without_business_ids() -> Vec<Case> {
    ["False", "false", "FALSE", "fAlSe", "0"]
        .map(|no| {
            let path = format!("/user/<manager_1>?display_business_ids={no}");
            get("false in any case, or 0, leaves the key out", &path).answers(200, MANAGER_1_WITHOUT)
        })
        .to_vec()
}

/// Returns the cases of ids of nobody. `robustness` has those that are no ids.
fn ids_of_nobody() -> Vec<Case> {
    vec![
        get("the largest id is an id, of nobody", "/user/9007199254740991").not_found(),
        get("the smallest id is an id, of nobody", "/user/1").not_found(),
        get("a foreign user does not exist", "/user/<manager_2>").not_found(),
        get("a foreign user does not exist for a manager", "/user/<admin_2>").by("manager_1").not_found(),
        get("a PROVIDER of no organisation is foreign to all", "/user/<provider>").not_found(),
        get("an unknown id is not found by a PROVIDER either", "/user/1").by("provider").not_found(),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_get_gets_its_answer() {
    CaseRunner::start().await.run(&cases()).await;
}
