//! `POST /api/v2/user/{user_id}/invite`

use super::fixture::{Case, CaseRunner, call, create};

const NO_PROVIDER: &str = "an ORG_ADMIN may not invite users with the role PROVIDER";

pub(super) fn cases() -> Vec<Case> {
    [refused(), windows(), callers()].concat()
}

fn invite(reason: &'static str, path: &str) -> Case {
    call(reason, "POST", path)
}

fn refused() -> Vec<Case> {
    let not_invited = r#"{"status":"the user is active: there is nothing to invite to"}"#;
    vec![
        invite("an active user", "/user/<manager_1>/invite").bad_fields(not_invited),
        invite("oneself", "/user/<admin_1>/invite").bad_fields(not_invited),
        invite("a blank unknown parameter", "/user/<invited_1>/invite?foo=").unknown_parameter("foo"),
        invite("no unknown user", "/user/1/invite").not_found(),
        invite("no malformed id", "/user/x/invite").not_found(),
        invite("no literal of another path", "/user/stats/invite").not_found(),
        invite("nobody of another organisation", "/user/<invited_2>/invite").not_found(),
        invite("a BUSINESS_MANAGER invites nobody", "/user/<invited_1>/invite")
            .by("manager_1")
            .forbidden("a BUSINESS_MANAGER may not invite users"),
        invite("no PROVIDER, though visible", "/user/<provider_in_1>/invite").forbidden(NO_PROVIDER),
    ]
}

/// Reason, milliseconds since the case before, and the seconds of `Retry-After`; 0 seconds for a success.
const WINDOW: [(&str, i64, u32); 12] = [
    ("never invited: at once", 0, 0),
    ("at the same instant", 0, 300),
    ("a millisecond later: rounded up", 1, 300),
    ("a second later less a millisecond: rounded up", 998, 300),
    ("a second later", 1, 299),
    ("after 298.999 s: rounded up", 297_999, 2),
    ("after 299 s", 1, 1),
    ("after 299.999 s", 999, 1),
    ("after exactly 300 s, whoever asked in between", 1, 0),
    ("the window is that of the last accepted one", 299_999, 1),
    ("again after exactly 300 s", 1, 0),
    ("long after", 86_400_000, 0),
];

fn windows() -> Vec<Case> {
    WINDOW
        .map(|(reason, later, seconds)| {
            let case = invite(reason, "/user/<invited_1>/invite").after_ms(later);
            // Only the newest invitation is sent, so one mail waits after any number of accepted ones.
            if seconds > 0 { case.too_soon(seconds) } else { case.invites().stores("invited_1", "mails=0 invited=0") }
        })
        .to_vec()
}

fn callers() -> Vec<Case> {
    vec![
        invite("any user by a PROVIDER", "/user/<invited_2>/invite").by("provider").invites(),
        invite("the window is the user's, not the caller's", "/user/<invited_2>/invite").by("admin_2").too_soon(300),
        invite("other users have windows of their own", "/user/<invited_1>/invite").after_ms(300_000).invites(),
        invite("a body is not looked at", "/user/<invited_2>/invite")
            .body(r#"{"api_key":1,"foo":"#)
            .header("content-type", "text/plain")
            .by("admin_2")
            .invites()
            .stores("invited_2", "status=invited mails=0"),
        create("invited ORG_ADMIN", r#"{"role":"ORG_ADMIN","status":"invited","send_invitation":false}"#)
            .creates("boss"),
        invite("an ORG_ADMIN by another", "/user/<boss>/invite").invites(),
        create("invited PROVIDER", r#"{"role":"PROVIDER","org_id":1,"status":"invited"}"#)
            .by("provider")
            .creates("chief"),
        invite("an invited PROVIDER by no ORG_ADMIN", "/user/<chief>/invite").forbidden(NO_PROVIDER),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_invite_gets_its_answer_and_effect() {
    CaseRunner::start().await.run(&cases()).await;
}
