//! E-mail addresses: which are valid, and which are the same.

use crate::api::users::fixture::{ABSENT, Case, create, delete, get};

const INVALID: &str = "is not a valid e-mail address";
const NOT_ASCII: &str = "must have ASCII characters only before the @: no mail can be sent to others";

pub(super) fn cases() -> Vec<Case> {
    [refused(), same(), different(), freed()].concat()
}

fn with(why: &'static str, email: &str) -> Case {
    create(why, &format!(r#"{{"email":{email}}}"#))
}

fn refused() -> Vec<Case> {
    let bad = |why, email: &str, text: &str| with(why, email).bad(&format!(r#"{{"email":"{text}"}}"#));
    let local = "a".repeat(64);
    let label = "b".repeat(60);
    let long = |top_level: &str| format!(r#""{local}@{label}.{label}.canary-mail{}.{top_level}""#, "c".repeat(49));
    let mut cases = vec![
        bad("an address is required", ABSENT, "is required"),
        bad("null is no address", "null", "is required"),
        bad("a blank address is none", r#""""#, "is required"),
        bad("blanks are no address", r#""  ""#, "is required"),
        bad("a number is no address", "1", "must be a string"),
        bad("a list is no address", r#"["a@canary-mail.example"]"#, "must be a string"),
        bad(
            "a line break in an address",
            r#""a@canary-mail.example\r\nBcc: b@canary-mail.example""#,
            "must not contain control characters",
        ),
        bad("NUL in an address", r#""a\u0000@canary-mail.example""#, "must not contain control characters"),
        with("254 bytes", &long("abcdef")).makes("long"),
        bad("255 bytes", &long("abcdefg"), "must be at most 254 bytes long"),
    ];
    for (why, email) in [
        ("no at", "canary-mail.example"),
        ("no local part", "@canary-mail.example"),
        ("no domain", "a@"),
        ("two ats", "a@b@canary-mail.example"),
        ("a display name", "Ada <a@canary-mail.example>"),
        ("brackets", "<a@canary-mail.example>"),
        ("an IP literal", "a@[192.0.2.1]"),
        ("a bare IP address", "a@192.0.2.1"),
        ("no top-level domain", "a@canary-mail"),
        ("a domain that ends with a dot", "a@canary-mail.example."),
        ("two dots", "a..b@canary-mail.example"),
        ("a dot first", ".a@canary-mail.example"),
        ("a blank inside", "a b@canary-mail.example"),
        ("two addresses", "a@canary-mail.example,b@canary-mail.example"),
        ("mailto", "mailto:a@canary-mail.example"),
        ("a comment", "a(b)@canary-mail.example"),
    ] {
        cases.push(bad(why, &format!(r#""{email}""#), INVALID));
    }
    for (why, email) in [
        ("composed accents", "zoë@canary-mail.example"),
        ("accents as combining marks", "zoe\u{308}@canary-mail.example"),
        ("sharp s", "straße@canary-mail.example"),
        ("full width, although it is folded to ASCII", "ａｎａ@canary-mail.example"),
        ("another script", "用户@例子.canary-mail.example"),
    ] {
        cases.push(bad(why, &format!(r#""{email}""#), NOT_ASCII));
    }
    cases.push(bad("what is no address at all says so", r#""ë@""#, INVALID));
    cases
}

/// Taken, however it is spelled; the answer repeats the address as it was sent, trimmed.
fn same() -> Vec<Case> {
    let mut cases = vec![
        with("stored as typed, trimmed", r#"" Ana.Lopez@Canary-Mail.example ""#)
            .makes("ana")
            .facts("ana", "email=Ana.Lopez@Canary-Mail.example"),
        with("a domain of its own script", r#""info@Bücher.canary-mail.example""#)
            .makes("buecher")
            .facts("buecher", "email=info@Bücher.canary-mail.example"),
    ];
    for (why, sent) in [
        ("the same spelling", "Ana.Lopez@Canary-Mail.example"),
        ("lower case", "ana.lopez@canary-mail.example"),
        ("upper case", "ANA.LOPEZ@CANARY-MAIL.EXAMPLE"),
        ("a domain of full width", "ana.lopez@ｃａｎａｒｙ-mail.example"),
        ("the domain in ASCII", "info@xn--bcher-kva.canary-mail.example"),
        ("the domain in capitals", "INFO@BÜCHER.canary-mail.example"),
        ("the domain with a combining mark", "info@bu\u{308}cher.canary-mail.example"),
    ] {
        cases.push(taken(why, sent));
    }
    cases.push(
        with("blanks around", r#""  ana.lopez@canary-mail.example  ""#)
            .bad(r#"{"email":"ana.lopez@canary-mail.example already exists in db"}"#),
    );
    cases.push(taken("of an invited user", "<invited_1.email>"));
    cases.push(taken("of a user of another organisation", "<manager_2.email>"));
    cases.push(taken("of a PROVIDER", "<provider.email>").by("provider_in_1"));
    cases.push(taken("one's own", "<admin_1.email>"));
    cases
}

fn taken(why: &'static str, sent: &str) -> Case {
    with(why, &format!(r#""{sent}""#)).bad(&format!(r#"{{"email":"{sent} already exists in db"}}"#))
}

fn different() -> Vec<Case> {
    [
        ("without the dot", "analopez@canary-mail.example"),
        ("with a plus tag", "ana.lopez+shop@canary-mail.example"),
        ("with another plus tag", "ana.lopez+home@canary-mail.example"),
        ("in a subdomain", "ana.lopez@a.canary-mail.example"),
        ("in another domain", "ana.lopez@canary-mail.test"),
    ]
    .map(|(why, email)| with(why, &format!(r#""{email}""#)).makes("other").facts("other", &format!("email={email}")))
    .to_vec()
}

fn freed() -> Vec<Case> {
    vec![
        delete("the owner of an address goes", "/user/<ana>").done("ana"),
        with("its address is free again", r#""ANA.lopez@canary-mail.example""#)
            .makes("next_ana")
            .facts("next_ana", "email=ANA.lopez@canary-mail.example"),
        get("the first owner stays gone", "/user/<ana>").not_found(),
        taken("and the address is taken again", "ana.lopez@canary-mail.example"),
    ]
}
