//! Changes of role, organisation and businesses: the callers that may make them, and the values that must fit.

use crate::api::users::fixture::{Case, create, get, post};

const NO_UPDATE: &str = "a BUSINESS_MANAGER may not update users other than itself";
const NO_PROVIDER: &str = "an ORG_ADMIN may not update users with the role PROVIDER";
const NO_MOVE: &str = "an ORG_ADMIN may not move users to another organisation";

pub(super) fn cases() -> Vec<Case> {
    [own_user(), managers(), admins(), moves(), gone_businesses(), providers()].concat()
}

fn update(reason: &'static str, by: &'static str, who: &'static str, body: &str) -> Case {
    post(reason, &format!("/user/<{who}>"), body).by(by).succeeds(who)
}

/// Returns the cases in which callers update themselves: all may change personal fields, none role, status or businesses.
fn own_user() -> Vec<Case> {
    let mut cases = Vec::new();
    for (who, role, other, no_membership, no_move) in [
        (
            "manager_1",
            "BUSINESS_MANAGER",
            "ORG_ADMIN",
            "a BUSINESS_MANAGER may not change the role, status or businesses of users",
            "a BUSINESS_MANAGER may not move users to another organisation",
        ),
        (
            "admin_1",
            "ORG_ADMIN",
            "BUSINESS_MANAGER",
            "an ORG_ADMIN may not change the role, status or businesses of its own user",
            NO_MOVE,
        ),
        (
            "provider_in_1",
            "PROVIDER",
            "ORG_ADMIN",
            "a PROVIDER may not change the role, status or businesses of its own user",
            "a PROVIDER may not move its own user to another organisation",
        ),
    ] {
        cases.extend([
            update("one's own names, phone and language", who, who, r#"{"first_name":"Me","phone":"1","lang":"it"}"#)
                .stores(who, "first_name=Me phone=1 lang=it"),
            update("one's own address", who, who, &format!(r#"{{"email":"{who}@canary-mail.test"}}"#)),
            update("one's own password", who, who, r#"{"password":"canary-pass-1"}"#)
                .stores(who, "opens:canary-pass-1=true"),
            update(
                "the present values of one's own guarded fields",
                who,
                who,
                &format!(r#"{{"role":"{role}","status":"active","org_id":1,"business_ids":[]}}"#),
            ),
            update("not one's own role", who, who, &format!(r#"{{"role":"{other}"}}"#)).forbidden(no_membership),
            update("not one's own status", who, who, r#"{"status":"invited"}"#).forbidden(no_membership),
            update("not one's own businesses", who, who, r#"{"business_ids":["b1-1"]}"#).forbidden(no_membership),
            update("not one's own organisation", who, who, r#"{"org_id":2}"#).forbidden(no_move),
            update(
                "a forbidden change forbids the allowed ones beside it",
                who,
                who,
                r#"{"status":"invited","phone":"9"}"#,
            )
            .forbidden(no_membership)
            .stores(who, "phone=1"),
        ]);
    }
    cases
}

fn manager_may_not_update(reason: &'static str, who: &'static str, body: &str) -> Case {
    update(reason, "manager_1", who, body).forbidden(NO_UPDATE)
}

fn managers() -> Vec<Case> {
    vec![
        manager_may_not_update("a BUSINESS_MANAGER updates nobody else", "other_manager_1", r#"{"phone":"1"}"#),
        manager_may_not_update("not even without a change", "other_manager_1", "{}"),
        manager_may_not_update("no ORG_ADMIN", "admin_1", r#"{"phone":"1"}"#),
        manager_may_not_update("no invited user", "invited_1", r#"{"email":"x@canary-mail.example"}"#),
        update("a BUSINESS_MANAGER gives itself no higher role", "manager_1", "manager_1", r#"{"role":"PROVIDER"}"#)
            .forbidden("a BUSINESS_MANAGER may not change the role, status or businesses of users"),
    ]
}

fn admins() -> Vec<Case> {
    vec![
        update("a higher role", "admin_1", "other_manager_1", r#"{"role":"ORG_ADMIN"}"#)
            .stores("other_manager_1", "role=ORG_ADMIN"),
        update("a lower role", "admin_1", "other_manager_1", r#"{"role":"BUSINESS_MANAGER"}"#)
            .stores("other_manager_1", "role=BUSINESS_MANAGER"),
        update("no role above one's own", "admin_1", "other_manager_1", r#"{"role":"PROVIDER"}"#)
            .forbidden("an ORG_ADMIN may not give the role PROVIDER"),
        update("businesses of others", "admin_1", "other_manager_1", r#"{"business_ids":["b1-1"]}"#)
            .stores("other_manager_1", "businesses=b1-1"),
        update("another ORG_ADMIN", "admin_1", "other_admin_1", r#"{"role":"BUSINESS_MANAGER"}"#)
            .stores("other_admin_1", "role=BUSINESS_MANAGER"),
        update("a demotion holds from the next request on", "admin_1", "manager_1", "{}")
            .by("other_admin_1")
            .forbidden(NO_UPDATE),
        update("no PROVIDER, though visible", "admin_1", "provider_in_1", r#"{"phone":"1"}"#).forbidden(NO_PROVIDER),
        update("no PROVIDER without a change either", "admin_1", "provider_in_1", "{}").forbidden(NO_PROVIDER),
        update("nobody to another organisation", "admin_1", "other_manager_1", r#"{"org_id":2}"#).forbidden(NO_MOVE),
        update(
            "nobody with businesses that fit either",
            "admin_1",
            "other_manager_1",
            r#"{"org_id":2,"business_ids":["b2-1"]}"#,
        )
        .forbidden(NO_MOVE),
        update("nobody of another organisation", "admin_1", "manager_2", r#"{"phone":"1"}"#).not_found(),
    ]
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
        update(
            "the last ORG_ADMIN of an organisation, which a PROVIDER may",
            "provider",
            "admin_2",
            r#"{"role":"BUSINESS_MANAGER"}"#,
        )
        .stores("admin_2", "role=BUSINESS_MANAGER"),
        update("anyone's address", "provider", "manager_2", r#"{"email":"moved@canary-mail.example"}"#),
        create("a PROVIDER without an organisation", r#"{"role":"PROVIDER"}"#).by("provider").creates("pia"),
        update("who has no organisation cannot become another role", "provider", "pia", r#"{"role":"ORG_ADMIN"}"#)
            .bad_fields(r#"{"org_id":"is required"}"#),
        update("unless one is given", "provider", "pia", r#"{"role":"ORG_ADMIN","org_id":2}"#)
            .stores("pia", "role=ORG_ADMIN org=2"),
        update("not one's own role", "provider", "provider", r#"{"role":"ORG_ADMIN","org_id":1}"#)
            .forbidden("a PROVIDER may not change the role, status or businesses of its own user"),
        update("not one's own organisation", "provider", "provider", r#"{"org_id":1}"#)
            .forbidden("a PROVIDER may not move its own user to another organisation"),
        update("one's own phone", "provider", "provider", r#"{"phone":"1"}"#).stores("provider", "phone=1 org=none"),
    ]
}
