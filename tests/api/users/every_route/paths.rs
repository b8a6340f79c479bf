//! Unknown paths, ids and methods.

use crate::api::users::fixture::{Case, call, get, post};

pub(super) fn cases() -> Vec<Case> {
    [unknown_paths(), ids(), methods()].concat()
}

fn unknown_paths() -> Vec<Case> {
    [
        ("GET", "/user/1/invite/2"),
        ("GET", "/user/me/search"),
        ("GET", "/user/<manager_1>/"),
        ("GET", "/user/<manager_1>/invites"),
        ("POST", "/user/<manager_1>/Invite"),
        ("DELETE", "/user/<manager_1>/keys"),
        ("PUT", "/user/a/b/c"),
        ("GET", "/user/<manager_1>%2Finvite"),
    ]
    .map(|(method, path)| call("an unknown path is not found, with any method", method, path).not_found())
    .to_vec()
}

/// Returns the cases of unknown, malformed and foreign ids: the answer is the same on every operation.
fn ids() -> Vec<Case> {
    let mut cases = Vec::new();
    for (reason, id) in [
        ("an unknown id", "1"),
        ("a malformed id", "x"),
        ("the id of a foreign user", "<manager_2>"),
        ("an id with a leading zero", "0<manager_1>"),
        ("an id that is too large", "9007199254740992"),
    ] {
        cases.push(get(reason, &format!("/user/{id}")).not_found());
        cases.push(post(reason, &format!("/user/{id}"), r#"{"first_name":"Eve"}"#).not_found());
        cases.push(call(reason, "DELETE", &format!("/user/{id}")).not_found());
        cases.push(call(reason, "POST", &format!("/user/{id}/invite")).not_found());
    }
    cases
}

fn methods() -> Vec<Case> {
    const ONE: &str = "another method than the one that the path has";
    const THREE: &str = "another method than the three that a user's path has";
    const WORD: &str = "a path that is spelled out is no user, so the methods of users are not its own";
    let mut cases = Vec::new();
    for (reason, methods, path, allow) in [
        (ONE, ["GET", "PUT", "PATCH", "DELETE"], "/user", "POST"),
        (ONE, ["GET", "PUT", "PATCH", "DELETE"], "/user/<manager_1>/invite", "POST"),
        (THREE, ["PUT", "PATCH", "OPTIONS", "TRACE"], "/user/<manager_1>", "GET, HEAD, POST, DELETE"),
        (WORD, ["POST", "PUT", "DELETE", "OPTIONS"], "/user/me", "GET, HEAD"),
        (WORD, ["POST", "PUT", "DELETE", "PATCH"], "/user/search", "GET, HEAD"),
        (WORD, ["POST", "PUT", "DELETE", "PATCH"], "/user/stats", "GET, HEAD"),
    ] {
        cases.extend(methods.map(|method| call(reason, method, path).not_allowed(allow)));
    }
    cases.push(
        call("the id is not looked at before the method", "PUT", "/user/x").not_allowed("GET, HEAD, POST, DELETE"),
    );
    cases.push(call("me cannot be invited: it is no id", "POST", "/user/me/invite").not_found());
    cases
}
