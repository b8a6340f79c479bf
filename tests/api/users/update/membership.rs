//! Moves between organisations, and businesses that must fit. `authorization` has the callers that may change roles, status and businesses.

use crate::api::users::fixture::{Case, create, get, post};

pub(super) fn cases() -> Vec<Case> {
    [moves(), gone_businesses(), providers()].concat()
}

fn update(reason: &'static str, by: &'static str, who: &'static str, body: &str) -> Case {
    post(reason, &format!("/user/<{who}>"), body).by(by).succeeds(who)
}

fn unknown_businesses(ids: &str) -> String {
    format!(r#"{{"business_ids":"unknown businesses: {ids}"}}"#)
}

fn moves() -> Vec<Case> {
    vec![
        create("somebody with businesses", r#"{"business_ids":["b1-1","b1-2"]}"#).creates("ned"),
        update("a move needs fitting businesses", "provider", "ned", r#"{"org_id":2}"#).bad_fields(&unknown_businesses("b1-1, b1-2")),
        update("those given must fit", "provider", "ned", r#"{"org_id":2,"business_ids":["b2-1","b1-1"]}"#).bad_fields(&unknown_businesses("b1-1")),
        update("a move that stays", "provider", "ned", r#"{"org_id":1}"#).stores("ned", "version=1"),
        update("a move with fitting businesses", "provider", "ned", r#"{"org_id":2,"business_ids":["b2-2"]}"#).stores("ned", "org=2 businesses=b2-2"),
        get("gone for the old organisation", "/user/<ned>").not_found(),
        get("there for the new one", "/user/<ned>").by("admin_2").answers(
            200,
            r#"{"id":"<ned>","status":"active","first_name":"Ada","last_name":"Lovelace","business_ids":["b2-2"],"org_id":2,"phone":null,"role":"BUSINESS_MANAGER","email":"<ned.email>"}"#,
        ),
        get("found in the new one only", "/user/search?last_name=lovelace").finds(""),
        get("found in the new one", "/user/search?last_name=lovelace").by("admin_2").finds("ned"),
        update("a move with no businesses", "provider", "ned", r#"{"org_id":1,"business_ids":[]}"#).stores("ned", "org=1 businesses=none"),
        update("a move of who has none", "provider", "ned", r#"{"org_id":2}"#).stores("ned", "org=2 businesses=none"),
        update("businesses of the old organisation", "provider", "ned", r#"{"business_ids":["b1-1"]}"#).bad_fields(&unknown_businesses("b1-1")),
        update("to an organisation that does not exist", "provider", "ned", r#"{"org_id":999}"#).bad_fields(r#"{"org_id":"is unknown"}"#),
        update("with businesses that do not fit either", "provider", "ned", r#"{"org_id":999,"business_ids":["b1-1"]}"#)
            .bad_fields(r#"{"business_ids":"unknown businesses: b1-1","org_id":"is unknown"}"#),
        update("to an organisation that nobody is in", "provider", "ned", r#"{"org_id":77}"#).stores("ned", "org=77"),
        update("null moves nobody", "provider", "ned", r#"{"org_id":null}"#).stores("ned", "org=77"),
    ]
}

/// Returns the cases of a user with a business that no longer exists: the stored list may be sent back unchanged.
fn gone_businesses() -> Vec<Case> {
    const SAME: &str = r#"{"business_ids":["gone-1","b1-1"]}"#;
    vec![
        update("the list as it is stored", "admin_1", "keeper", SAME)
            .stores("keeper", "version=2 businesses=gone-1,b1-1"),
        update("with its repeats", "admin_1", "keeper", r#"{"business_ids":["gone-1","gone-1","b1-1"]}"#)
            .stores("keeper", "version=2"),
        update("by its owner, who may not change it", "keeper", "keeper", SAME).stores("keeper", "version=2"),
        update("beside a change", "keeper", "keeper", r#"{"business_ids":["gone-1","b1-1"],"phone":"1"}"#)
            .stores("keeper", "version=3 phone=1 businesses=gone-1,b1-1"),
        update("another order is a change", "admin_1", "keeper", r#"{"business_ids":["b1-1","gone-1"]}"#)
            .bad_fields(&unknown_businesses("gone-1")),
        update("so is one more", "admin_1", "keeper", r#"{"business_ids":["gone-1","b1-1","b1-2"]}"#)
            .bad_fields(&unknown_businesses("gone-1")),
        update(
            "a move needs fitting businesses all the same",
            "provider",
            "keeper",
            r#"{"org_id":2,"business_ids":["gone-1","b1-1"]}"#,
        )
        .bad_fields(&unknown_businesses("gone-1, b1-1")),
        update("so does a move without the list", "provider", "keeper", r#"{"org_id":2}"#)
            .bad_fields(&unknown_businesses("gone-1, b1-1")),
        update("and it goes with a change", "admin_1", "keeper", r#"{"business_ids":["b1-1"]}"#)
            .stores("keeper", "businesses=b1-1"),
    ]
}

fn providers() -> Vec<Case> {
    vec![
        update("a PROVIDER makes another", "provider", "ned", r#"{"role":"PROVIDER"}"#)
            .stores("ned", "role=PROVIDER org=77"),
        update("and changes it back", "provider", "ned", r#"{"role":"BUSINESS_MANAGER"}"#)
            .stores("ned", "role=BUSINESS_MANAGER"),
        update("anyone's address", "provider", "manager_2", r#"{"email":"moved@canary-mail.example"}"#),
        create("a PROVIDER without an organisation", r#"{"role":"PROVIDER"}"#).by("provider").creates("pia"),
        update("who has no organisation cannot become another role", "provider", "pia", r#"{"role":"ORG_ADMIN"}"#)
            .bad_fields(r#"{"org_id":"is required"}"#),
        update("unless one is given", "provider", "pia", r#"{"role":"ORG_ADMIN","org_id":2}"#)
            .stores("pia", "role=ORG_ADMIN org=2"),
    ]
}
