//! Strict parsing: malformed and mistyped input is never ignored.

use super::OPERATIONS;
use crate::api::users::fixture::{Case, call, get, post};

pub(super) fn cases() -> Vec<Case> {
    [malformed_json(), no_object(), bytes(), repeated(), unknown(), queries()].concat()
}

/// Returns the same case for create and for update, which parse a body alike.
fn create_and_update(reason: &'static str, body: impl AsRef<[u8]>, expect: impl Fn(Case) -> Case) -> Vec<Case> {
    ["/user", "/user/<invited_1>"].map(|path| expect(post(reason, path, body.as_ref()))).to_vec()
}

fn invalid_json(line: u32, column: u32) -> String {
    format!("the body is not valid JSON: line {line}, column {column}")
}

fn malformed(reason: &'static str, body: &str, column: u32) -> Vec<Case> {
    create_and_update(reason, body, |case| case.error(400, &invalid_json(1, column)))
}

fn malformed_json() -> Vec<Case> {
    const NESTED: usize = 10_000;
    let deep = format!(r#"{{"phone":{}{}}}"#, "[".repeat(NESTED), "]".repeat(NESTED));
    [
        malformed("an object without an end", "{", 1),
        malformed("a field without a value", r#"{"phone"}"#, 9),
        malformed("a comma too many", r#"{"phone":"1",}"#, 14),
        malformed("no JSON at all", "hello", 1),
        malformed("a form", "phone=1", 1),
        malformed("apostrophes for quotes", "{'phone':1}", 2),
        malformed("a name without quotes", "{phone:1}", 2),
        malformed("text after the object", r#"{"phone":"1"} {}"#, 15),
        malformed("NaN", r#"{"org_id":NaN}"#, 11),
        malformed("a number with a leading zero", r#"{"org_id":01}"#, 12),
        malformed("a comment", r#"{"phone":"1"/* */}"#, 13),
        malformed("a lone surrogate", r#"{"phone":"\ud800"}"#, 17),
        malformed("an unknown escape", r#"{"phone":"\x41"}"#, 12),
        malformed("a raw line break in a text", "{\"phone\":\"a\tb\"}", 12),
        malformed("a byte order mark", "\u{feff}{}", 1),
        malformed("blanks only", "   ", 3),
        malformed("nesting without measure", &deep, 136),
        create_and_update("a whole line further down", "{\n\n  \"a\": tru }", |case| {
            case.error(400, &invalid_json(3, 11))
        }),
    ]
    .concat()
}

fn no_object() -> Vec<Case> {
    ["[]", "[{}]", r#""text""#, "1", "true", "null"]
        .map(|body| {
            create_and_update("JSON, but no object", body, |case| case.error(400, "the body must be a JSON object"))
        })
        .concat()
}

fn bytes() -> Vec<Case> {
    [
        create_and_update("invalid UTF-8 in a value", b"{\"phone\":\"\xff\"}".as_slice(), |case| {
            case.error(400, &invalid_json(1, 11))
        }),
        create_and_update("invalid UTF-8 in a name", b"{\"\xc3(\":1}".as_slice(), |case| {
            case.error(400, &invalid_json(1, 3))
        }),
        create_and_update("UTF-16", b"{\0\"\0a\0\"\0:\x001\0}\0".as_slice(), |case| {
            case.error(400, &invalid_json(1, 2))
        }),
    ]
    .concat()
}

fn given_twice(reason: &'static str, body: &str, name: &str) -> Vec<Case> {
    create_and_update(reason, body, |case| case.bad_field(name, "is given more than once"))
}

fn repeated() -> Vec<Case> {
    [
        given_twice("a field twice", r#"{"phone":"1","phone":"2"}"#, "phone"),
        given_twice("a field twice with one value", r#"{"phone":"1","phone":"1"}"#, "phone"),
        given_twice("a field twice, spelled with an escape", r#"{"phone":"1","\u0070hone":"2"}"#, "phone"),
        given_twice("a field twice, once null", r#"{"role":null,"role":"PROVIDER"}"#, "role"),
        given_twice("an unknown field twice", r#"{"foo":1,"foo":2}"#, "foo"),
    ]
    .concat()
}

/// Returns a body with so many spellings of `phone`, in the order of the names.
fn many_fields(count: usize) -> String {
    let fields: Vec<String> = (0..count).map(|number| format!(r#""phone{}":1"#, "_".repeat(number + 1))).collect();
    format!("{{{}}}", fields.join(","))
}

/// Returns the errors of [`many_fields`]: the first 16 have a hint.
fn many_errors(count: usize) -> String {
    let text = |number: usize| match number {
        0..16 => r#"is not a field of this operation; did you mean \"phone\"?"#,
        _ => "is not a field of this operation",
    };
    let errors: Vec<String> =
        (0..count).map(|number| format!(r#""phone{}":"{}""#, "_".repeat(number + 1), text(number))).collect();
    format!("{{{}}}", errors.join(","))
}

/// Returns the cases of unknown parameters, in the query and in the body, on every operation.
fn unknown() -> Vec<Case> {
    let mut cases = Vec::new();
    for (method, path) in OPERATIONS {
        let case = call("an unknown parameter, on every operation", method, &format!("{path}?foo=1"));
        let case = match (method, path) {
            ("POST", "/user") => case.body(r#"{"email":"<new>","first_name":"A","last_name":"B"}"#),
            ("POST", "/user/<invited_1>") => case.body("{}"),
            _ => case,
        };
        cases.push(case.unknown_parameter("foo"));
    }
    let user = r#""email":"<new>","first_name":"A","last_name":"B""#;
    for name in ["foo", "id", "user_id", "keys", "invited_at", "", "__proto__"] {
        let body = format!(r#"{{{user},"{name}":1}}"#);
        cases.push(post("create: an unknown field", "/user", body).unknown_field(name));
        let body = format!(r#"{{"phone":"1","{name}":null}}"#);
        cases.push(post("update: an unknown field, even of null", "/user/<invited_1>", body).unknown_field(name));
    }
    for (name, meant) in [
        ("Email", "email"),
        ("first-name", "first_name"),
        ("firstName", "first_name"),
        ("lastnmae", "last_name"),
        (" phone", "phone"),
        ("language", "lang"),
        ("organization_id", "org_id"),
        ("business_ids[]", "business_ids"),
        ("apiKey", "api_key"),
    ] {
        let body = format!(r#"{{{user},"{name}":1}}"#);
        cases.push(post("create: a mistyped field", "/user", body).did_you_mean_field(name, meant));
        let body = format!(r#"{{"phone":"1","{name}":null}}"#);
        cases.push(post("update: a mistyped field", "/user/<invited_1>", body).did_you_mean_field(name, meant));
    }
    cases.push(
        post("as many unknown fields as fit get the hints of 16", "/user/<invited_1>", many_fields(40))
            .bad_fields(&many_errors(40)),
    );
    cases.push(
        post("update has no send_invitation", "/user/<invited_1>", r#"{"send_invitation":"True"}"#)
            .unknown_field("send_invitation"),
    );
    cases.push(
        post("create takes no field from the query", "/user?phone=1", format!("{{{user}}}")).unknown_parameter("phone"),
    );
    cases.push(
        post("update takes no field from the query", "/user/<invited_1>?phone=1", "{}").unknown_parameter("phone"),
    );
    cases.push(post("all unknown fields at once", "/user/<invited_1>?c=1", r#"{"b":1,"a":1}"#).bad_fields(
        r#"{"a":"is not a field of this operation","b":"is not a field of this operation","c":"is not a parameter of this operation"}"#,
    ));
    cases
}

fn queries() -> Vec<Case> {
    const UNREADABLE: &str = r#"{"query":"is not valid percent-encoded UTF-8"}"#;
    const BAD_NAME: &str = "the query string has a parameter name that is not valid percent-encoded UTF-8";
    let mut cases: Vec<_> = ["%", "%4", "%zz", "a%", "%ff", "%C3", "%C3%28", "%ED%A0%80", "%C0%80", "%u0041"]
        .map(|value| {
            let path = format!("/user/search?query={value}");
            get("an invalid percent sequence, or invalid UTF-8", &path).bad_fields(UNREADABLE)
        })
        .to_vec();
    cases.extend(
        ["/user/me?%=1", "/user/me?%ff=1", "/user/stats?a%zz"]
            .map(|path| get("an invalid percent sequence in a name", path).error(400, BAD_NAME)),
    );
    cases.push(
        get("a key that cannot be decoded is not repeated", "/user/me?api_key=%ff")
            .by("")
            .error(400, "query parameter api_key is not valid percent-encoded UTF-8"),
    );
    for (method, path) in OPERATIONS {
        let case = call("an unreadable query, on every operation", method, &format!("{path}?foo=%ff"));
        let case = if method == "POST" { case.body("{}") } else { case };
        cases.push(case.bad_fields(r#"{"foo":"is not valid percent-encoded UTF-8"}"#));
    }
    cases.push(get("empty pairs are nothing", "/user/search?&&last_name=admin-2&").by("admin_2").finds("admin_2"));
    cases.push(get("plus is a blank", "/user/search?last_name=+admin-2+").by("admin_2").finds("admin_2"));
    cases.push(get("an encoded name is the name", "/user/search?last%5Fname=admin-2").by("admin_2").finds("admin_2"));
    cases
}
