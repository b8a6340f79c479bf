//! Every field of a create by itself, then all of them together.

use crate::api::users::fixture::{ABSENT, Case, choice, create, delete, get, post};

const NAME: &str = "must have 1 to 100 characters";
const TEXT: &str = "must be a string";
const CONTROL: &str = "must not contain control characters";
const PHONE: &str = "must have at most 32 characters: digits, spaces and + - . ( ) /";
const SHORT: &str = "must be at least 6 characters long";
const LONG: &str = "must be at most 128 characters long";
const ORG: &str = "must be an integer from 1 to 9007199254740991";
const UNKNOWN_ORG: &str = "is unknown";
const INTEGER: &str = "must be an integer";
/// What only `serde_json` can spell: a control character in JSON.
const CONTROLS: [&str; 7] = [r"a\u0000b", r"a\nb", r"a\tb", r"a\rb", r"a\u001bb", r"a\u007fb", r"a\u009bb"];

pub(super) fn cases() -> Vec<Case> {
    [names(), phones(), languages(), choices(), passwords(), organisations(), businesses(), together()].concat()
}

/// `{"<field>":<value>}` is refused with this text.
fn refused(why: &'static str, field: &str, value: &str, text: &str) -> Case {
    create(why, &format!(r#"{{"{field}":{value}}}"#)).bad(&format!(r#"{{"{field}":"{text}"}}"#))
}

/// `{"<field>":<value>}` is taken, and then the user has these facts.
fn taken(why: &'static str, field: &str, value: &str, facts: &str) -> Case {
    create(why, &format!(r#"{{"{field}":{value}}}"#)).makes("taken").facts("taken", facts)
}

fn names() -> Vec<Case> {
    let longest = format!(r#""{}""#, "é".repeat(100));
    let too_long = format!(r#""{}""#, "é".repeat(101));
    let mut cases = Vec::new();
    for field in ["first_name", "last_name"] {
        cases.extend([
            refused("a name is required", field, ABSENT, "is required"),
            refused("null is no name", field, "null", "is required"),
            refused("a blank name is none", field, r#""""#, "is required"),
            refused("blanks are no name", field, "\"  \u{3000} \"", "is required"),
            refused("a name of 101 characters", field, &too_long, NAME),
            refused("a number is no name", field, "1", TEXT),
            refused("a boolean is no name", field, "true", TEXT),
            refused("a list is no name", field, r#"["Ada"]"#, TEXT),
            refused("an object is no name", field, r#"{"a":"b"}"#, TEXT),
            taken("a name of 1 character", field, r#""É""#, &format!("{field}=É")),
            taken("a name of 100 characters", field, &longest, &format!("{field}={}", "é".repeat(100))),
            taken("a name is trimmed", field, r#""  Zoë ""#, &format!("{field}=Zoë")),
            taken("markup is text", field, r#""<b>&amp;\"'""#, &format!("{field}=<b>&amp;\"'")),
        ]);
        cases.extend(CONTROLS.map(|text| refused("a control character", field, &format!(r#""{text}""#), CONTROL)));
    }
    cases
}

fn phones() -> Vec<Case> {
    let of = |length| format!(r#""{}""#, "1".repeat(length));
    vec![
        taken("no phone", "phone", ABSENT, "phone=none"),
        taken("null is no phone", "phone", "null", "phone=none"),
        taken("a blank phone is none", "phone", r#""  ""#, "phone=none"),
        taken("every character that a phone may have", "phone", r#""+33(0)4.77-12/34""#, "phone=+33(0)4.77-12/34"),
        taken("a phone is trimmed", "phone", r#"" 0123 ""#, "phone=0123"),
        taken("a phone of 32 characters", "phone", &of(32), &format!("phone={}", "1".repeat(32))),
        refused("a phone of 33 characters", "phone", &of(33), PHONE),
        refused("letters in a phone", "phone", r#""0800-SHOP""#, PHONE),
        refused("digits of another script", "phone", r#""٠١٢""#, PHONE),
        refused("a number is no phone", "phone", "33477123456", TEXT),
        refused("a list is no phone", "phone", "[]", TEXT),
        refused("a control character in a phone", "phone", r#""01\n23""#, CONTROL),
    ]
}

fn languages() -> Vec<Case> {
    let codes = ["en", "fr", "es", "it", "de", "pt"];
    let mut cases: Vec<_> =
        codes.map(|code| taken("a language", "lang", &format!(r#""{code}""#), &format!("lang={code}"))).to_vec();
    cases.extend([
        taken("no language", "lang", ABSENT, "lang=none"),
        taken("null is no language", "lang", "null", "lang=none"),
        taken("a language in any case", "lang", r#""De""#, "lang=de"),
        taken("a region is ignored", "lang", r#""pt-BR""#, "lang=pt"),
        taken("a region after an underscore", "lang", r#""FR_ca""#, "lang=fr"),
        refused("a number is no language", "lang", "1", TEXT),
        refused("a control character in a language", "lang", r#""en\u0000""#, CONTROL),
    ]);
    cases.extend(
        ["nl", "english", "en-", "e", "", " ", "fr-", "zh-CN"]
            .map(|wrong| create("another language", &format!(r#"{{"lang":"{wrong}"}}"#)).bad(&choice("lang", &codes))),
    );
    cases
}

fn choices() -> Vec<Case> {
    let mut cases = Vec::new();
    for (field, spellings) in
        [("status", ["active", "invited"].as_slice()), ("role", &["PROVIDER", "ORG_ADMIN", "BUSINESS_MANAGER"])]
    {
        let wrong =
            [r#""Active""#, r#""org_admin""#, r#"" active""#, r#""ORG_ADMIN ""#, r#""""#, r#"" ""#, "1", "true", "[]"];
        cases.extend(wrong.map(|value| {
            create("only the exact spelling", &format!(r#"{{"{field}":{value}}}"#)).bad(&choice(field, spellings))
        }));
        cases.push(taken("null is not given", field, "null", "status=active role=BUSINESS_MANAGER"));
    }
    cases.push(taken("an ORG_ADMIN", "role", r#""ORG_ADMIN""#, "role=ORG_ADMIN"));
    cases.push(taken("a BUSINESS_MANAGER", "role", r#""BUSINESS_MANAGER""#, "role=BUSINESS_MANAGER"));
    let wrong = [r#""yes""#, r#""""#, r#"" ""#, "2", "1.0", "-1", "[]", "{}", r#""true\n!""#];
    cases.extend(wrong.map(|value| {
        create("no boolean", &format!(r#"{{"send_invitation":{value}}}"#))
            .bad(&choice("send_invitation", &["True", "False"]))
    }));
    for (yes, no) in
        [(r#""True""#, r#""False""#), (r#""tRUE""#, r#""FALSE""#), (r#""1""#, r#""0""#), ("1", "0"), ("true", "false")]
    {
        cases.push(taken("a spelling of true", "send_invitation", yes, "status=invited mails=0"));
        cases.push(taken("a spelling of false", "send_invitation", no, "status=active mails=none"));
    }
    cases.push(taken("null is not given", "send_invitation", "null", "status=active mails=none"));
    cases
}

/// Facts spell a blank as `_`.
fn passwords() -> Vec<Case> {
    let of = |letter: &str, length| format!(r#""canary-pass{}""#, letter.repeat(length - "canary-pass".len()));
    vec![
        refused("a password of 5 characters", "password", r#""ab cd""#, SHORT),
        taken("a password of 6 characters", "password", r#""passé6""#, "password=set opens:passé6=true"),
        taken("a password of 128 characters", "password", &of("1", 128), "password=set"),
        refused("a password of 129 characters", "password", &of("1", 129), LONG),
        refused("a password of more than 512 bytes", "password", &of("\u{1F511}", 138), LONG),
        refused("a blank password", "password", r#""""#, SHORT),
        taken("blanks are characters", "password", r#""      ""#, "opens:______=true"),
        taken("never trimmed", "password", r#"" canary-pass ""#, "opens:_canary-pass_=true opens:canary-pass=false"),
        taken(
            "byte for byte",
            "password",
            r#""canary-passé""#,
            "opens:canary-passé=true opens:canary-passe\u{301}=false",
        ),
        taken("null is not given", "password", "null", "password=none"),
        refused("a number is no password", "password", "123456", TEXT),
        refused("a list is no password", "password", r#"["canary-pass"]"#, TEXT),
        refused("a control character in a password", "password", r#""canary-pass\u0000""#, CONTROL),
    ]
}

fn organisations() -> Vec<Case> {
    let of = |why, value: &str, org: &str| taken(why, "org_id", value, &format!("org={org}")).by("provider");
    let not = |why, value: &str, text| refused(why, "org_id", value, text).by("provider");
    vec![
        of("an integer", "1", "1"),
        of("the smallest id as text", r#""1""#, "1"),
        of("text is trimmed", r#"" 2 ""#, "2"),
        of("leading zeros in text", r#""002""#, "2"),
        not("one that does not exist", "999", UNKNOWN_ORG),
        not("one that does not exist, for a PROVIDER", "7", UNKNOWN_ORG).with_body(r#""role":"PROVIDER""#),
        not("the largest id", "9007199254740991", UNKNOWN_ORG),
        not("past the largest id", "9007199254740992", ORG),
        not("far past it", "18446744073709551615", ORG),
        not("0", "0", ORG),
        not("below 0", "-1", ORG),
        not("-0", r#""-0""#, ORG),
        not("a float", "1.5", INTEGER),
        not("a float without a fraction", "1.0", INTEGER),
        not("an exponent", "1e2", INTEGER),
        not("an exponent in text", r#""1e2""#, INTEGER),
        not("a plus", r#""+1""#, INTEGER),
        not("digits of another script", r#""١""#, INTEGER),
        not("no digits", r#""one""#, INTEGER),
        not("a control character", r#""1\u00002""#, INTEGER),
        not("blank text", r#""""#, INTEGER),
        not("more digits than any integer", r#""100000000000000000000000000000000000000000""#, "is out of range"),
        post("a number beyond every float", "/user", r#"{"org_id":1e400}"#)
            .by("provider")
            .whole(400, "the body is not valid JSON: line 1, column 15"),
        not("a boolean", "true", INTEGER),
        not("a list", "[1]", INTEGER),
        not("not given, where it must be", ABSENT, "is required"),
        not("null, where it must be given", "null", "is required"),
    ]
}

fn businesses() -> Vec<Case> {
    let many = |count: usize| serde_json::to_string(&(0..count).map(|n| format!("x{n}")).collect::<Vec<_>>());
    let too_many = many(2_001).expect("texts are JSON");
    let not = |why, value: &str, text: &str| refused(why, "business_ids", value, text);
    let of = |why, value: &str, ids: &str| taken(why, "business_ids", value, &format!("businesses={ids}"));
    let long = format!(r#"["b1-1","{}"]"#, "b".repeat(65));
    vec![
        of("not given", ABSENT, "none"),
        of("null", "null", "none"),
        of("an empty list", "[]", "none"),
        of("one", r#"["b1-2"]"#, "b1-2"),
        of("the order is kept", r#"["b1-3","b1-1","b1-2"]"#, "b1-3,b1-1,b1-2"),
        of("duplicates are removed, the first stays", r#"["b1-3","b1-1","b1-3","b1-3"]"#, "b1-3,b1-1"),
        not("an unknown one", r#"["b1-1","b9"]"#, "unknown businesses: b9"),
        not("all unknown ones, in order", r#"["b9","b1-1","b8"]"#, "unknown businesses: b9, b8"),
        not("of another organisation", r#"["b1-1","b2-1"]"#, "unknown businesses: b2-1"),
        not("ids are exact", r#"["B1-1","b1-1 ",""]"#, "unknown businesses: B1-1, b1-1 , "),
        not("malformed ones are unknown", r#"["a b","é"]"#, "unknown businesses: a b, é"),
        not("one of 65 characters", &long, &format!("unknown businesses: {}", "b".repeat(65))),
        not("2,001", &too_many, "must have at most 2000 ids"),
        not("text is no list", r#""b1-1""#, "must be a list of strings"),
        not("an object is no list", r#"{"0":"b1-1"}"#, "must be a list of strings"),
        not("a number is no list", "1", "must be a list of strings"),
        not("numbers are no strings", r#"["b1-1",1]"#, "must be a list of strings without control characters"),
        not("null is no string", "[null]", "must be a list of strings without control characters"),
        not("a list of lists", r#"[["b1-1"]]"#, "must be a list of strings without control characters"),
        not("a control character", r#"["b1-1\u0000"]"#, "must be a list of strings without control characters"),
        of("stored for an ORG_ADMIN too", r#"["b1-1"]"#, "b1-1").with_body(r#""role":"ORG_ADMIN""#),
    ]
}

fn together() -> Vec<Case> {
    let every_error = concat!(
        r#"{"business_ids":"must be a list of strings","email":"is required","first_name":"is required","foo":"is not a parameter of this operation","#,
        r#""lang":{"explanation":"is not one of the choices","choices":["en","fr","es","it","de","pt"]},"last_name":"must be a string","#,
        r#""org_id":"must be an integer","password":"must be at least 6 characters long","phone":"must be a string","#,
        r#""role":{"explanation":"is not one of the choices","choices":["PROVIDER","ORG_ADMIN","BUSINESS_MANAGER"]},"#,
        r#""send_invitation":{"explanation":"is not one of the choices","choices":["True","False"]},"#,
        r#""status":{"explanation":"is not one of the choices","choices":["active","invited"]}}"#
    );
    let user = |facts: &str| format!(r#"{{"id":"<whole>",{facts},"email":"whole@canary-mail.example"}}"#);
    let shown = r#""status":"active","first_name":"Ada","last_name":"King","business_ids":["b1-2","b1-1"],"org_id":1,"phone":"+44 20","role":"ORG_ADMIN""#;
    let plain = r#""status":"active","first_name":"Ada","last_name":"Lovelace","business_ids":[],"org_id":1,"phone":null,"role":"BUSINESS_MANAGER""#;
    vec![
        post("nothing given: all that is required", "/user", "{}")
            .bad(r#"{"email":"is required","first_name":"is required","last_name":"is required"}"#),
        post("every field wrong: all of them at once", "/user",
            r#"{"email":" ","first_name":null,"last_name":3,"lang":"xx","status":"x","role":"x","org_id":"x","password":"x","send_invitation":"x","business_ids":"x","phone":1,"foo":1}"#)
            .bad(every_error),
        create("what the fields find and what the data find, at once",
            r#"{"business_ids":["b9"],"phone":"x","password":"x"}"#)
            .bad(&format!(r#"{{"business_ids":"unknown businesses: b9","password":"{SHORT}","phone":"{PHONE}"}}"#)),
        create("defaults", r#"{"email":"whole@canary-mail.example"}"#).makes("whole")
            .facts("whole", "role=BUSINESS_MANAGER org=1 lang=none phone=none businesses=none password=none mails=none invited=none"),
        get("a user of defaults", "/user/<whole>").gives(200, &user(plain)),
        delete("and it goes", "/user/<whole>").done("whole"),
        create("every field right",
            r#"{"email":"whole@canary-mail.example","last_name":"King","lang":"fr","status":"active","role":"ORG_ADMIN","org_id":1,"password":"canary-pass-1","send_invitation":"False","business_ids":["b1-2","b1-1"],"phone":"+44 20"}"#)
            .makes("whole").facts("whole", "lang=fr opens:canary-pass-1=true mails=none"),
        get("a user of every field", "/user/<whole>").gives(200, &user(shown)),
    ]
}
