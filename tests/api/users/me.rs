//! `GET /api/v2/user/me`

use super::fixture::{Case, CaseRunner, get};

fn user(name: &str, last_name: &str, org_id: &str, role: &str, business_ids: &str) -> String {
    format!(
        r#"{{"id":"<{name}>","status":"active","first_name":"Test","last_name":"{last_name}",{business_ids}"org_id":{org_id},"phone":null,"role":"{role}","email":"<{name}.email>"}}"#
    )
}

fn me(reason: &'static str, path: &str) -> Case {
    get(reason, path).by("manager_1")
}

pub(super) fn cases() -> Vec<Case> {
    const SHOWN: &str = r#""business_ids":[],"#;
    let manager = user("manager_1", "manager-1", "1", "BUSINESS_MANAGER", SHOWN);
    let manager_without = user("manager_1", "manager-1", "1", "BUSINESS_MANAGER", "");
    let admin = user("admin_2", "admin-2", "2", "ORG_ADMIN", SHOWN);
    let provider = user("provider", "provider", "null", "PROVIDER", SHOWN);
    vec![
        me("a manager is told of itself", "/user/me").answers(200, &manager),
        get("an admin is told of itself", "/user/me").by("admin_2").answers(200, &admin),
        get("a PROVIDER is told of itself", "/user/me").by("provider").answers(200, &provider),
        me("business_ids on request", "/user/me?display_business_ids=True").answers(200, &manager),
        me("without business_ids", "/user/me?display_business_ids=False").answers(200, &manager_without),
        me("0 is false", "/user/me?display_business_ids=0").answers(200, &manager_without),
        me("all that is wrong at once", "/user/me?display_business_ids=x&a=1&b=2").bad_fields(
            r#"{"a":"is not a parameter of this operation","b":"is not a parameter of this operation","display_business_ids":{"explanation":"is not one of the choices","choices":["True","False"]}}"#,
        ),
        me("me is no user to be updated", "/user/me").body("{}").answers(200, &manager),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_me_gets_its_answer() {
    CaseRunner::start().await.run(&cases()).await;
}
