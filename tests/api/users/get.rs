//! `GET /api/v2/user/{user_id}`

use super::fixture::{Case, CaseRunner, choice, get};

const MANAGER_1: &str = r#"{"id":"<manager_1>","status":"active","first_name":"Test","last_name":"manager-1","business_ids":[],"org_id":1,"phone":null,"role":"BUSINESS_MANAGER","email":"<manager_1.email>"}"#;
const MANAGER_1_WITHOUT: &str = r#"{"id":"<manager_1>","status":"active","first_name":"Test","last_name":"manager-1","org_id":1,"phone":null,"role":"BUSINESS_MANAGER","email":"<manager_1.email>"}"#;
const INVITED_1: &str = r#"{"id":"<invited_1>","status":"invited","first_name":"Test","last_name":"invited-1","business_ids":[],"org_id":1,"phone":null,"role":"BUSINESS_MANAGER","email":"<invited_1.email>"}"#;
const PROVIDER: &str = r#"{"id":"<provider>","status":"active","first_name":"Test","last_name":"provider","business_ids":[],"org_id":null,"phone":null,"role":"PROVIDER","email":"<provider.email>"}"#;
const PROVIDER_IN_1: &str = r#"{"id":"<provider_in_1>","status":"active","first_name":"Test","last_name":"provider-in-1","business_ids":[],"org_id":1,"phone":null,"role":"PROVIDER","email":"<provider_in_1.email>"}"#;
const MANAGER_2: &str = r#"{"id":"<manager_2>","status":"active","first_name":"Test","last_name":"manager-2","business_ids":[],"org_id":2,"phone":null,"role":"BUSINESS_MANAGER","email":"<manager_2.email>"}"#;

pub(super) fn cases() -> Vec<Case> {
    [people(), with_business_ids(), without_business_ids(), refused(), malformed_ids()].concat()
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

fn refused() -> Vec<Case> {
    let choices = choice("display_business_ids", &["True", "False"]);
    let mut cases: Vec<_> = ["yes", "no", "2", "-1", "t", "null", "truefalse", "1.0", "01", "", "%20", "%C2%A0"]
        .map(|text| {
            let path = format!("/user/<manager_1>?display_business_ids={text}");
            get("no other spelling, nor a blank one, is a boolean", &path).bad_fields(&choices)
        })
        .to_vec();
    cases.push(
        get("a boolean twice", "/user/<manager_1>?display_business_ids=1&display_business_ids=1")
            .bad_fields(r#"{"display_business_ids":"is given more than once"}"#),
    );
    cases.push(
        get("parameter names are case-sensitive", "/user/<manager_1>?Display_Business_Ids=1")
            .did_you_mean("Display_Business_Ids", "display_business_ids"),
    );
    cases.push(get("a parameter of another operation", "/user/<manager_1>?page=1&query=a").bad_fields(
        r#"{"page":"is not a parameter of this operation","query":"is not a parameter of this operation"}"#,
    ));
    cases
}

fn malformed_ids() -> Vec<Case> {
    let spellings = [
        "0",
        "-1",
        "+1",
        "%2B1",
        "01",
        "1.0",
        "1e3",
        "abc",
        "ME",
        "Search",
        "%20",
        "%201",
        "1%20",
        "0x1",
        "1%00",
        "9007199254740992",
        "18446744073709551617",
        "%D9%A3",
        "%EF%BC%91",
        "%ff",
        "1,2",
        "null",
        "undefined",
        "1%2F2",
        "*",
    ];
    let mut cases = spellings.map(|id| get("what is no id is not found", &format!("/user/{id}")).not_found()).to_vec();
    cases.push(get("the largest id is an id, of nobody", "/user/9007199254740991").not_found());
    cases.push(get("the smallest id is an id, of nobody", "/user/1").not_found());
    cases.push(get("a foreign user does not exist", "/user/<manager_2>").not_found());
    cases.push(get("a foreign user does not exist for a manager", "/user/<admin_2>").by("manager_1").not_found());
    cases.push(get("a PROVIDER of no organisation is foreign to all", "/user/<provider>").not_found());
    cases.push(get("an unknown id is not found by a PROVIDER either", "/user/1").by("provider").not_found());
    cases
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_get_gets_its_answer() {
    CaseRunner::start().await.run(&cases()).await;
}
