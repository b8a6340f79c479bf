//! Order of the checks: each request fails two of them, and the answer is that of the earlier one.

use crate::api::users::fixture::{Case, call, create, delete, get, post};

const TOO_LARGE: &str = "the body is larger than 128 KiB";
const WRONG_TYPE: &str = "the body must have the media type application/json";
const NOT_JSON: &str = "the body is not valid JSON: line 1, column 1";
const NO_CREATE: &str = "a BUSINESS_MANAGER may not create users";
const NO_UPDATE: &str = "a BUSINESS_MANAGER may not update users other than itself";

pub(super) fn cases() -> Vec<Case> {
    [path_first(), readable_before_key(), key_before_user(), user_before_policy(), policy_before_fields(), state_last()]
        .concat()
}

fn too_large_body() -> Vec<u8> {
    vec![b'x'; 131_073]
}

fn path_first() -> Vec<Case> {
    vec![
        get("404 of a path before 401", "/user/a/b/c").by("").not_found(),
        call("405 before 401", "PUT", "/user/<manager_1>").by("").not_allowed("GET, HEAD, POST, DELETE"),
        call("405 before 413", "PUT", "/user").body(too_large_body()).not_allowed("POST"),
        call("405 before 415", "PUT", "/user").body("x").header("content-type", "text/plain").not_allowed("POST"),
        call("405 before a malformed query", "PUT", "/user?a=%zz").not_allowed("POST"),
        call("404 of a path before 413", "POST", "/user/a/b/c").body(too_large_body()).not_found(),
    ]
}

fn readable_before_key() -> Vec<Case> {
    vec![
        post("413 before 415", "/user", too_large_body()).header("content-type", "text/plain").error(413, TOO_LARGE),
        post("413 before 401", "/user", too_large_body()).by("").error(413, TOO_LARGE),
        get("413 before 401 where the body is not looked at", "/user/me")
            .by("")
            .body(too_large_body())
            .error(413, TOO_LARGE),
        post("415 before malformed JSON", "/user", "x").header("content-type", "text/plain").error(415, WRONG_TYPE),
        post("415 before 401", "/user", "{}").by("").header("content-type", "text/plain").error(415, WRONG_TYPE),
        post("malformed JSON before 401", "/user", "x").by("").error(400, NOT_JSON),
        post("no object before 401", "/user", "[]").by("").error(400, "the body must be a JSON object"),
        post("a field twice before 401", "/user", r#"{"a":1,"a":1}"#)
            .by("")
            .bad_fields(r#"{"a":"is given more than once"}"#),
        get("a malformed query before 401", "/user/me?a=%zz")
            .by("")
            .bad_fields(r#"{"a":"is not valid percent-encoded UTF-8"}"#),
        post("malformed JSON before 404", "/user/1", "x").error(400, NOT_JSON),
        post("malformed JSON before 403", "/user", "x").by("manager_1").error(400, NOT_JSON),
        get("two keys before 404", "/user/1?api_key=x").error(400, "the request has two different API keys"),
    ]
}

fn key_before_user() -> Vec<Case> {
    vec![
        get("401 before 404 of an unknown id", "/user/1").by("").unauthenticated(),
        get("401 before 404 of a malformed id", "/user/x").by("").unauthenticated(),
        post("401 before 404 of an update", "/user/1", "{}").by("").unauthenticated(),
        delete("401 before 404 of a delete", "/user/1").by("").unauthenticated(),
        call("401 before 404 of an invite", "POST", "/user/1/invite").by("").unauthenticated(),
        post("401 before bad fields", "/user", r#"{"emial":1}"#).by("").unauthenticated(),
        get("401 before bad parameters", "/user/search?page=x&foo=1").by("").unauthenticated(),
        get("401 before a parameter given twice", "/user/search?page=1&page=1").by("").unauthenticated(),
    ]
}

fn user_before_policy() -> Vec<Case> {
    vec![
        post("404 before 403 of an update", "/user/<manager_2>", r#"{"role":"PROVIDER"}"#).by("manager_1").not_found(),
        delete("404 before 403 of a delete", "/user/<manager_2>").by("manager_1").not_found(),
        call("404 before 403 of an invite", "POST", "/user/<invited_2>/invite").by("manager_1").not_found(),
        delete("404 before 403 of a malformed id", "/user/x").by("manager_1").not_found(),
        get("404 before bad parameters", "/user/<manager_2>?foo=1").not_found(),
        post("404 before bad fields", "/user/<manager_2>", r#"{"foo":1,"email":null}"#).not_found(),
        delete("404 before bad parameters of a delete", "/user/1?foo=1").not_found(),
        call("404 before bad parameters of an invite", "POST", "/user/1/invite?foo=1").not_found(),
        call("404 before the state of a user", "POST", "/user/<manager_2>/invite").not_found(),
    ]
}

fn policy_before_fields() -> Vec<Case> {
    const NO_DELETE: &str = "a BUSINESS_MANAGER may not delete users";
    const NO_INVITE: &str = "a BUSINESS_MANAGER may not invite users";
    const OWN_ORG: &str = "an ORG_ADMIN may not read users of another organisation";
    vec![
        post("403 before required fields", "/user", "{}").by("manager_1").forbidden(NO_CREATE),
        create("403 before bad fields", r#"{"org_id":2,"email":"x","foo":1}"#)
            .forbidden("an ORG_ADMIN may not create users of another organisation"),
        create("403 of a role before bad fields", r#"{"role":"PROVIDER","email":"x"}"#)
            .forbidden("an ORG_ADMIN may not give the role PROVIDER"),
        post("403 before bad fields of an update", "/user/<admin_1>", r#"{"foo":1}"#)
            .by("manager_1")
            .forbidden(NO_UPDATE),
        post("403 before bad fields of one's own", "/user/<manager_1>", r#"{"role":"ORG_ADMIN","foo":1}"#)
            .by("manager_1")
            .forbidden("a BUSINESS_MANAGER may not change the role, status or businesses of users"),
        post("403 of a move before bad fields", "/user/<manager_1>", r#"{"org_id":2,"foo":1}"#)
            .forbidden("an ORG_ADMIN may not move users to another organisation"),
        delete("403 before bad parameters of a delete", "/user/<admin_1>?foo=1").by("manager_1").forbidden(NO_DELETE),
        call("403 before bad parameters of an invite", "POST", "/user/<invited_1>/invite?foo=1")
            .by("manager_1")
            .forbidden(NO_INVITE),
        call("403 before the state of a user", "POST", "/user/<admin_1>/invite").by("manager_1").forbidden(NO_INVITE),
        get("403 before bad parameters of a search", "/user/search?org_id=2&status=x&foo=1").forbidden(OWN_ORG),
    ]
}

fn state_last() -> Vec<Case> {
    const UNKNOWN: &str = r#"{"foo":"is not a parameter of this operation"}"#;
    const PHONE: &str = r#"{"phone":"must have at most 32 characters: digits, spaces and + - . ( ) /"}"#;
    vec![
        call("bad parameters before the state of a user", "POST", "/user/<manager_1>/invite?foo=1").bad_fields(UNKNOWN),
        call("the state of a user", "POST", "/user/<manager_1>/invite")
            .bad_fields(r#"{"status":"the user is active: there is nothing to invite to"}"#),
        create("bad fields before a duplicate address", r#"{"email":"<manager_1.email>","phone":"x"}"#)
            .bad_fields(PHONE),
        post(
            "update: bad fields before a duplicate address",
            "/user/<manager_1>",
            r#"{"email":"<admin_1.email>","phone":"x"}"#,
        )
        .bad_fields(PHONE),
        call("an invite", "POST", "/user/<invited_1>/invite").invites(),
        call("bad parameters before 429", "POST", "/user/<invited_1>/invite?foo=1").bad_fields(UNKNOWN),
        call("429", "POST", "/user/<invited_1>/invite").too_soon(300),
        post("update: bad fields before the last ORG_ADMIN", "/user/<admin_2>", r#"{"phone":"x"}"#)
            .by("admin_2")
            .bad_fields(PHONE),
    ]
}
