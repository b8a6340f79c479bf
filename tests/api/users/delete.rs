//! `DELETE /api/v2/user/{user_id}`

use super::fixture::{Case, CaseRunner, call, create, delete, get, post};

const NO_DELETE: &str = "a BUSINESS_MANAGER may not delete users";
const GONE: &str = "status=no_such_user";

pub(super) fn cases() -> Vec<Case> {
    [refused(), deleted(), providers()].concat()
}

fn refused() -> Vec<Case> {
    vec![
        delete("not oneself", "/user/<admin_1>").forbidden("an ORG_ADMIN may not delete its own user"),
        delete("not oneself as a PROVIDER", "/user/<provider>")
            .by("provider")
            .forbidden("a PROVIDER may not delete its own user"),
        delete("not oneself as a PROVIDER of an organisation", "/user/<provider_in_1>")
            .by("provider_in_1")
            .forbidden("a PROVIDER may not delete its own user"),
        delete("a BUSINESS_MANAGER deletes nobody", "/user/<other_manager_1>").by("manager_1").forbidden(NO_DELETE),
        delete("not oneself as a BUSINESS_MANAGER", "/user/<manager_1>").by("manager_1").forbidden(NO_DELETE),
        delete("no PROVIDER, though visible", "/user/<provider_in_1>")
            .forbidden("an ORG_ADMIN may not delete users with the role PROVIDER"),
        delete("nobody of another organisation", "/user/<manager_2>").not_found(),
        delete("no unknown user", "/user/1").not_found(),
        delete("no malformed id", "/user/x").not_found(),
        delete("a blank unknown parameter", "/user/<manager_1>?foo=").unknown_parameter("foo"),
    ]
}

fn deleted() -> Vec<Case> {
    vec![
        create("somebody with a mail to be sent", r#"{"email":"gone@canary-mail.example","status":"invited"}"#)
            .creates("gone")
            .stores("gone", "mails=0"),
        delete("success", "/user/<gone>").succeeds("gone").stores("gone", GONE),
        delete("a second time", "/user/<gone>").not_found(),
        get("afterwards get", "/user/<gone>").not_found(),
        post("afterwards update", "/user/<gone>", r#"{"phone":"1"}"#).not_found(),
        call("afterwards invite", "POST", "/user/<gone>/invite").not_found(),
        get("afterwards search", "/user/search?email=gone@canary-mail.example").finds(""),
        create("the address is free", r#"{"email":"GONE@canary-mail.example"}"#).creates("again"),
        create("and taken", r#"{"email":"gone@canary-mail.example"}"#)
            .bad_fields(r#"{"email":"gone@canary-mail.example already exists in db"}"#),
        delete("an active user, with keys", "/user/<manager_1>").succeeds("manager_1").stores("manager_1", GONE),
        get("whose key gives no access from the next request on", "/user/me").by("manager_1").unauthenticated(),
        delete("an invited user", "/user/<invited_1>").succeeds("invited_1"),
        delete("another ORG_ADMIN", "/user/<other_admin_1>").succeeds("other_admin_1"),
        get("who is counted no more", "/user/stats")
            .answers(200, r#"{"count":4,"invited_count":0,"activate_count":4}"#),
    ]
}

fn providers() -> Vec<Case> {
    vec![
        delete("a PROVIDER deletes the last ORG_ADMIN of an organisation", "/user/<admin_2>")
            .by("provider")
            .succeeds("admin_2"),
        delete("another PROVIDER", "/user/<provider_in_1>").by("provider").succeeds("provider_in_1"),
        delete("an unknown id", "/user/<admin_2>").by("provider").not_found(),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_delete_gets_its_answer_and_effect() {
    CaseRunner::start().await.run(&cases()).await;
}
