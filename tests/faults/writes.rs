//! Scenarios of the operations that write, and of their refusals.

use presence_domain::api_key::{ApiKeyId, PlaintextApiKey};
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_tests::StoredUser;
use presence_tests::{Fixtures, TestUser};
use serde_json::{Value, json};

use super::fixture::{Fixture, Preparation, Scenario, StoredEffect, Target};

pub(super) fn scenarios() -> Vec<Scenario> {
    creates()
        .into_iter()
        .chain(updates())
        .chain(refused_updates())
        .chain(others())
        .chain(keys())
        .chain(keyed())
        .collect()
}

/// Returns changes with an idempotency key: repeated, they get the answer of before.
fn keyed() -> Vec<Scenario> {
    let with_key = |name, scenario: Scenario| Scenario { name, is_keyed: true, again: scenario.unbroken, ..scenario };
    let is_invited = |user: Option<&StoredUser>| user.is_some_and(|it| it.mails.len() == 1);
    let body =
        |fixture: &Fixture| json!({"email": fixture.fresh(), "first_name": "A", "last_name": "L", "status": "invited"});
    let created = Scenario { done: StoredEffect::Fresh(is_invited), ..create("", body) };
    let is_renamed = |it: &StoredUser| it.user.last_name.as_str() == "Hopper";
    let suspended = |it: &StoredUser| it.user.status == Status::Invited && it.mails.len() == 1;
    vec![
        with_key("create once", created),
        with_key("change a name once", update("", Target::Active, |_| json!({"last_name": "Hopper"}), is_renamed)),
        with_key("make a user invited once", update("", Target::Active, |_| json!({"status": "invited"}), suspended)),
        with_key("delete once", delete("", Target::Active)),
        with_key("invite once", invite("", Target::Invited, 200, StoredEffect::Target(is_invited))),
        with_key("invite too soon, with a key", invite("", Target::JustInvited, 429, StoredEffect::ChangesNothing)),
    ]
}

fn creates() -> Vec<Scenario> {
    vec![
        Scenario {
            before: Preparation::NewHour,
            done: StoredEffect::Fresh(|user| {
                user.is_some_and(|it| it.mails.len() == 1 && it.user.business_ids.len() == 2)
            }),
            ..create("create an invited user with businesses, first in the hour", |fixture| {
                json!({"email": fixture.fresh(), "first_name": "Ada", "last_name": "L", "status": "invited",
                    "business_ids": ["b1-1", "b1-2"]})
            })
        },
        Scenario {
            done: StoredEffect::Fresh(|user| user.is_some_and(|it| it.mails.is_empty() && it.user.password.is_some())),
            ..create(
                "create an active user",
                |fixture| json!({"email": fixture.fresh(), "first_name": "Ada", "last_name": "L", "password": "canary-pass"}),
            )
        },
        Scenario {
            unbroken: 400,
            done: StoredEffect::ChangesNothing,
            ..create(
                "create with an address that is taken",
                |fixture| json!({"email": fixture.fixtures.manager_2.email, "first_name": "Ada", "last_name": "L"}),
            )
        },
    ]
}

fn updates() -> Vec<Scenario> {
    vec![
        update(
            "change a name",
            Target::Active,
            |_| json!({"last_name": "Hopper"}),
            |it| it.user.last_name.as_str() == "Hopper",
        ),
        update(
            "change the businesses",
            Target::Active,
            |_| json!({"business_ids": ["b1-2", "b1-1"]}),
            |it| it.user.business_ids.len() == 2,
        ),
        update(
            "change the address of a user whose mail waits",
            Target::JustInvited,
            |fixture| json!({"email": fixture.fresh()}),
            |it| it.user.email.as_str().starts_with("fresh-") && it.mails.is_empty(),
        ),
        update(
            "make an active user invited",
            Target::Active,
            |_| json!({"status": "invited"}),
            |it| it.user.status == Status::Invited && it.mails.len() == 1,
        ),
        update(
            "make an invited user active",
            Target::JustInvited,
            |_| json!({"status": "active", "password": "canary-pass"}),
            |it| it.user.status == Status::Active && it.user.password.is_some() && it.mails.is_empty(),
        ),
        update(
            "move a user to another organisation",
            Target::Active,
            |_| json!({"org_id": 2, "business_ids": ["b2-1"]}),
            |it| it.user.org_id.is_some_and(|org| org.get() == 2) && it.user.business_ids.len() == 1,
        ),
        Scenario {
            before: Preparation::NewHour,
            ..update(
                "change a role, first in the hour",
                Target::Active,
                |_| json!({"role": "ORG_ADMIN"}),
                |it| it.user.role == Role::OrgAdmin,
            )
        },
    ]
}

fn refused_updates() -> Vec<Scenario> {
    vec![
        Scenario {
            unbroken: 400,
            done: StoredEffect::ChangesNothing,
            ..update(
                "take an address that another has",
                Target::Active,
                |fixture| json!({"email": fixture.fixtures.admin_2.email}),
                |_| false,
            )
        },
        Scenario {
            unbroken: 400,
            done: StoredEffect::ChangesNothing,
            ..update(
                "name a business that is not known",
                Target::Active,
                |_| json!({"business_ids": ["b2-1"]}),
                |_| false,
            )
        },
    ]
}

fn others() -> Vec<Scenario> {
    vec![
        delete("delete an active user with a key", Target::Active),
        Scenario {
            before: Preparation::NewHour,
            ..delete("delete a user whose mail waits, first in the hour", Target::JustInvited)
        },
        invite("invite", Target::Invited, 200, StoredEffect::Target(|user| user.is_some_and(|it| it.mails.len() == 1))),
        invite("invite too soon", Target::JustInvited, 429, StoredEffect::ChangesNothing),
        invite("invite an active user", Target::Active, 400, StoredEffect::ChangesNothing),
    ]
}

/// Returns changes of keys. The target has one key.
fn keys() -> Vec<Scenario> {
    let of_keys = |name, operation, method, path, body, done| Scenario {
        name,
        operation,
        method,
        path,
        body,
        again: 200,
        ..invite("", Target::Active, 200, StoredEffect::TargetIs(done))
    };
    let label: fn(&Fixture) -> Value = |_| json!({"label": "till"});
    let has_another: fn(&StoredUser) -> bool = |it| it.user.keys.len() > 1;
    let create = |name| {
        of_keys(name, "create_key", "POST", |it: &Fixture| format!("{}/keys", it.path()), Some(label), has_another)
    };
    let rotate = |name| of_keys(name, "rotate_key", "POST", rotation, Some(|_: &Fixture| json!({})), has_another);
    let revoke = |name| of_keys(name, "revoke_key", "DELETE", key_path, None, |it: &StoredUser| it.revoked_keys == 1);
    vec![
        create("create a key"),
        Scenario { before: Preparation::NewHour, ..create("create a key, first in the hour") },
        Scenario { is_keyed: true, ..create("create a key once") },
        rotate("rotate a key"),
        Scenario { is_keyed: true, ..rotate("rotate a key once") },
        revoke("revoke a key"),
        Scenario { is_keyed: true, ..revoke("revoke a key once") },
    ]
}

/// Returns the path that rotates the key of the target.
fn rotation(fixture: &Fixture) -> String {
    format!("{}/rotate", key_path(fixture))
}

/// Returns the path of the key that the target was created with.
fn key_path(fixture: &Fixture) -> String {
    let target = fixture.target.as_ref().expect("the scenario has a target");
    let hash = PlaintextApiKey::parse(&target.key).expect("a key").hash();
    let id = ApiKeyId::new(UserId::parse(&target.id).expect("an id"), &hash);
    format!("{}/keys/{id}", fixture.path())
}

fn create(name: &'static str, body: fn(&Fixture) -> Value) -> Scenario {
    Scenario {
        name,
        operation: "create_user",
        by: admin,
        target: Target::Nobody,
        before: Preparation::Nothing,
        method: "POST",
        path: |_| "/user".to_owned(),
        body: Some(body),
        unbroken: 200,
        again: 400,
        done: StoredEffect::ChangesNothing,
        is_keyed: false,
    }
}

fn update(name: &'static str, target: Target, body: fn(&Fixture) -> Value, done: fn(&StoredUser) -> bool) -> Scenario {
    Scenario {
        name,
        operation: "update_user",
        by: provider,
        target,
        before: Preparation::Nothing,
        method: "POST",
        path: Fixture::path,
        body: Some(body),
        unbroken: 200,
        again: 200,
        done: StoredEffect::TargetIs(done),
        is_keyed: false,
    }
}

fn delete(name: &'static str, target: Target) -> Scenario {
    Scenario {
        name,
        operation: "delete_user",
        by: admin,
        target,
        before: Preparation::Nothing,
        method: "DELETE",
        path: Fixture::path,
        body: None,
        unbroken: 200,
        again: 404,
        done: StoredEffect::Target(|user| user.is_none()),
        is_keyed: false,
    }
}

pub(super) fn invite(name: &'static str, target: Target, unbroken: u16, done: StoredEffect) -> Scenario {
    Scenario {
        name,
        operation: "invite_user",
        by: admin,
        target,
        before: Preparation::Nothing,
        method: "POST",
        path: |fixture| format!("{}/invite", fixture.path()),
        body: None,
        unbroken,
        again: 429,
        done,
        is_keyed: false,
    }
}

fn admin(fixtures: &Fixtures) -> &TestUser {
    &fixtures.admin_1
}

pub(super) fn provider(fixtures: &Fixtures) -> &TestUser {
    &fixtures.provider
}
