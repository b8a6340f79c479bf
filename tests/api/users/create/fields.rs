//! Fields of a create that is accepted: each of them alone, then all together. `robustness` has the values that are refused.

use crate::api::users::fixture::{ABSENT, Case, create, delete, get, post};

const SHORT: &str = "must be at least 6 characters long";
const PHONE: &str = "must have at most 32 characters: digits, spaces and + - . ( ) /";
const LONG: &str = "must be at most 128 characters long";
const UNKNOWN_ORG: &str = "is unknown";

pub(super) fn cases() -> Vec<Case> {
    [names(), phones(), languages(), choices(), passwords(), organisations(), businesses(), together()].concat()
}

/// Returns a create with `{"<field>":<value>}` that is refused with this text.
fn refused(reason: &'static str, field: &str, value: &str, text: &str) -> Case {
    create(reason, &format!(r#"{{"{field}":{value}}}"#)).bad_fields(&format!(r#"{{"{field}":"{text}"}}"#))
}

/// Returns a create with `{"<field>":<value>}` that succeeds, with the facts of the stored user.
fn taken(reason: &'static str, field: &str, value: &str, facts: &str) -> Case {
    create(reason, &format!(r#"{{"{field}":{value}}}"#)).creates("taken").stores("taken", facts)
}

fn names() -> Vec<Case> {
    let longest = format!(r#""{}""#, "é".repeat(100));
    ["first_name", "last_name"]
        .map(|field| {
            [
                refused("a name is required", field, ABSENT, "is required"),
                taken("a name of 1 character", field, r#""É""#, &format!("{field}=É")),
                taken("a name of 100 characters", field, &longest, &format!("{field}={}", "é".repeat(100))),
                taken("a name is trimmed", field, r#""  Zoë ""#, &format!("{field}=Zoë")),
                taken("markup is text", field, r#""<b>&amp;\"'""#, &format!("{field}=<b>&amp;\"'")),
            ]
        })
        .concat()
}

fn phones() -> Vec<Case> {
    vec![
        taken("no phone", "phone", ABSENT, "phone=none"),
        taken("null is no phone", "phone", "null", "phone=none"),
        taken("a blank phone is none", "phone", r#""  ""#, "phone=none"),
        taken("every character that a phone may have", "phone", r#""+33(0)4.77-12/34""#, "phone=+33(0)4.77-12/34"),
        taken("a phone is trimmed", "phone", r#"" 0123 ""#, "phone=0123"),
    ]
}

fn languages() -> Vec<Case> {
    let codes = ["en", "fr", "es", "it", "de", "pt"]
        .map(|code| taken("a language", "lang", &format!(r#""{code}""#), &format!("lang={code}")));
    let others = [
        taken("no language", "lang", ABSENT, "lang=none"),
        taken("null is no language", "lang", "null", "lang=none"),
        taken("a language in any case", "lang", r#""De""#, "lang=de"),
        taken("a region is ignored", "lang", r#""pt-BR""#, "lang=pt"),
        taken("a region after an underscore", "lang", r#""FR_ca""#, "lang=fr"),
    ];
    codes.into_iter().chain(others).collect()
}

fn choices() -> Vec<Case> {
    let mut cases = vec![
        taken("null is not given", "status", "null", "status=active role=BUSINESS_MANAGER"),
        taken("null is not given", "role", "null", "status=active role=BUSINESS_MANAGER"),
        taken("an ORG_ADMIN", "role", r#""ORG_ADMIN""#, "role=ORG_ADMIN"),
        taken("a BUSINESS_MANAGER", "role", r#""BUSINESS_MANAGER""#, "role=BUSINESS_MANAGER"),
        taken("null is not given", "send_invitation", "null", "status=active mails=none"),
    ];
    for (yes, no) in
        [(r#""True""#, r#""False""#), (r#""tRUE""#, r#""FALSE""#), (r#""1""#, r#""0""#), ("1", "0"), ("true", "false")]
    {
        cases.push(taken("a spelling of true", "send_invitation", yes, "status=invited mails=0"));
        cases.push(taken("a spelling of false", "send_invitation", no, "status=active mails=none"));
    }
    cases
}

/// Returns a JSON string of so many characters that begins with `canary-pass`.
fn password_of(letter: &str, length: usize) -> String {
    format!(r#""canary-pass{}""#, letter.repeat(length - "canary-pass".len()))
}

fn passwords() -> Vec<Case> {
    vec![
        taken("a password of 6 characters", "password", r#""passé6""#, "password=set opens:passé6=true"),
        taken("a password of 128 characters", "password", &password_of("1", 128), "password=set"),
        refused("a password of 129 characters", "password", &password_of("1", 129), LONG),
        refused("a password of more than 512 bytes", "password", &password_of("\u{1F511}", 138), LONG),
        taken("blanks are characters", "password", r#""      ""#, "opens:______=true"),
        taken("never trimmed", "password", r#"" canary-pass ""#, "opens:_canary-pass_=true opens:canary-pass=false"),
        taken(
            "byte for byte",
            "password",
            r#""canary-passé""#,
            "opens:canary-passé=true opens:canary-passe\u{301}=false",
        ),
        taken("null is not given", "password", "null", "password=none"),
    ]
}

fn org_taken(reason: &'static str, value: &str, org: &str) -> Case {
    taken(reason, "org_id", value, &format!("org={org}")).by("provider")
}

fn org_refused(reason: &'static str, value: &str, text: &str) -> Case {
    refused(reason, "org_id", value, text).by("provider")
}

fn organisations() -> Vec<Case> {
    vec![
        org_taken("an integer", "1", "1"),
        org_taken("the smallest id as text", r#""1""#, "1"),
        org_taken("text is trimmed", r#"" 2 ""#, "2"),
        org_taken("leading zeros in text", r#""002""#, "2"),
        org_refused("one that does not exist", "999", UNKNOWN_ORG),
        org_refused("one that does not exist, for a PROVIDER", "7", UNKNOWN_ORG).with_fields(r#""role":"PROVIDER""#),
        org_refused("the largest id", "9007199254740991", UNKNOWN_ORG),
        org_refused("not given, where it must be", ABSENT, "is required"),
        org_refused("null, where it must be given", "null", "is required"),
    ]
}

fn businesses_taken(reason: &'static str, value: &str, ids: &str) -> Case {
    taken(reason, "business_ids", value, &format!("businesses={ids}"))
}

fn businesses() -> Vec<Case> {
    vec![
        businesses_taken("not given", ABSENT, "none"),
        businesses_taken("null", "null", "none"),
        businesses_taken("an empty list", "[]", "none"),
        businesses_taken("one", r#"["b1-2"]"#, "b1-2"),
        businesses_taken("the order is kept", r#"["b1-3","b1-1","b1-2"]"#, "b1-3,b1-1,b1-2"),
        businesses_taken("duplicates are removed, the first stays", r#"["b1-3","b1-1","b1-3","b1-3"]"#, "b1-3,b1-1"),
        businesses_taken("stored for an ORG_ADMIN too", r#"["b1-1"]"#, "b1-1").with_fields(r#""role":"ORG_ADMIN""#),
    ]
}

fn whole_user(fields: &str) -> String {
    format!(r#"{{"id":"<whole>",{fields},"email":"whole@canary-mail.example"}}"#)
}

fn together() -> Vec<Case> {
    let every_error = concat!(
        r#"{"business_ids":"must be a list of strings","email":"is required","first_name":"is required","foo":"is not a field of this operation","#,
        r#""lang":{"explanation":"is not one of the choices","choices":["en","fr","es","it","de","pt"]},"last_name":"must be a string","#,
        r#""org_id":"must be an integer","password":"must be at least 6 characters long","phone":"must be a string","#,
        r#""role":{"explanation":"is not one of the choices","choices":["PROVIDER","ORG_ADMIN","BUSINESS_MANAGER"]},"#,
        r#""send_invitation":{"explanation":"is not one of the choices","choices":["True","False"]},"#,
        r#""status":{"explanation":"is not one of the choices","choices":["active","invited"]}}"#
    );
    let shown = r#""status":"active","first_name":"Ada","last_name":"King","business_ids":["b1-2","b1-1"],"org_id":1,"phone":"+44 20","role":"ORG_ADMIN""#;
    let plain = r#""status":"active","first_name":"Ada","last_name":"Lovelace","business_ids":[],"org_id":1,"phone":null,"role":"BUSINESS_MANAGER""#;
    vec![
        post("nothing given: all that is required", "/user", "{}")
            .bad_fields(r#"{"email":"is required","first_name":"is required","last_name":"is required"}"#),
        post("every field wrong: all of them at once", "/user",
            r#"{"email":" ","first_name":null,"last_name":3,"lang":"xx","status":"x","role":"x","org_id":"x","password":"x","send_invitation":"x","business_ids":"x","phone":1,"foo":1}"#)
            .bad_fields(every_error),
        create("what the fields find and what the data find, at once",
            r#"{"business_ids":["b9"],"phone":"x","password":"x"}"#)
            .bad_fields(&format!(r#"{{"business_ids":"unknown businesses: b9","password":"{SHORT}","phone":"{PHONE}"}}"#)),
        create("defaults", r#"{"email":"whole@canary-mail.example"}"#).creates("whole")
            .stores("whole", "role=BUSINESS_MANAGER org=1 lang=none phone=none businesses=none password=none mails=none invited=none"),
        get("a user of defaults", "/user/<whole>").answers(200, &whole_user(plain)),
        delete("and it goes", "/user/<whole>").succeeds("whole"),
        create("every field right",
            r#"{"email":"whole@canary-mail.example","last_name":"King","lang":"fr","status":"active","role":"ORG_ADMIN","org_id":1,"password":"canary-pass-1","send_invitation":"False","business_ids":["b1-2","b1-1"],"phone":"+44 20"}"#)
            .creates("whole").stores("whole", "lang=fr opens:canary-pass-1=true mails=none"),
        get("a user of every field", "/user/<whole>").answers(200, &whole_user(shown)),
    ]
}
