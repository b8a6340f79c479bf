//! Roles that a caller may create, and organisations in which it may do so.

use crate::api::users::fixture::{Case, create};

const NO_CREATE: &str = "a BUSINESS_MANAGER may not create users";
const NO_FOREIGNER: &str = "an ORG_ADMIN may not create users of another organisation";
const NO_PROVIDER: &str = "an ORG_ADMIN may not give the role PROVIDER";

pub(super) fn cases() -> Vec<Case> {
    [admins(), managers(), providers()].concat()
}

fn created(reason: &'static str, caller: &'static str, body: &str, facts: &str) -> Case {
    create(reason, body).by(caller).creates("made").stores("made", facts)
}

fn forbidden(reason: &'static str, body: &str, text: &str) -> Case {
    create(reason, body).forbidden(text)
}

fn admins() -> Vec<Case> {
    vec![
        created("org_id is the caller's own unless given", "admin_1", "{}", "org=1 role=BUSINESS_MANAGER"),
        created("null is not given", "admin_1", r#"{"org_id":null,"role":null}"#, "org=1 role=BUSINESS_MANAGER"),
        created("one's own organisation by name", "admin_2", r#"{"org_id":2}"#, "org=2"),
        created("as text", "admin_2", r#"{"org_id":"2"}"#, "org=2"),
        created("an ORG_ADMIN makes another", "admin_1", r#"{"role":"ORG_ADMIN"}"#, "org=1 role=ORG_ADMIN"),
        created("with businesses of the organisation", "admin_2", r#"{"business_ids":["b2-1"]}"#, "businesses=b2-1"),
        forbidden("nobody in another organisation", r#"{"org_id":2}"#, NO_FOREIGNER),
        forbidden("nobody in an unknown organisation", r#"{"org_id":999}"#, NO_FOREIGNER),
        forbidden("no PROVIDER", r#"{"role":"PROVIDER"}"#, NO_PROVIDER),
        forbidden("no PROVIDER in another organisation", r#"{"role":"PROVIDER","org_id":2}"#, NO_FOREIGNER),
        forbidden("no ORG_ADMIN in another organisation", r#"{"role":"ORG_ADMIN","org_id":2}"#, NO_FOREIGNER),
    ]
}

fn managers() -> Vec<Case> {
    ["{}", r#"{"org_id":1}"#, r#"{"org_id":2}"#, r#"{"role":"ORG_ADMIN"}"#, r#"{"status":"invited"}"#]
        .map(|body| create("a BUSINESS_MANAGER creates nobody", body).by("manager_1").forbidden(NO_CREATE))
        .to_vec()
}

fn providers() -> Vec<Case> {
    const REQUIRED: &str = r#"{"org_id":"is required"}"#;
    vec![
        created("any organisation", "provider", r#"{"org_id":2}"#, "org=2 role=BUSINESS_MANAGER"),
        created("any role", "provider", r#"{"org_id":2,"role":"ORG_ADMIN"}"#, "org=2 role=ORG_ADMIN"),
        created("a PROVIDER in an organisation", "provider", r#"{"org_id":2,"role":"PROVIDER"}"#, "org=2 role=PROVIDER"),
        created("a PROVIDER may have no organisation", "provider", r#"{"role":"PROVIDER"}"#, "org=none role=PROVIDER"),
        created("businesses of that organisation", "provider", r#"{"org_id":2,"business_ids":["b2-3"]}"#, "businesses=b2-3"),
        create("without an organisation org_id is required", "{}").by("provider").bad_fields(REQUIRED),
        create("for an ORG_ADMIN too", r#"{"role":"ORG_ADMIN"}"#).by("provider").bad_fields(REQUIRED),
        create("null is not given", r#"{"org_id":null}"#).by("provider").bad_fields(REQUIRED),
        create("with all else that is wrong", r#"{"first_name":null}"#)
            .by("provider")
            .bad_fields(r#"{"first_name":"is required","org_id":"is required"}"#),
        create("without an organisation no business is known", r#"{"role":"PROVIDER","business_ids":["b1-1"]}"#)
            .by("provider")
            .bad_fields(r#"{"business_ids":"unknown businesses: b1-1"}"#),
        create("an organisation that does not exist", r#"{"org_id":999}"#)
            .by("provider")
            .bad_fields(r#"{"org_id":"is unknown"}"#),
        create("with all else that is wrong", r#"{"org_id":999,"business_ids":["b1-1"],"phone":"x"}"#).by("provider").bad_fields(
            r#"{"business_ids":"unknown businesses: b1-1","org_id":"is unknown","phone":"must have at most 32 characters: digits, spaces and + - . ( ) /"}"#,
        ),
        create("an organisation that does not exist, for a PROVIDER of another", r#"{"org_id":999}"#)
            .by("provider_in_1")
            .bad_fields(r#"{"org_id":"is unknown"}"#),
        create("businesses of another organisation", r#"{"org_id":2,"business_ids":["b1-1"]}"#)
            .by("provider")
            .bad_fields(r#"{"business_ids":"unknown businesses: b1-1"}"#),
        created("a PROVIDER of an organisation: its own", "provider_in_1", "{}", "org=1"),
        created("its own for a PROVIDER too", "provider_in_1", r#"{"role":"PROVIDER"}"#, "org=1 role=PROVIDER"),
        created("or any other", "provider_in_1", r#"{"org_id":2}"#, "org=2"),
    ]
}
