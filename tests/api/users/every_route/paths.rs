//! Unknown paths. `robustness` has the methods that a path does not have, and `authorization` the ids of nobody.

use crate::api::users::fixture::{Case, call};

pub(super) fn cases() -> Vec<Case> {
    let unknown = [
        ("GET", "/user/1/invite/2"),
        ("GET", "/user/me/search"),
        ("GET", "/user/<manager_1>/"),
        ("GET", "/user/<manager_1>/invites"),
        ("POST", "/user/<manager_1>/Invite"),
        ("GET", "/user/<manager_1>/keys/a/b"),
        ("PUT", "/user/a/b/c"),
        ("GET", "/user/<manager_1>%2Finvite"),
    ];
    let mut cases = unknown
        .map(|(method, path)| call("an unknown path is not found, with any method", method, path).not_found())
        .to_vec();
    cases.push(
        call("the id is not looked at before the method", "PUT", "/user/x").not_allowed("GET, HEAD, POST, DELETE"),
    );
    cases
}
