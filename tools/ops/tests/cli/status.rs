//! `ops status`.

use serde_json::json;

use crate::cli_env::CliEnv;

#[test]
fn status_shows_tables_mails_audit_and_formats() {
    let env = CliEnv::new();
    env.create_user("zoe@example.org", "--role PROVIDER");
    env.create_user("ann@example.org", "--role PROVIDER --status invited");
    let status = env.run("status --json").expect_exit(0).json();
    let expected = json!({"account": null, "region": null, "endpoint": env.url(), "prefix": "presence-",
        "version": env!("CARGO_PKG_VERSION"), "reviews_audit": null});
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&status[name], value, "{name}");
    }
    let tables = status["tables"].as_array().expect("a list");
    let names: Vec<_> = tables.iter().map(|table| table["name"].as_str().expect("a name")).collect();
    for name in
        ["presence-users", "presence-api-keys", "presence-businesses", "presence-categories", "presence-reviews"]
    {
        assert!(names.contains(&name), "{name}");
    }
    assert!(tables.iter().all(|table| table["state"] == "ACTIVE" && table["has_key"] == true), "{status}");
    let users = tables.iter().find(|table| table["name"] == "presence-users").expect("the table");
    assert_eq!(
        (&users["streams"], &users["ttl"], &users["is_recoverable"]),
        (&json!(true), &json!("ttl"), &json!(null))
    );
    let indexes = users["indexes"].as_array().expect("a list");
    assert_eq!(indexes.len(), 3);
    assert!(indexes.iter().all(|index| index["state"] == "ACTIVE" && index["is_as_defined"] == true), "{status}");
    assert_eq!((&status["outbox"]["waiting"], &status["outbox"]["failed"]), (&json!(1), &json!(0)));
    assert!(status["outbox"]["oldest_seconds"].is_u64() && status["outbox"]["oldest_at"].is_string());
    assert_eq!(status["formats"]["user"]["current"], 2);
    assert_eq!(env.run("status --quick --json").expect_exit(0).json()["formats"], json!(null));
}

#[test]
fn status_as_text_has_a_line_for_each_table_and_index() {
    let env = CliEnv::new();
    let text = env.run("status").expect_exit(0).stdout;
    assert!(
        text.contains("prefix: presence-\n") && text.contains("mails: 0 waiting, 0 failed, 0 held, 0 unreadable\n"),
        "{text}"
    );
    assert!(text.contains("presence-users") && text.contains("  email-index"), "{text}");
}

#[test]
fn status_of_missing_tables_says_so() {
    let env = CliEnv::without_tables();
    let status = env.run("status --json").expect_exit(0).json();
    let tables = status["tables"].as_array().expect("a list");
    assert!(tables.iter().all(|table| table["state"] == "MISSING"), "{status}");
    assert_eq!((&status["outbox"], &status["formats"]), (&json!(null), &json!(null)));
}
