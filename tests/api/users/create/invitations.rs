//! Every combination of status, `send_invitation` and password, with what is stored and what is to be sent.

use crate::api::users::fixture::{Case, call, create};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = combinations();
    cases.extend(ignored_passwords());
    cases.extend(windows());
    cases
}

const BAD: &str = "400";

/// Why, status, `send_invitation`, and the facts: without a password, with a good one, with one that is too short.
#[rustfmt::skip]
const OUTCOMES: [(&str, &str, &str, [&str; 3]); 12] = [
    ("neither given: active, and no mail", "", "",
        ["status=active password=none mails=none", "status=active password=set mails=none", BAD]),
    ("only an invitation wanted: invited", "", "true",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
    ("only an invitation not wanted: active", "", "false",
        ["status=active password=none mails=none", "status=active password=set mails=none", BAD]),
    ("active: no mail", r#""active""#, "",
        ["status=active password=none mails=none", "status=active password=set mails=none", BAD]),
    ("active with an invitation: the mail is sent too", r#""active""#, "true",
        ["status=active password=none mails=0", "status=active password=set mails=0", BAD]),
    ("active without an invitation", r#""active""#, "false",
        ["status=active password=none mails=none", "status=active password=set mails=none", BAD]),
    ("invited: the mail is sent unless refused", r#""invited""#, "",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
    ("invited with an invitation", r#""invited""#, "true",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
    ("invited without an invitation: waits silently", r#""invited""#, "false",
        ["status=invited password=none mails=none", "status=invited password=none mails=none", "status=invited password=none mails=none"]),
    ("null is not given: neither", "null", "null",
        ["status=active password=none mails=none", "status=active password=set mails=none", BAD]),
    ("null is not given: status", "null", "true",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
    ("null is not given: send_invitation", r#""invited""#, "null",
        ["status=invited password=none mails=0", "status=invited password=none mails=0", "status=invited password=none mails=0"]),
];

fn combinations() -> Vec<Case> {
    let mut cases = Vec::new();
    for (why, status, send, outcomes) in OUTCOMES {
        for (password, facts) in ["", r#""canary-pass-1""#, r#""short""#].into_iter().zip(outcomes) {
            let given = [("status", status), ("send_invitation", send), ("password", password)];
            let given = given.into_iter().filter(|(_, value)| !value.is_empty());
            let fields: Vec<_> = given.map(|(field, value)| format!(r#""{field}":{value}"#)).collect();
            let case = create(why, &format!("{{{}}}", fields.join(",")));
            cases.push(if facts == BAD {
                case.bad(r#"{"password":"must be at least 6 characters long"}"#)
            } else {
                let invited = if facts.ends_with("mails=0") { "0" } else { "none" };
                case.makes("made").facts("made", &format!("{facts} invited={invited}"))
            });
        }
    }
    cases
}

fn ignored_passwords() -> Vec<Case> {
    ["1", "[]", r#""""#, r#""a\u0000b""#, "true"]
        .map(|password| {
            create("not even validated for who is invited", &format!(r#"{{"status":"invited","password":{password}}}"#))
                .makes("made")
                .facts("made", "status=invited password=none")
        })
        .to_vec()
}

/// A mail on create opens the window of 5 minutes; silence does not.
fn windows() -> Vec<Case> {
    let invite = |why, path| call(why, "POST", path);
    vec![
        create("invited with a mail", r#"{"status":"invited"}"#).makes("loud"),
        invite("the mail of the create opened the window", "/user/<loud>/invite").too_soon(300),
        create("invited without a mail", r#"{"status":"invited","send_invitation":"False"}"#).makes("silent"),
        invite("silence opens no window", "/user/<silent>/invite").invites().facts("silent", "mails=0 invited=0"),
        invite("a millisecond before the window ends", "/user/<loud>/invite").later(299_999).too_soon(1),
        invite("the window ends after exactly 300 s", "/user/<loud>/invite").later(1).invites(),
        create("active with a mail", r#"{"send_invitation":true,"status":"active"}"#).makes("active"),
        invite("who is active is not invited", "/user/<active>/invite").bad(r#"{"status":"is not invited"}"#),
    ]
}
