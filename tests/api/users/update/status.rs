//! Changes between `active` and `invited`: mails, pauses between them, passwords, links and keys.

use crate::api::users::fixture::{Case, call, create, get, post};

const TO_ACTIVE: &str = r#"{"status":"active"}"#;
const TO_INVITED: &str = r#"{"status":"invited"}"#;
const ACTIVATE: &str = r#"{"status":"active","password":"canary-pass-1"}"#;

pub(super) fn cases() -> Vec<Case> {
    [activation(), while_invited(), invitation(), inside_the_window(), addresses(), of_active_users(), keys()].concat()
}

fn update(reason: &'static str, who: &'static str, body: &str) -> Case {
    post(reason, &format!("/user/<{who}>"), body).succeeds(who)
}

fn invite(reason: &'static str, who: &str) -> Case {
    call(reason, "POST", &format!("/user/<{who}>/invite"))
}

fn activation() -> Vec<Case> {
    const REQUIRED: &str = r#"{"password":"is required to activate the user"}"#;
    vec![
        create("invited, with a mail", TO_INVITED).creates("una").stores("una", "mails=0 invited=0 password=none"),
        update("invited again: no effect, no mail", "una", TO_INVITED).stores("una", "version=1 mails=0 invited=0"),
        update("activation needs a password", "una", TO_ACTIVE).bad_fields(REQUIRED),
        update("null is no password", "una", r#"{"status":"active","password":null}"#).bad_fields(REQUIRED),
        update("a short password", "una", r#"{"status":"active","password":"short"}"#)
            .bad_fields(r#"{"password":"must be at least 6 characters long"}"#),
        update("activation: the unsent mail goes, and gives its window back", "una", ACTIVATE)
            .after_ms(10_000)
            .stores("una", "status=active opens:canary-pass-1=true mails=none invited=none"),
        update("active again: no effect", "una", TO_ACTIVE).stores("una", "version=2 mails=none"),
        update(
            "active again with a password: the password changes",
            "una",
            r#"{"status":"active","password":"canary-pass-2"}"#,
        )
        .stores("una", "version=3 opens:canary-pass-2=true"),
        update("unless the user has a password", "waiting", TO_ACTIVE)
            .stores("waiting", "status=active opens:canary-pass-0=true"),
    ]
}

fn while_invited() -> Vec<Case> {
    vec![
        create("invited, silently", r#"{"status":"invited","send_invitation":false}"#).creates("ivo"),
        update("a password is ignored while invited", "ivo", r#"{"password":"canary-pass-1"}"#)
            .stores("ivo", "version=1 password=none"),
        update("and not even validated", "ivo", r#"{"password":1}"#).stores("ivo", "version=1 password=none"),
        update("the same with the status", "ivo", r#"{"status":"invited","password":"x"}"#)
            .stores("ivo", "version=1 password=none mails=none invited=none"),
        update("other fields change", "ivo", r#"{"password":"canary-pass-1","phone":"1"}"#)
            .stores("ivo", "version=2 password=none phone=1 status=invited mails=none"),
    ]
}

fn invitation() -> Vec<Case> {
    vec![
        create("active, with a password", r#"{"password":"canary-pass-1"}"#)
            .creates("abe")
            .stores("abe", "invited=none"),
        update("invited: the password is forgotten, the mail is sent", "abe", TO_INVITED)
            .stores("abe", "status=invited password=none mails=0 invited=0"),
        update("and back needs a new one", "abe", TO_ACTIVE)
            .bad_fields(r#"{"password":"is required to activate the user"}"#),
        update("with a new one", "abe", ACTIVATE).stores("abe", "status=active mails=none"),
        update(
            "a password that comes with the invitation is ignored",
            "abe",
            r#"{"status":"invited","password":"canary-pass-9"}"#,
        )
        .after_ms(300_000)
        .stores("abe", "status=invited password=none mails=0 invited=0"),
        update("not even validated", "una", r#"{"status":"invited","password":[]}"#)
            .stores("una", "status=invited password=none mails=0"),
    ]
}

fn inside_the_window() -> Vec<Case> {
    vec![
        create("active, with a mail", r#"{"status":"active","send_invitation":"True","password":"canary-pass-1"}"#)
            .creates("wim")
            .stores("wim", "mails=0 invited=0"),
        update("inside the window the mail waits for its end", "wim", TO_INVITED)
            .after_ms(100_001)
            .stores("wim", "status=invited mails=199999 invited=0"),
        invite("another window opens with the acceptance", "wim").too_soon(300),
        invite("which is waited for", "wim").after_ms(199_999).too_soon(101),
        invite("to its end", "wim").after_ms(100_001).invites().stores("wim", "mails=0 invited=0"),
        update("activated: the unsent mail gives its window back", "wim", ACTIVATE)
            .after_ms(1)
            .stores("wim", "mails=none invited=none"),
        update("so that the next one does not wait", "wim", TO_INVITED).stores("wim", "mails=0 invited=0"),
    ]
}

fn addresses() -> Vec<Case> {
    vec![
        create("invited, with a mail", TO_INVITED).creates("mia").stores("mia", "mails=0 invited=0"),
        update(
            "a changed address kills the unsent mail, sends none and resets the clock",
            "mia",
            r#"{"email":"Mia@canary-mail.example"}"#,
        )
        .stores("mia", "mails=none invited=none"),
        invite("after a changed address at once", "mia").invites().stores("mia", "mails=0 invited=0"),
        update(
            "the same mailbox in another spelling keeps its mail and its window",
            "mia",
            r#"{"email":"MIA@canary-mail.example"}"#,
        )
        .stores("mia", "email=MIA@canary-mail.example mails=0 invited=0"),
        invite("so that the window holds", "mia").too_soon(300),
        update("another address once more: the same", "mia", r#"{"email":"mia.new@canary-mail.example"}"#)
            .stores("mia", "email=mia.new@canary-mail.example mails=none invited=none status=invited"),
        invite("so that an invitation is allowed at once", "mia").invites().stores("mia", "mails=0 invited=0"),
        update(
            "with other fields: the same",
            "mia",
            r#"{"email":"mia.next@canary-mail.example","phone":"1","password":"x"}"#,
        )
        .stores("mia", "mails=none invited=none phone=1 password=none"),
        update(
            "address and activation at once",
            "mia",
            r#"{"email":"mia.last@canary-mail.example","status":"active","password":"canary-pass-1"}"#,
        )
        .stores("mia", "status=active mails=none"),
    ]
}

fn of_active_users() -> Vec<Case> {
    vec![
        create("active, with a mail", r#"{"status":"active","send_invitation":true}"#)
            .creates("ole")
            .stores("ole", "mails=0"),
        update("other fields leave the mail alone", "ole", r#"{"first_name":"Ole"}"#)
            .stores("ole", "mails=0 invited=0"),
        update("a password leaves the mail alone", "ole", r#"{"password":"canary-pass-1"}"#)
            .stores("ole", "mails=0 invited=0"),
        update(
            "a changed address: the mail to the old one is not sent",
            "ole",
            r#"{"email":"ole@canary-mail.example"}"#,
        )
        .stores("ole", "mails=none invited=none"),
    ]
}

fn search(reason: &'static str) -> Case {
    get(reason, "/user/search?last_name=other-manager").by("other_manager_1")
}

/// Returns cases that show that a user who is invited again loses all keys for good.
fn keys() -> Vec<Case> {
    vec![
        search("a key of an active user").finds("other_manager_1"),
        update("its owner is invited again", "other_manager_1", TO_INVITED).stores("other_manager_1", "mails=0"),
        search("the key gives no access").unauthenticated(),
        update("its owner is active again", "other_manager_1", ACTIVATE).stores("other_manager_1", "status=active"),
        search("the key gives no access ever after").unauthenticated(),
    ]
}
