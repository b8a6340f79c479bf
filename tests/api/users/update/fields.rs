//! Fields of an update: each of them alone, then all together.

use crate::api::users::fixture::{Case, choice, create, get, post};

const NULL: &str = "must not be null";
const NAME: &str = "must have 1 to 100 characters";
const TEXT: &str = "must be a string";
const CONTROL: &str = "must not contain control characters";
const ADDRESS: &str = "is not a valid e-mail address";
const NOT_ASCII: &str = "must have ASCII characters only before the @: no mail can be sent to others";
const PHONE: &str = "must have at most 32 characters: digits, spaces and + - . ( ) /";

pub(super) fn cases() -> Vec<Case> {
    [no_changes(), nulls(), names(), texts(), choices(), businesses(), addresses(), non_ascii_addresses(), together()]
        .concat()
}

/// Updates `ann`, the user that the first case creates.
fn ann(reason: &'static str, body: &str) -> Case {
    post(reason, "/user/<ann>", body)
}

fn taken(reason: &'static str, body: &str, facts: &str) -> Case {
    ann(reason, body).succeeds("ann").stores("ann", facts)
}

fn refused(reason: &'static str, field: &str, value: &str, text: &str) -> Case {
    ann(reason, &format!(r#"{{"{field}":{value}}}"#)).bad_fields(&format!(r#"{{"{field}":"{text}"}}"#))
}

/// Returns a JSON string of one repeated letter.
fn repeated(letter: &str, length: usize) -> String {
    format!(r#""{}""#, letter.repeat(length))
}

fn no_changes() -> Vec<Case> {
    let whole = r#"{"email":"ann@canary-mail.example","role":"ORG_ADMIN","phone":"0123","lang":"fr","password":"canary-pass-1","business_ids":["b1-2","b1-1"]}"#;
    let same = r#"{"email":"ann@canary-mail.example","first_name":" Ada ","last_name":"Lovelace","phone":"0123","lang":"FR","role":"ORG_ADMIN","status":"active","org_id":1,"business_ids":["b1-2","b1-1","b1-2"]}"#;
    vec![
        create("somebody with every field", whole).creates("ann").stores("ann", "version=1"),
        taken("an empty change is a success, and no change", "{}", "version=1 role=ORG_ADMIN password=set"),
        taken("every field as it is: no change", same, "version=1"),
        get("nothing has changed", "/user/<ann>?display_business_ids=0").answers(
            200,
            r#"{"id":"<ann>","status":"active","first_name":"Ada","last_name":"Lovelace","org_id":1,"phone":"0123","role":"ORG_ADMIN","email":"ann@canary-mail.example"}"#,
        ),
        taken("the default of role is not applied", r#"{"last_name":"King"}"#, "role=ORG_ADMIN last_name=King version=2"),
        taken("only what is given changes", r#"{"first_name":"Ann"}"#,
            "first_name=Ann last_name=King phone=0123 lang=fr businesses=b1-2,b1-1 opens:canary-pass-1=true"),
    ]
}

fn nulls() -> Vec<Case> {
    let mut cases: Vec<_> = ["email", "first_name", "last_name"]
        .map(|field| refused("null where there must be text", field, "null", NULL))
        .to_vec();
    cases.extend(["password", "org_id", "status", "role", "business_ids"].map(|field| {
        taken(
            "null is not given",
            &format!(r#"{{"{field}":null}}"#),
            "version=3 password=set org=1 status=active role=ORG_ADMIN businesses=b1-2,b1-1",
        )
    }));
    cases.push(taken("null clears phone and lang", r#"{"phone":null,"lang":null}"#, "phone=none lang=none version=4"));
    cases.push(taken("and clears them once", r#"{"phone":null,"lang":null}"#, "version=4"));
    cases.push(taken("a phone again", r#"{"phone":" +1 ","lang":"pt-BR"}"#, "phone=+1 lang=pt"));
    cases.push(taken("a blank phone clears it", r#"{"phone":" "}"#, "phone=none lang=pt"));
    cases
}

fn names() -> Vec<Case> {
    let mut cases = Vec::new();
    for field in ["first_name", "last_name"] {
        cases.extend([
            refused("a blank name", field, r#""""#, NAME),
            refused("a name of blanks", field, r#""   ""#, NAME),
            refused("a name of 101 characters", field, &repeated("ü", 101), NAME),
            refused("a number is no name", field, "7", TEXT),
            refused("a list is no name", field, "[]", TEXT),
            refused("a control character in a name", field, r#""a\u0000""#, CONTROL),
            taken(
                "a name of 100 characters",
                &format!(r#"{{"{field}":{}}}"#, repeated("ü", 100)),
                &format!("{field}={}", "ü".repeat(100)),
            ),
            taken("a name of 1 character, trimmed", &format!(r#"{{"{field}":" x "}}"#), &format!("{field}=x")),
        ]);
    }
    cases
}

fn texts() -> Vec<Case> {
    let langs = choice("lang", &["en", "fr", "es", "it", "de", "pt"]);
    vec![
        refused("a phone of 33 characters", "phone", &repeated("1", 33), PHONE),
        refused("letters in a phone", "phone", r#""abc""#, PHONE),
        refused("a number is no phone", "phone", "1", TEXT),
        taken(
            "a phone of 32 characters",
            &format!(r#"{{"phone":{}}}"#, repeated("1", 32)),
            &format!("phone={}", "1".repeat(32)),
        ),
        ann("another language", r#"{"lang":"nl"}"#).bad_fields(&langs),
        ann("a blank language", r#"{"lang":""}"#).bad_fields(&langs),
        refused("a number is no language", "lang", "1", TEXT),
        refused("a password of 5 characters", "password", &repeated("a", 5), "must be at least 6 characters long"),
        refused("a blank password", "password", r#""""#, "must be at least 6 characters long"),
        refused("a password of 129 characters", "password", &repeated("a", 129), "must be at most 128 characters long"),
        refused("a number is no password", "password", "1234567", TEXT),
        refused("a control character in a password", "password", r#""canary-pass\n""#, CONTROL),
        taken(
            "a password replaces the one before",
            r#"{"password":" canary-pass-2"}"#,
            "opens:_canary-pass-2=true opens:canary-pass-1=false status=active",
        ),
        taken("a password of 6 characters", r#"{"password":"sechs6"}"#, "opens:sechs6=true"),
    ]
}

fn choices() -> Vec<Case> {
    let mut cases = Vec::new();
    for (field, spellings) in
        [("status", ["active", "invited"].as_slice()), ("role", &["PROVIDER", "ORG_ADMIN", "BUSINESS_MANAGER"])]
    {
        cases.extend([r#""INVITED""#, r#""provider""#, r#""""#, "1", "false", "{}"].map(|value| {
            ann("only the exact spelling", &format!(r#"{{"{field}":{value}}}"#)).bad_fields(&choice(field, spellings))
        }));
    }
    cases.extend(
        [("1.0", "must be an integer"), (r#""x""#, "must be an integer"), ("[]", "must be an integer")]
            .map(|(value, text)| refused("no organisation", "org_id", value, text)),
    );
    let range = "must be an integer from 1 to 9007199254740991";
    cases.extend(["0", "-1", "9007199254740992"].map(|value| refused("out of range", "org_id", value, range)));
    cases.push(taken("the present organisation as text", r#"{"org_id":"1"}"#, "org=1"));
    cases
}

fn businesses_taken(reason: &'static str, value: &str, ids: &str) -> Case {
    taken(reason, &format!(r#"{{"business_ids":{value}}}"#), &format!("businesses={ids}"))
}

fn businesses() -> Vec<Case> {
    let many: Vec<_> = (0..2_001).map(|number| format!("x{number}")).collect();
    let too_many = serde_json::to_string(&many).expect("texts are JSON");
    vec![
        businesses_taken("the whole list is replaced", r#"["b1-3"]"#, "b1-3"),
        businesses_taken("the order is kept", r#"["b1-2","b1-3","b1-1"]"#, "b1-2,b1-3,b1-1"),
        businesses_taken("another order is a change", r#"["b1-1","b1-2","b1-3"]"#, "b1-1,b1-2,b1-3"),
        businesses_taken("duplicates are removed", r#"["b1-2","b1-2","b1-1","b1-2"]"#, "b1-2,b1-1"),
        refused(
            "unknown ones are listed, and nothing changes",
            "business_ids",
            r#"["b1-1","b7","b8"]"#,
            "unknown businesses: b7, b8",
        ),
        refused("of another organisation", "business_ids", r#"["b2-1"]"#, "unknown businesses: b2-1"),
        refused("2,001", "business_ids", &too_many, "must have at most 2000 ids"),
        refused("text is no list", "business_ids", r#""b1-1""#, "must be a list of strings"),
        refused(
            "numbers are no strings",
            "business_ids",
            "[1]",
            "must be a list of strings without control characters",
        ),
        businesses_taken("the empty list", "[]", "none"),
    ]
}

fn email_changes(reason: &'static str, email: &str) -> Case {
    taken(reason, &format!(r#"{{"email":"{email}"}}"#), &format!("email={}", email.trim()))
}

fn email_in_use(reason: &'static str, email: &str) -> Case {
    refused(reason, "email", &format!(r#""{email}""#), &format!("{email} already exists in db"))
}

fn addresses() -> Vec<Case> {
    vec![
        refused("a blank address", "email", r#""""#, ADDRESS),
        refused("no address", "email", r#""ann""#, ADDRESS),
        refused("a number is no address", "email", "1", TEXT),
        refused("an accent before the @", "email", r#""änn@canary-mail.example""#, NOT_ASCII),
        refused("a control character in an address", "email", r#""ann\u0000@canary-mail.example""#, CONTROL),
        email_in_use("of another user", "<manager_1.email>"),
        email_in_use("of another user, in capitals", "MANAGER-1@canary-mail.example"),
        email_in_use("of a user of another organisation", "<manager_2.email>"),
        email_in_use("of an invited user", "<invited_1.email>"),
        email_changes("one's own in another spelling", "Ann@Canary-Mail.example"),
        email_changes("another one", "ann.other@canary-mail.example"),
        create("the one before is free", r#"{"email":"ANN@canary-mail.example"}"#).creates("second_ann"),
        email_in_use("and taken again", "ann@canary-mail.example"),
        email_changes("with a plus tag it is another one", "ann+shop@canary-mail.example"),
        email_changes("trimmed", " ann.last@canary-mail.example "),
    ]
}

fn update_elder(reason: &'static str, body: &str) -> Case {
    post(reason, "/user/<elder>", body)
}

/// Returns the cases of an address from the time before addresses had to be ASCII: it stays as it is.
fn non_ascii_addresses() -> Vec<Case> {
    let not_ascii = format!(r#"{{"email":"{NOT_ASCII}"}}"#);
    vec![
        get("found by it, in any case", "/user/search?email=ZO%C3%8B.elder@canary-mail.example").finds("elder"),
        update_elder("sent back as it is", r#"{"email":" <elder.email> "}"#)
            .succeeds("elder")
            .stores("elder", "version=1"),
        update_elder("with a change beside it", r#"{"email":"<elder.email>","phone":"1"}"#)
            .succeeds("elder")
            .stores("elder", "phone=1"),
        update_elder("another spelling is a change", r#"{"email":"zoë.elder@canary-mail.example"}"#)
            .bad_fields(&not_ascii),
        update_elder("so is another address", r#"{"email":"zoé@canary-mail.example"}"#).bad_fields(&not_ascii),
        update_elder("one of ASCII", r#"{"email":"zoe@canary-mail.example"}"#).succeeds("elder"),
    ]
}

fn together() -> Vec<Case> {
    vec![
        ann(
            "every field wrong: all of them at once",
            r#"{"email":null,"first_name":"","last_name":3,"lang":"xx","status":"x","role":"x","org_id":"x","password":"x","business_ids":"x","phone":1,"foo":1}"#,
        )
        .bad_fields(concat!(
            r#"{"business_ids":"must be a list of strings","email":"must not be null","first_name":"must have 1 to 100 characters","foo":"is not a field of this operation","#,
            r#""lang":{"explanation":"is not one of the choices","choices":["en","fr","es","it","de","pt"]},"last_name":"must be a string","#,
            r#""org_id":"must be an integer","password":"must be at least 6 characters long","phone":"must be a string","#,
            r#""role":{"explanation":"is not one of the choices","choices":["PROVIDER","ORG_ADMIN","BUSINESS_MANAGER"]},"#,
            r#""status":{"explanation":"is not one of the choices","choices":["active","invited"]}}"#
        )),
        ann("what the fields find and what the data find, at once", r#"{"business_ids":["b9"],"phone":"x"}"#)
            .bad_fields(&format!(r#"{{"business_ids":"unknown businesses: b9","phone":"{PHONE}"}}"#)),
        ann("nothing is changed by half", r#"{"first_name":"Half","phone":"x"}"#)
            .bad_fields(&format!(r#"{{"phone":"{PHONE}"}}"#))
            .stores("ann", "first_name=x"),
        taken(
            "every field right",
            r#"{"email":"ann@canary-mail.test","first_name":"Ann","last_name":"Lee","lang":"de","status":"active","role":"BUSINESS_MANAGER","org_id":1,"password":"canary-pass-3","business_ids":["b1-1"],"phone":"1"}"#,
            "email=ann@canary-mail.test first_name=Ann last_name=Lee lang=de status=active role=BUSINESS_MANAGER org=1 businesses=b1-1 phone=1 opens:canary-pass-3=true",
        ),
    ]
}
