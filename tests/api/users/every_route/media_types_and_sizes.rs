//! Media types and sizes of bodies.

use crate::api::users::fixture::{Case, call, create, delete, get, post};

const TOO_LARGE: &str = "the body is larger than 128 KiB";
const WRONG_TYPE: &str = "the body must have the media type application/json";
/// Largest size of a body: 128 KiB.
const MAX_BODY_BYTES: usize = 131_072;

pub(super) fn cases() -> Vec<Case> {
    [media_types(), sizes()].concat()
}

fn create_typed(reason: &'static str, media_type: &str) -> Case {
    create(reason, "{}").header("content-type", media_type)
}

fn media_types() -> Vec<Case> {
    let mut cases = vec![
        create_typed("JSON", "application/json").creates("typed_1"),
        create_typed("with a parameter", "application/json; charset=utf-8").creates("typed_2"),
        create_typed("in any case, with blanks", "Application/JSON ;charset=UTF-8").creates("typed_3"),
        post("update: the same", "/user/<typed_1>", "{}")
            .header("content-type", "application/json;v=1")
            .succeeds("typed_1"),
        call("an invite needs no media type", "POST", "/user/<invited_1>/invite").invites(),
        call("an invite takes any", "POST", "/user/<invited_2>/invite")
            .by("provider")
            .body("hello")
            .header("content-type", "text/plain")
            .invites(),
        delete("a delete takes any", "/user/<typed_1>")
            .body("<xml/>")
            .header("content-type", "text/xml")
            .succeeds("typed_1"),
        call("no body at all is no JSON, of whatever type", "POST", "/user")
            .error(400, "the body must be a JSON object: it is empty"),
        call("an empty body of another type is empty first", "POST", "/user")
            .header("content-type", "text/plain")
            .error(400, "the body must be a JSON object: it is empty"),
        call("update: no body at all", "POST", "/user/<typed_2>")
            .error(400, "the body must be a JSON object: it is empty"),
    ];
    for wrong in [
        "",
        "text/plain",
        "text/json",
        "application/xml",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "application/problem+json",
        "multipart/form-data; boundary=x",
        "json",
        "*/*",
        "application/json, text/plain",
    ] {
        cases.push(create_typed("another media type, or none", wrong).error(415, WRONG_TYPE));
        let update = post("update: another media type, or none", "/user/<typed_2>", "{}");
        cases.push(update.header("content-type", wrong).error(415, WRONG_TYPE));
    }
    cases
}

/// Returns an empty JSON object of so many bytes.
fn object_of_size(bytes: usize) -> String {
    format!("{{{}}}", " ".repeat(bytes - 2))
}

/// Returns the JSON of a user, padded to so many bytes.
fn user_of_size(bytes: usize) -> String {
    let user = r#"{"email":"sizes@canary-mail.example","first_name":"Ada","last_name":"Lovelace"}"#;
    format!("{user}{}", " ".repeat(bytes - user.len()))
}

fn sizes() -> Vec<Case> {
    let large = "x".repeat(MAX_BODY_BYTES + 1);
    vec![
        post("create at 128 KiB", "/user", user_of_size(MAX_BODY_BYTES)).creates("sized"),
        post("create past 128 KiB", "/user", user_of_size(MAX_BODY_BYTES + 1)).error(413, TOO_LARGE),
        post("update at 128 KiB", "/user/<sized>", object_of_size(MAX_BODY_BYTES)).succeeds("sized"),
        post("update past 128 KiB", "/user/<sized>", object_of_size(MAX_BODY_BYTES + 1)).error(413, TOO_LARGE),
        post("past 128 KiB nothing is parsed", "/user", large.clone()).error(413, TOO_LARGE),
        post("bytes count, not characters", "/user", format!("{{{}}}", "é".repeat(MAX_BODY_BYTES / 2)))
            .error(413, TOO_LARGE),
        post("far past 128 KiB", "/user", "x".repeat(MAX_BODY_BYTES * 20)).error(413, TOO_LARGE),
        delete("delete past 128 KiB", "/user/<sized>").body(large.clone()).error(413, TOO_LARGE),
        call("invite past 128 KiB", "POST", "/user/<invited_1>/invite").body(large.clone()).error(413, TOO_LARGE),
        get("get past 128 KiB", "/user/me").body(large).error(413, TOO_LARGE),
        delete("delete at 128 KiB", "/user/<sized>").body("x".repeat(MAX_BODY_BYTES)).succeeds("sized"),
    ]
}
