//! Organisations in which a caller creates users. `authorization` has the roles and organisations that are forbidden, with their texts.

use crate::api::users::fixture::{Case, create};

fn created(reason: &'static str, caller: &'static str, body: &str, facts: &str) -> Case {
    create(reason, body).by(caller).creates("made").stores("made", facts)
}

pub(super) fn cases() -> Vec<Case> {
    const REQUIRED: &str = r#"{"org_id":"is required"}"#;
    vec![
        created("null is not given", "admin_1", r#"{"org_id":null,"role":null}"#, "org=1 role=BUSINESS_MANAGER"),
        created("one's own organisation as text", "admin_2", r#"{"org_id":"2"}"#, "org=2"),
        created("with businesses of the organisation", "admin_2", r#"{"business_ids":["b2-1"]}"#, "businesses=b2-1"),
        create("nobody in an unknown organisation", r#"{"org_id":999}"#)
            .forbidden("an ORG_ADMIN may not create users of another organisation"),
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
    ]
}
