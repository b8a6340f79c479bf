//! Fields of an update that is accepted: each of them alone, then all together. `robustness` has the values that are refused.

use crate::api::users::fixture::{Case, create, get, post};

const NOT_ASCII: &str = "must have ASCII characters only before the @: no mail can be sent to others";
const PHONE: &str = "must have at most 32 characters: digits, spaces and + - . ( ) /";

pub(super) fn cases() -> Vec<Case> {
    [no_changes(), nulls(), values(), businesses(), addresses(), non_ascii_addresses(), together()].concat()
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
    let mut cases = ["password", "org_id", "status", "role", "business_ids"]
        .map(|field| {
            let facts = "version=3 password=set org=1 status=active role=ORG_ADMIN businesses=b1-2,b1-1";
            taken("null is not given", &format!(r#"{{"{field}":null}}"#), facts)
        })
        .to_vec();
    cases.push(taken("null clears phone and lang", r#"{"phone":null,"lang":null}"#, "phone=none lang=none version=4"));
    cases.push(taken("and clears them once", r#"{"phone":null,"lang":null}"#, "version=4"));
    cases.push(taken("a phone again", r#"{"phone":" +1 ","lang":"pt-BR"}"#, "phone=+1 lang=pt"));
    cases.push(taken("a blank phone clears it", r#"{"phone":" "}"#, "phone=none lang=pt"));
    cases
}

fn values() -> Vec<Case> {
    vec![
        taken(
            "a password replaces the one before",
            r#"{"password":" canary-pass-2"}"#,
            "opens:_canary-pass-2=true opens:canary-pass-1=false status=active",
        ),
        taken("a password of 6 characters", r#"{"password":"sechs6"}"#, "opens:sechs6=true"),
        taken("the present organisation as text", r#"{"org_id":"1"}"#, "org=1"),
        refused("a password of 129 characters", "password", &repeated("a", 129), "must be at most 128 characters long"),
        taken(
            "names of 100 characters",
            &format!(r#"{{"first_name":{0},"last_name":{0}}}"#, repeated("ü", 100)),
            &format!("first_name={0} last_name={0}", "ü".repeat(100)),
        ),
        taken("names of 1 character, trimmed", r#"{"first_name":" x ","last_name":" x "}"#, "first_name=x last_name=x"),
    ]
}

fn businesses_taken(reason: &'static str, value: &str, ids: &str) -> Case {
    taken(reason, &format!(r#"{{"business_ids":{value}}}"#), &format!("businesses={ids}"))
}

fn businesses() -> Vec<Case> {
    vec![
        businesses_taken("the whole list is replaced", r#"["b1-3"]"#, "b1-3"),
        businesses_taken("the order is kept", r#"["b1-2","b1-3","b1-1"]"#, "b1-2,b1-3,b1-1"),
        businesses_taken("another order is a change", r#"["b1-1","b1-2","b1-3"]"#, "b1-1,b1-2,b1-3"),
        businesses_taken("duplicates are removed", r#"["b1-2","b1-2","b1-1","b1-2"]"#, "b1-2,b1-1"),
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
