//! Roles, organisations and businesses: who may change them, and what must fit.

use crate::api::users::fixture::{Case, create, get, post};

const NO_UPDATE: &str = "this key may not update this user";
const NO_STANDING: &str = "this key may not change the role, status or businesses of this user";
const NO_MOVE: &str = "this key may not move this user to another organisation";
const NO_GIVING: &str = "this key may not give this role";

pub(super) fn cases() -> Vec<Case> {
    [oneself(), managers(), admins(), moves(), gone_businesses(), providers()].concat()
}

fn update(why: &'static str, by: &'static str, who: &'static str, body: &str) -> Case {
    post(why, &format!("/user/<{who}>"), body).by(by).done(who)
}

/// Everyone may change what is personal, and nobody their own standing.
fn oneself() -> Vec<Case> {
    let mut cases = Vec::new();
    for (who, role, other, org) in [
        ("manager_1", "BUSINESS_MANAGER", "ORG_ADMIN", "1"),
        ("admin_1", "ORG_ADMIN", "BUSINESS_MANAGER", "1"),
        ("provider_in_1", "PROVIDER", "ORG_ADMIN", "1"),
    ] {
        let own = |why, body: &str| update(why, who, who, body);
        cases.extend([
            own("one's own names, phone and language", r#"{"first_name":"Me","phone":"1","lang":"it"}"#)
                .facts(who, "first_name=Me phone=1 lang=it"),
            own("one's own address", &format!(r#"{{"email":"{who}@canary-mail.test"}}"#)),
            own("one's own password", r#"{"password":"canary-pass-1"}"#).facts(who, "opens:canary-pass-1=true"),
            own(
                "one's own standing as it is",
                &format!(r#"{{"role":"{role}","status":"active","org_id":{org},"business_ids":[]}}"#),
            ),
            own("not one's own role", &format!(r#"{{"role":"{other}"}}"#)).forbidden(NO_STANDING),
            own("not one's own status", r#"{"status":"invited"}"#).forbidden(NO_STANDING),
            own("not one's own businesses", r#"{"business_ids":["b1-1"]}"#).forbidden(NO_STANDING),
            own("not one's own organisation", r#"{"org_id":2}"#).forbidden(NO_MOVE),
            own("nothing of what is allowed beside it", r#"{"status":"invited","phone":"9"}"#)
                .forbidden(NO_STANDING)
                .facts(who, "phone=1"),
        ]);
    }
    cases
}

fn managers() -> Vec<Case> {
    let not = |why, who, body| update(why, "manager_1", who, body).forbidden(NO_UPDATE);
    vec![
        not("a BUSINESS_MANAGER updates nobody else", "other_manager_1", r#"{"phone":"1"}"#),
        not("not even without a change", "other_manager_1", "{}"),
        not("no ORG_ADMIN", "admin_1", r#"{"phone":"1"}"#),
        not("no invited user", "invited_1", r#"{"email":"x@canary-mail.example"}"#),
        update("a BUSINESS_MANAGER gives itself no higher role", "manager_1", "manager_1", r#"{"role":"PROVIDER"}"#)
            .forbidden(NO_STANDING),
    ]
}

fn admins() -> Vec<Case> {
    let of = |why, who, body| update(why, "admin_1", who, body);
    vec![
        of("a higher role", "other_manager_1", r#"{"role":"ORG_ADMIN"}"#).facts("other_manager_1", "role=ORG_ADMIN"),
        of("a lower role", "other_manager_1", r#"{"role":"BUSINESS_MANAGER"}"#)
            .facts("other_manager_1", "role=BUSINESS_MANAGER"),
        of("no role above one's own", "other_manager_1", r#"{"role":"PROVIDER"}"#).forbidden(NO_GIVING),
        of("businesses of others", "other_manager_1", r#"{"business_ids":["b1-1"]}"#)
            .facts("other_manager_1", "businesses=b1-1"),
        of("another ORG_ADMIN", "other_admin_1", r#"{"role":"BUSINESS_MANAGER"}"#)
            .facts("other_admin_1", "role=BUSINESS_MANAGER"),
        of("a demotion holds from the next request on", "manager_1", "{}").by("other_admin_1").forbidden(NO_UPDATE),
        of("no PROVIDER, though visible", "provider_in_1", r#"{"phone":"1"}"#).forbidden(NO_UPDATE),
        of("no PROVIDER without a change either", "provider_in_1", "{}").forbidden(NO_UPDATE),
        of("nobody to another organisation", "other_manager_1", r#"{"org_id":2}"#).forbidden(NO_MOVE),
        of("nobody with businesses that fit either", "other_manager_1", r#"{"org_id":2,"business_ids":["b2-1"]}"#)
            .forbidden(NO_MOVE),
        of("nobody of another organisation", "manager_2", r#"{"phone":"1"}"#).not_found(),
    ]
}

fn moves() -> Vec<Case> {
    let of = |why, body| update(why, "provider", "ned", body);
    let unknown = |ids: &str| format!(r#"{{"business_ids":"unknown businesses: {ids}"}}"#);
    vec![
        create("somebody with businesses", r#"{"business_ids":["b1-1","b1-2"]}"#).makes("ned"),
        of("a move needs fitting businesses", r#"{"org_id":2}"#).bad(&unknown("b1-1, b1-2")),
        of("those given must fit", r#"{"org_id":2,"business_ids":["b2-1","b1-1"]}"#).bad(&unknown("b1-1")),
        of("a move that stays", r#"{"org_id":1}"#).facts("ned", "version=1"),
        of("a move with fitting businesses", r#"{"org_id":2,"business_ids":["b2-2"]}"#).facts("ned", "org=2 businesses=b2-2"),
        get("gone for the old organisation", "/user/<ned>").not_found(),
        get("there for the new one", "/user/<ned>").by("admin_2").gives(
            200,
            r#"{"id":"<ned>","status":"active","first_name":"Ada","last_name":"Lovelace","business_ids":["b2-2"],"org_id":2,"phone":null,"role":"BUSINESS_MANAGER","email":"<ned.email>"}"#,
        ),
        get("found in the new one only", "/user/search?last_name=lovelace").finds(""),
        get("found in the new one", "/user/search?last_name=lovelace").by("admin_2").finds("ned"),
        of("a move with no businesses", r#"{"org_id":1,"business_ids":[]}"#).facts("ned", "org=1 businesses=none"),
        of("a move of who has none", r#"{"org_id":2}"#).facts("ned", "org=2 businesses=none"),
        of("businesses of the old organisation", r#"{"business_ids":["b1-1"]}"#).bad(&unknown("b1-1")),
        of("to an organisation that does not exist", r#"{"org_id":999}"#).bad(r#"{"org_id":"is unknown"}"#),
        of("with businesses that do not fit either", r#"{"org_id":999,"business_ids":["b1-1"]}"#)
            .bad(r#"{"business_ids":"unknown businesses: b1-1","org_id":"is unknown"}"#),
        of("to an organisation that nobody is in", r#"{"org_id":77}"#).facts("ned", "org=77"),
        of("null moves nobody", r#"{"org_id":null}"#).facts("ned", "org=77"),
    ]
}

/// A list that is sent back as it is stored is no change, and no 400, although one of its businesses is gone.
fn gone_businesses() -> Vec<Case> {
    const SAME: &str = r#"{"business_ids":["gone-1","b1-1"]}"#;
    let of = |why, by, body| update(why, by, "keeper", body);
    let unknown = |ids: &str| format!(r#"{{"business_ids":"unknown businesses: {ids}"}}"#);
    vec![
        of("the list as it is stored", "admin_1", SAME).facts("keeper", "version=2 businesses=gone-1,b1-1"),
        of("with its repeats", "admin_1", r#"{"business_ids":["gone-1","gone-1","b1-1"]}"#)
            .facts("keeper", "version=2"),
        of("by its owner, who may not change it", "keeper", SAME).facts("keeper", "version=2"),
        of("beside a change", "keeper", r#"{"business_ids":["gone-1","b1-1"],"phone":"1"}"#)
            .facts("keeper", "version=3 phone=1 businesses=gone-1,b1-1"),
        of("another order is a change", "admin_1", r#"{"business_ids":["b1-1","gone-1"]}"#).bad(&unknown("gone-1")),
        of("so is one more", "admin_1", r#"{"business_ids":["gone-1","b1-1","b1-2"]}"#).bad(&unknown("gone-1")),
        of(
            "a move needs fitting businesses all the same",
            "provider",
            r#"{"org_id":2,"business_ids":["gone-1","b1-1"]}"#,
        )
        .bad(&unknown("gone-1, b1-1")),
        of("so does a move without the list", "provider", r#"{"org_id":2}"#).bad(&unknown("gone-1, b1-1")),
        of("and it goes with a change", "admin_1", r#"{"business_ids":["b1-1"]}"#).facts("keeper", "businesses=b1-1"),
    ]
}

fn providers() -> Vec<Case> {
    let of = |why, who, body| update(why, "provider", who, body);
    vec![
        of("a PROVIDER makes another", "ned", r#"{"role":"PROVIDER"}"#).facts("ned", "role=PROVIDER org=77"),
        of("and changes it back", "ned", r#"{"role":"BUSINESS_MANAGER"}"#).facts("ned", "role=BUSINESS_MANAGER"),
        of("the last ORG_ADMIN of an organisation, which a PROVIDER may", "admin_2", r#"{"role":"BUSINESS_MANAGER"}"#)
            .facts("admin_2", "role=BUSINESS_MANAGER"),
        of("anyone's address", "manager_2", r#"{"email":"moved@canary-mail.example"}"#),
        create("a PROVIDER without an organisation", r#"{"role":"PROVIDER"}"#).by("provider").makes("pia"),
        of("who has no organisation cannot become another role", "pia", r#"{"role":"ORG_ADMIN"}"#)
            .bad(r#"{"org_id":"is required"}"#),
        of("unless one is given", "pia", r#"{"role":"ORG_ADMIN","org_id":2}"#).facts("pia", "role=ORG_ADMIN org=2"),
        of("not one's own role", "provider", r#"{"role":"ORG_ADMIN","org_id":1}"#).forbidden(NO_STANDING),
        of("not one's own organisation", "provider", r#"{"org_id":1}"#).forbidden(NO_MOVE),
        of("one's own phone", "provider", r#"{"phone":"1"}"#).facts("provider", "phone=1 org=none"),
    ]
}
