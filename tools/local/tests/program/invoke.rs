//! `cargo invoke`: one event or request in a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// Runs the program, and returns the exit code, the answer and the messages.
fn invoke(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_presence-invoke")).args(arguments).output();
    let Output { status, stdout, stderr } = output.expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn answer_of_an_event_is_the_expected_one_also_after_the_writes_before_it() {
    for (function, event, status) in
        [("users", "get_me", 200), ("users", "create_user_once_again", 200), ("categories", "get_category", 200)]
    {
        let (code, answer, messages) = invoke(&[function, event]);
        assert_eq!(code, Some(0), "{event}: {messages}");
        assert_eq!(messages, format!("as events/expected/{function}/{event}.snap has it\n"));
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["status"], status, "{event}");
    }
}

#[test]
fn answer_that_differs_is_exit_code_1_with_the_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let events = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../events");
    for path in ["users/get_me.json", "expected/users/get_me.snap"] {
        let text = fs::read_to_string(events.join(path)).expect("a file");
        let copy = folder.path().join(path);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::write(copy, text.replace("\"Camille\"", "\"Camilla\"")).expect("a file");
    }
    let (code, answer, messages) = invoke(&["users", "get_me", "--events", folder.path().to_str().expect("a path")]);
    assert_eq!(code, Some(1), "{messages}");
    assert!(answer.contains("\"Camille\""), "{answer}");
    let expected =
        "differs from events/expected/users/get_me.snap:\n  body.first_name: expected \"Camilla\", got \"Camille\"\n";
    assert_eq!(messages, expected);
    fs::remove_file(folder.path().join("expected/users/get_me.snap")).expect("the file");
    let (code, _, messages) = invoke(&["users", "get_me", "--events", &folder.path().display().to_string()]);
    assert_eq!(code, Some(1));
    assert!(messages.contains("INSTA_UPDATE=always cargo test --test acceptance deploy::replay"), "{messages}");
}

#[test]
fn functions_that_no_request_invokes_answer_with_what_they_did() {
    let mails = json!([
        { "subject": "Votre invitation à rejoindre Presence", "to": "noemie.peeters@maison-verte.example" },
    ]);
    let report = json!(r#"{"created":12,"updated":0,"unchanged":0,"rejected":0}"#);
    for (function, event, member, expected) in [
        ("mailer", "stream_modify", "/mails", mails),
        ("mailer", "sweep", "/answer/batchItemFailures", json!([])),
        ("auditor", "scheduled", "/reviews", json!(3450)),
        ("publisher", "stream_of_users", "/events/0/detail-type", json!("invitation.sent")),
        ("deliverer", "sweep", "/answer/batchItemFailures", json!([])),
        ("ingest", "s3_object_created", "/reports/done~1partner 8~1may.jsonl.json", report),
    ] {
        let (code, answer, messages) = invoke(&[function, event]);
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{function} {event}: {answer}");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer.pointer(member), Some(&expected), "{function} {event}: {answer}");
    }
}

#[test]
fn unknown_names_list_what_there_is_and_what_was_meant() {
    for (arguments, meant) in [
        (
            &["user", "get_me"][..],
            "error: there is no function \"user\". Did you mean users? There are:\n  categories\n",
        ),
        (
            &["users", "get_mee"],
            "error: there is no event of users \"get_mee\". Did you mean get_me? There are:\n  get_me\n",
        ),
        (&["users"], "error: there is no event of users \"\". There are:\n  get_me\n"),
    ] {
        let (code, answer, messages) = invoke(arguments);
        assert_eq!((code, answer.as_str()), (Some(2), ""), "{messages}");
        assert!(messages.starts_with(meant), "{messages}");
    }
}

#[test]
fn request_has_the_key_of_the_role_unless_a_header_has_one() {
    let body = |arguments: &[&str]| {
        let (code, answer, messages) = invoke(arguments);
        assert_eq!(code, Some(0), "{messages}");
        (messages, serde_json::from_str::<Value>(&answer).expect("JSON"))
    };
    let (messages, me) = body(&["--http", "GET /api/v2/user/me"]);
    assert!(messages.starts_with("HTTP/1.1 200 OK\n"), "{messages}");
    assert_eq!(me["role"], json!("ORG_ADMIN"));
    let (_, me) = body(&["--http", "GET /api/v2/user/me", "--role", "PROVIDER"]);
    assert_eq!(me["role"], json!("PROVIDER"));
    let (messages, _) = body(&["--http", "GET /api/v2/user/me", "-H", "x-api-key: pk_wrong"]);
    assert!(messages.starts_with("HTTP/1.1 401 "), "{messages}");
    let (messages, changed) = body(&["--http", "post /api/v2/user/1005", "-d", r#"{"first_name": "Zoé"}"#]);
    assert!(messages.starts_with("HTTP/1.1 200 "), "{messages} {changed}");
}
