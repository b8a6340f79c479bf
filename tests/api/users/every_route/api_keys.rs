//! Places in which a request may have its key, and keys that give access.

use crate::api::users::fixture::{Case, call, create, delete, get, post};

const TWO_KEYS: &str = "the request has two different API keys";

pub(super) fn cases() -> Vec<Case> {
    [places(), bodies(), two_keys(), one_key_twice(), repeated_headers(), malformed()].concat()
}

fn me(reason: &'static str, path: &str) -> Case {
    get(reason, path).by("").answers(200, ME)
}

const ME: &str = r#"{"id":"<manager_1>","status":"active","first_name":"Test","last_name":"manager-1","org_id":1,"phone":null,"role":"BUSINESS_MANAGER","email":"<manager_1.email>"}"#;
const ME_PATH: &str = "/user/me?display_business_ids=0";

fn places() -> Vec<Case> {
    vec![
        me("in x-api-key", ME_PATH).header("x-api-key", "<manager_1.key>"),
        me("with blanks around", ME_PATH).header("x-api-key", "  <manager_1.key>\t"),
        me("in x-apikey", ME_PATH).header("x-apikey", "<manager_1.key>"),
        me("as a bearer token", ME_PATH).header("authorization", "Bearer <manager_1.key>"),
        me("the scheme ignores case", ME_PATH).header("authorization", "bEARER <manager_1.key>"),
        me("blanks after the scheme", ME_PATH).header("authorization", "Bearer   <manager_1.key>"),
        me("header names ignore case", ME_PATH).header("X-Api-Key", "<manager_1.key>"),
        me("in the query", &format!("{ME_PATH}&api_key=<manager_1.key>")),
        me("first in the query", "/user/me?api_key=<manager_1.key>&display_business_ids=0"),
        me("percent-encoded in the query", &format!("{ME_PATH}&api%5Fkey=%70k_<manager_1.rest>")),
    ]
}

/// Returns the cases of keys in the body of the two operations that read it. `authorization` has each other place on every route.
fn bodies() -> Vec<Case> {
    let body = r#"{"api_key":"<admin_1.key>"}"#;
    vec![
        create("create takes the key from the body", body).by("").creates("by_body"),
        create("a key of null is not given", r#"{"api_key":null}"#).creates("by_null"),
        create("a key of null alone", r#"{"api_key":null}"#).by("").unauthenticated(),
        create("a number is a malformed key", r#"{"api_key":1}"#).by("").unauthenticated(),
        create("an object is a malformed key", r#"{"api_key":{"a":1}}"#).by("").unauthenticated(),
        create("a blank key alone", r#"{"api_key":""}"#).by("").unauthenticated(),
        post("update takes the key from the body", "/user/<by_body>", body).by("").succeeds("by_body"),
        delete("the body of a delete is not looked at", "/user/<by_null>").by("").body(body).unauthenticated(),
        call("the body of an invite is not looked at", "POST", "/user/<invited_1>/invite")
            .by("")
            .body(body)
            .unauthenticated(),
    ]
}

fn two_keys() -> Vec<Case> {
    vec![
        get("two headers", ME_PATH).header("x-apikey", "<manager_1.key>").error(400, TWO_KEYS),
        get("header and bearer token", ME_PATH).header("authorization", "Bearer <manager_1.key>").error(400, TWO_KEYS),
        get("header and query", "/user/me?api_key=<manager_1.key>").error(400, TWO_KEYS),
        get("twice in the query", "/user/me?api_key=<manager_1.key>&api_key=<admin_1.key>").by("").error(400, TWO_KEYS),
        get("one of them is malformed", "/user/me?api_key=x").error(400, TWO_KEYS),
        create("header and body", r#"{"api_key":"<manager_1.key>"}"#).error(400, TWO_KEYS),
        create("query and body", r#"{"api_key":"<manager_1.key>"}"#)
            .path("/user?api_key=<admin_1.key>")
            .by("")
            .error(400, TWO_KEYS),
        create("a blank key in the body is not given", r#"{"api_key":" "}"#).creates("blank"),
        create("a number in the body is another key", r#"{"api_key":1}"#).error(400, TWO_KEYS),
        post("update: header and body", "/user/<manager_1>", r#"{"api_key":"<manager_1.key>"}"#).error(400, TWO_KEYS),
        get("neither needs to give access", "/user/me?api_key=y").by("").header("x-api-key", "x").error(400, TWO_KEYS),
    ]
}

fn one_key_twice() -> Vec<Case> {
    vec![
        me("everywhere the same", &format!("{ME_PATH}&api_key=<manager_1.key>"))
            .header("x-api-key", "<manager_1.key>")
            .header("x-apikey", "<manager_1.key>")
            .header("authorization", "Bearer <manager_1.key>"),
        get("not twice in the query", "/user/me?api_key=<manager_1.key>&api_key=<manager_1.key>")
            .by("")
            .bad_fields(r#"{"api_key":"is given more than once"}"#),
        create("header and body", r#"{"api_key":"<admin_1.key>"}"#).creates("twice"),
        post("update: header, query and body", "/user/<twice>?api_key=<admin_1.key>", r#"{"api_key":"<admin_1.key>"}"#)
            .succeeds("twice"),
        post("not twice in the body", "/user/<twice>", r#"{"api_key":"<admin_1.key>","api_key":"<admin_1.key>"}"#)
            .bad_fields(r#"{"api_key":"is given more than once"}"#),
        me("a blank header is not given", ME_PATH).header("x-api-key", "").header("x-apikey", "<manager_1.key>"),
        me("a blank parameter is not given", &format!("{ME_PATH}&api_key=%20")).header("x-api-key", "<manager_1.key>"),
        me("another scheme is not looked at", ME_PATH)
            .header("authorization", "Basic QWxhZGRpbg==")
            .header("x-api-key", "<manager_1.key>"),
    ]
}

fn me_with_two_headers(reason: &'static str, name: &'static str, first: &str, second: &str) -> Case {
    me(reason, ME_PATH).header(name, first).header(name, second)
}

/// Returns the cases of headers that are sent twice: the gateway joins their values with a comma.
fn repeated_headers() -> Vec<Case> {
    let mut cases = Vec::new();
    for name in ["x-api-key", "x-apikey"] {
        cases.extend([
            me_with_two_headers("a header sent twice with one key", name, "<manager_1.key>", "<manager_1.key>"),
            me_with_two_headers("a header sent twice, once blank", name, "", "<manager_1.key>"),
            me_with_two_headers("a header sent twice with two keys", name, "<manager_1.key>", "<admin_1.key>")
                .error(400, TWO_KEYS),
            me_with_two_headers("one of them is malformed", name, "<manager_1.key>", "x").error(400, TWO_KEYS),
            me("joined on the way, without a blank", ME_PATH).header(name, "<manager_1.key>,<manager_1.key>"),
            me("joined on the way, with blanks", ME_PATH).header(name, " <manager_1.key> ,  <manager_1.key> , "),
            me("two keys, joined on the way", ME_PATH)
                .header(name, "<admin_1.key>,<manager_1.key>")
                .error(400, TWO_KEYS),
        ]);
    }
    cases.extend([
        me_with_two_headers(
            "a bearer token sent twice",
            "authorization",
            "Bearer <manager_1.key>",
            "bearer  <manager_1.key>",
        ),
        me_with_two_headers("two bearer tokens", "authorization", "Bearer <manager_1.key>", "Bearer <admin_1.key>")
            .error(400, TWO_KEYS),
        me_with_two_headers(
            "another scheme beside it",
            "authorization",
            "Basic QWxhZGRpbg==",
            "Bearer <manager_1.key>",
        ),
        me_with_two_headers(
            "another scheme after it",
            "authorization",
            "Bearer <manager_1.key>",
            "Digest username=\"a\", realm=\"b\"",
        ),
        me("two tokens of one scheme", ME_PATH)
            .header("authorization", "Bearer <manager_1.key>, <admin_1.key>")
            .error(400, TWO_KEYS),
        me("one token of one scheme, twice", ME_PATH).header("authorization", "Bearer <manager_1.key>,<manager_1.key>"),
        me_with_two_headers("a header sent twice, and the query", "x-api-key", "<manager_1.key>", "<manager_1.key>")
            .path(&format!("{ME_PATH}&api_key=<admin_1.key>"))
            .error(400, TWO_KEYS),
        create("create: a header sent twice", "{}").header("x-api-key", "<admin_1.key>").creates("repeated"),
        create("create: a header sent twice, two keys", "{}").header("x-api-key", "<admin_2.key>").error(400, TWO_KEYS),
    ]);
    cases
}

fn malformed() -> Vec<Case> {
    let malformed =
        |value: &str| get("a malformed key", "/user/me").by("").header("x-api-key", value).unauthenticated();
    let mut cases = [
        "x",
        "pk_",
        "<manager_1>",
        "<manager_1.email>",
        "<manager_1.key>x",
        "PK_<manager_1.rest>",
        "é",
        "null",
        " , ,",
    ]
    .into_iter()
    .chain(["\"<manager_1.key>\""])
    .map(malformed)
    .collect::<Vec<_>>();
    cases.extend([
        get("a blank key", "/user/me?api_key=").by("").unauthenticated(),
        get("blanks around a key in the query", "/user/me?api_key=%20<manager_1.key>").by("").unauthenticated(),
        get("NUL after a key in the query", "/user/me?api_key=<manager_1.key>%00").by("").unauthenticated(),
        get("a scheme without a token", "/user/me").by("").header("authorization", "Bearer").unauthenticated(),
        get("a token without its scheme", "/user/me")
            .by("")
            .header("authorization", "<manager_1.key>")
            .unauthenticated(),
        get("a tab after the scheme", "/user/me")
            .by("")
            .header("authorization", "Bearer\t<manager_1.key>")
            .unauthenticated(),
        get("a key as the password of another scheme", "/user/me")
            .by("")
            .header("authorization", "Basic <manager_1.key>")
            .unauthenticated(),
        create("a list with the key is a malformed key", r#"{"api_key":["<admin_1.key>"]}"#).by("").unauthenticated(),
        get("another scheme", "/user/me").by("").header("authorization", "Token <manager_1.key>").unauthenticated(),
        get("a parameter of another name", "/user/me?apikey=<manager_1.key>").by("").unauthenticated(),
        get("a cookie is no key", "/user/me").by("").header("cookie", "api_key=<manager_1.key>").unauthenticated(),
    ]);
    cases
}
