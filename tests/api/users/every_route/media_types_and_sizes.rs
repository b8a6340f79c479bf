//! Media types and the size of bodies.

use crate::api::users::fixture::{Case, call, create, delete, get, post};

const TOO_LARGE: &str = "the body is larger than 128 KiB";
const WRONG_TYPE: &str = "the body must have the media type application/json";
/// 128 KiB.
const MOST_BYTES: usize = 131_072;

pub(super) fn cases() -> Vec<Case> {
    [media_types(), sizes()].concat()
}

fn media_types() -> Vec<Case> {
    let typed = |why, media_type| create(why, "{}").header("content-type", media_type);
    let mut cases = vec![
        typed("JSON", "application/json").makes("typed_1"),
        typed("with a parameter", "application/json; charset=utf-8").makes("typed_2"),
        typed("in any case, with blanks", "Application/JSON ;charset=UTF-8").makes("typed_3"),
        post("update: the same", "/user/<typed_1>", "{}")
            .header("content-type", "application/json;v=1")
            .done("typed_1"),
        call("an invite needs no media type", "POST", "/user/<invited_1>/invite").invites(),
        call("an invite takes any", "POST", "/user/<invited_2>/invite")
            .by("provider")
            .body("hello")
            .header("content-type", "text/plain")
            .invites(),
        delete("a delete takes any", "/user/<typed_1>")
            .body("<xml/>")
            .header("content-type", "text/xml")
            .done("typed_1"),
        call("no body at all is no JSON, of whatever type", "POST", "/user")
            .whole(400, "the body must be a JSON object: it is empty"),
        call("an empty body of another type is empty first", "POST", "/user")
            .header("content-type", "text/plain")
            .whole(400, "the body must be a JSON object: it is empty"),
        call("update: no body at all", "POST", "/user/<typed_2>")
            .whole(400, "the body must be a JSON object: it is empty"),
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
        cases.push(typed("another media type, or none", wrong).whole(415, WRONG_TYPE));
        let update = post("update: another media type, or none", "/user/<typed_2>", "{}");
        cases.push(update.header("content-type", wrong).whole(415, WRONG_TYPE));
    }
    cases
}

fn sizes() -> Vec<Case> {
    let padded = |length: usize| format!("{{{}}}", " ".repeat(length - 2));
    let full = |length: usize| {
        let user = r#"{"email":"sizes@canary-mail.example","first_name":"Ada","last_name":"Lovelace"}"#;
        format!("{user}{}", " ".repeat(length - user.len()))
    };
    let large = "x".repeat(MOST_BYTES + 1);
    vec![
        post("create at 128 KiB", "/user", full(MOST_BYTES)).makes("sized"),
        post("create past 128 KiB", "/user", full(MOST_BYTES + 1)).whole(413, TOO_LARGE),
        post("update at 128 KiB", "/user/<sized>", padded(MOST_BYTES)).done("sized"),
        post("update past 128 KiB", "/user/<sized>", padded(MOST_BYTES + 1)).whole(413, TOO_LARGE),
        post("past 128 KiB nothing is parsed", "/user", large.clone()).whole(413, TOO_LARGE),
        post("bytes count, not characters", "/user", format!("{{{}}}", "é".repeat(MOST_BYTES / 2)))
            .whole(413, TOO_LARGE),
        post("far past 128 KiB", "/user", "x".repeat(MOST_BYTES * 20)).whole(413, TOO_LARGE),
        delete("delete past 128 KiB", "/user/<sized>").body(large.clone()).whole(413, TOO_LARGE),
        call("invite past 128 KiB", "POST", "/user/<invited_1>/invite").body(large.clone()).whole(413, TOO_LARGE),
        get("get past 128 KiB", "/user/me").body(large).whole(413, TOO_LARGE),
        delete("delete at 128 KiB", "/user/<sized>").body("x".repeat(MOST_BYTES)).done("sized"),
    ]
}
