//! E-mail addresses: valid ones, and spellings of the same one.

use crate::api::users::fixture::{ABSENT, Case, create, delete, get};

pub(super) fn cases() -> Vec<Case> {
    [lengths(), same_mailbox(), other_mailboxes(), freed_addresses()].concat()
}

fn create_with(reason: &'static str, email: &str) -> Case {
    create(reason, &format!(r#"{{"email":{email}}}"#))
}

/// Returns a JSON string with an address of 248 bytes and this top-level domain.
fn long_address(top_level: &str) -> String {
    let (local, label) = ("a".repeat(64), "b".repeat(60));
    format!(r#""{local}@{label}.{label}.canary-mail{}.{top_level}""#, "c".repeat(49))
}

/// Returns the cases of the longest address. `robustness` has what is no address.
fn lengths() -> Vec<Case> {
    vec![
        create_with("an address is required", ABSENT).bad_field("email", "is required"),
        create_with("254 bytes", &long_address("abcdef")).creates("long"),
        create_with("255 bytes", &long_address("abcdefg")).bad_field("email", "must be at most 254 bytes long"),
    ]
}

/// Returns the cases of an address that is taken in any spelling. The answer repeats it as it was sent, trimmed.
fn same_mailbox() -> Vec<Case> {
    let mut cases = vec![
        create_with("stored as typed, trimmed", r#"" Ana.Lopez@Canary-Mail.example ""#)
            .creates("ana")
            .stores("ana", "email=Ana.Lopez@Canary-Mail.example"),
        create_with("a domain of its own script", r#""info@Bücher.canary-mail.example""#)
            .creates("buecher")
            .stores("buecher", "email=info@Bücher.canary-mail.example"),
    ];
    for (reason, sent) in [
        ("the same spelling", "Ana.Lopez@Canary-Mail.example"),
        ("lower case", "ana.lopez@canary-mail.example"),
        ("upper case", "ANA.LOPEZ@CANARY-MAIL.EXAMPLE"),
        ("a domain of full width", "ana.lopez@ｃａｎａｒｙ-mail.example"),
        ("the domain in ASCII", "info@xn--bcher-kva.canary-mail.example"),
        ("the domain in capitals", "INFO@BÜCHER.canary-mail.example"),
        ("the domain with a combining mark", "info@bu\u{308}cher.canary-mail.example"),
    ] {
        cases.push(taken(reason, sent));
    }
    cases.push(
        create_with("blanks around", r#""  ana.lopez@canary-mail.example  ""#)
            .bad_fields(r#"{"email":"ana.lopez@canary-mail.example already exists in db"}"#),
    );
    cases.push(taken("of an invited user", "<invited_1.email>"));
    cases.push(taken("of a user of another organisation", "<manager_2.email>"));
    cases.push(taken("of a PROVIDER", "<provider.email>").by("provider_in_1"));
    cases.push(taken("one's own", "<admin_1.email>"));
    cases
}

fn taken(reason: &'static str, sent: &str) -> Case {
    create_with(reason, &format!(r#""{sent}""#)).bad_fields(&format!(r#"{{"email":"{sent} already exists in db"}}"#))
}

fn other_mailboxes() -> Vec<Case> {
    [
        ("without the dot", "analopez@canary-mail.example"),
        ("with a plus tag", "ana.lopez+shop@canary-mail.example"),
        ("with another plus tag", "ana.lopez+home@canary-mail.example"),
        ("in a subdomain", "ana.lopez@a.canary-mail.example"),
        ("in another domain", "ana.lopez@canary-mail.test"),
    ]
    .map(|(reason, email)| {
        create_with(reason, &format!(r#""{email}""#)).creates("other").stores("other", &format!("email={email}"))
    })
    .to_vec()
}

fn freed_addresses() -> Vec<Case> {
    vec![
        delete("the owner of an address goes", "/user/<ana>").succeeds("ana"),
        create_with("its address is free again", r#""ANA.lopez@canary-mail.example""#)
            .creates("next_ana")
            .stores("next_ana", "email=ANA.lopez@canary-mail.example"),
        get("the first owner stays gone", "/user/<ana>").not_found(),
        taken("and the address is taken again", "ana.lopez@canary-mail.example"),
    ]
}
