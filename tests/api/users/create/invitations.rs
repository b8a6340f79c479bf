//! Combinations of status, `send_invitation` and password, with the stored user and the mails to be sent.

use crate::api::users::fixture::{Case, call, create};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = combinations();
    cases.extend(ignored_passwords());
    cases.extend(windows());
    cases
}

/// Outcome of a create that is refused for its password.
const REFUSED: &str = "400";

/// Reason, status, `send_invitation`, and the facts without a password, with a valid one, and with one that is too short.
#[rustfmt::skip]
const OUTCOMES: [(&str, &str, &str, [&str; 3]); 12] = [
    ("neither given: active, and no mail", "", "",
        ["status=active password=none mails=none", "status=active password=set mails=none", REFUSED]),
    ("only an invitation wanted: invited", "", "true",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
    ("only an invitation not wanted: active", "", "false",
        ["status=active password=none mails=none", "status=active password=set mails=none", REFUSED]),
    ("active: no mail", r#""active""#, "",
        ["status=active password=none mails=none", "status=active password=set mails=none", REFUSED]),
    ("active with an invitation: the mail is sent too", r#""active""#, "true",
        ["status=active password=none mails=0", "status=active password=set mails=0", REFUSED]),
    ("active without an invitation", r#""active""#, "false",
        ["status=active password=none mails=none", "status=active password=set mails=none", REFUSED]),
    ("invited: the mail is sent unless refused", r#""invited""#, "",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
    ("invited with an invitation", r#""invited""#, "true",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
    ("invited without an invitation: waits silently", r#""invited""#, "false",
        ["status=invited password=none mails=none", "status=invited password=none mails=none", "status=invited password=none mails=none"]),
    ("null is not given: neither", "null", "null",
        ["status=active password=none mails=none", "status=active password=set mails=none", REFUSED]),
    ("null is not given: status", "null", "true",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
    ("null is not given: send_invitation", r#""invited""#, "null",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
];

fn combinations() -> Vec<Case> {
    let mut cases = Vec::new();
    for (reason, status, send, outcomes) in OUTCOMES {
        for (password, facts) in ["", r#""canary-pass-1""#, r#""short""#].into_iter().zip(outcomes) {
            let given = [("status", status), ("send_invitation", send), ("password", password)];
            let given = given.into_iter().filter(|(_, value)| !value.is_empty());
            let fields: Vec<_> = given.map(|(field, value)| format!(r#""{field}":{value}"#)).collect();
            let case = create(reason, &format!("{{{}}}", fields.join(",")));
            cases.push(if facts == REFUSED {
                case.bad_fields(r#"{"password":"must be at least 6 characters long"}"#)
            } else {
                let invited = if facts.ends_with("mails=0") { "0" } else { "none" };
                case.creates("made").stores("made", &format!("{facts} invited={invited}"))
            });
        }
    }
    cases
}

fn ignored_passwords() -> Vec<Case> {
    ["1", "[]", r#""""#, r#""a\u0000b""#, "true"]
        .map(|password| {
            create("not even validated for who is invited", &format!(r#"{{"status":"invited","password":{password}}}"#))
                .creates("made")
                .stores("made", "status=invited password=none")
        })
        .to_vec()
}

fn invite(reason: &'static str, path: &str) -> Case {
    call(reason, "POST", path)
}

/// Returns the cases of the 5 minutes between two invitations: a create with a mail starts them, one without does not.
fn windows() -> Vec<Case> {
    vec![
        create("invited with a mail", r#"{"status":"invited"}"#).creates("loud"),
        invite("the mail of the create opened the window", "/user/<loud>/invite").too_soon(300),
        create("invited without a mail", r#"{"status":"invited","send_invitation":"False"}"#).creates("silent"),
        invite("silence opens no window", "/user/<silent>/invite").invites().stores("silent", "mails=0 invited=0"),
        invite("a millisecond before the window ends", "/user/<loud>/invite").after_ms(299_999).too_soon(1),
        invite("the window ends after exactly 300 s", "/user/<loud>/invite").after_ms(1).invites(),
        create("active with a mail", r#"{"send_invitation":true,"status":"active"}"#).creates("active"),
        invite("who is active is not invited", "/user/<active>/invite")
            .bad_fields(r#"{"status":"the user is active: there is nothing to invite to"}"#),
    ]
}
