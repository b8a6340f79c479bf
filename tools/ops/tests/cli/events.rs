//! `ops events tail`: a feed that is read, followed, and gone on with; and a webhook that gets its events again.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use jiff::{SignedDuration, Timestamp};
use presence_domain::event::{Event, EventKind, EventSubject, ReviewField};
use presence_domain::feed::{EventFilter, SequenceNumber, ShardId};
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::review::ReviewId;
use presence_domain::webhook::{Progress, SigningSecrets, Webhook, WebhookId, WebhookSecret, WebhookUrl};
use presence_store::{Database, FeedStore, SourceRecord, WebhookStore, WebhookWrite};
use serde_json::{Value, json};

use crate::cli_env::{CliEnv, block_on};
use crate::rows::ORGS;

#[expect(clippy::disallowed_methods, reason = "the binary reads the same clock")]
fn now() -> Timestamp {
    Timestamp::now()
}

/// Appends an event about a review of organisation 42 to its feed, as the record with this number of the stream.
fn append(env: &CliEnv, number: u64, kind: EventKind, at: Timestamp) {
    let business_id = BusinessId::parse("b1").expect("an id");
    let id = ReviewId::parse("7gk2m0d9xq1b").expect("an id");
    let fields = vec![ReviewField::State, ReviewField::ReplyComment];
    let event = Event {
        kind,
        subject: EventSubject::Review { id, business_id, fields },
        org_id: OrgId::new(42),
        version: Some(number),
        at,
    };
    append_events(env, OrgId::new(42), number, event);
}

fn append_events(env: &CliEnv, org_id: Option<OrgId>, number: u64, event: Event) {
    let sequence = SequenceNumber::parse(&number.to_string()).expect("a number");
    let record = SourceRecord { sequence, events: vec![event] };
    let feed = FeedStore::new(&Database::new(&env.sdk_config(), "presence-"));
    let shard = ShardId::new("reviews", "1");
    block_on(async { feed.append(org_id, shard, &[record], now()).await.expect("an append") });
}

/// Returns an environment whose feed of organisation 42 has three events, the first of an hour ago.
fn with_events() -> CliEnv {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    append(&env, 1, EventKind::ReviewCreated, now() - SignedDuration::from_hours(1));
    append(&env, 2, EventKind::ReviewUpdated, now());
    append(&env, 3, EventKind::ReplyRequested, now());
    env
}

/// Returns the types of the events that a command prints, and its last message.
fn types(env: &CliEnv, arguments: &str) -> (Vec<Value>, String) {
    let run = env.run(&format!("events tail --json {arguments}")).expect_exit(0);
    let types = run.json_lines().into_iter().map(|mut event| event["type"].take()).collect();
    (types, run.stderr.lines().last().unwrap_or_default().to_owned())
}

#[test]
fn a_feed_is_read_since_an_instant_or_after_a_cursor_and_by_type() {
    let env = with_events();
    let (created, updated, requested) = (json!("review.created"), json!("review.updated"), json!("reply.requested"));
    for (arguments, expected, cursor) in [
        ("--since 2h", &[&created, &updated, &requested][..], 3),
        ("--since 30m", &[&updated, &requested], 3),
        ("--after 42-1", &[&updated, &requested], 3),
        ("--after 42-0 --type review.*", &[&created, &updated], 3),
        ("--after 42-0 --type review.created,reply.*", &[&created, &requested], 3),
        ("--after 42-0 --type review.created --type reply.*", &[&created, &requested], 3),
        ("--after 42-0 --limit 2", &[&created, &updated], 2),
        ("--after 42-0 --limit 1 --type reply.*", &[&requested], 3),
        ("", &[], 3),
    ] {
        let (found, end) = types(&env, &format!("--org 42 --no-follow {arguments}"));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{arguments}");
        assert_eq!(end, format!("events: {}, to go on: --after 42-{cursor}", expected.len()), "{arguments}");
    }
    assert_eq!(types(&env, "--org 43 --no-follow --since 2h").1, "events: 0, to go on: --after 43-0");
}

#[test]
fn an_event_is_a_row_or_what_the_api_shows() {
    let env = with_events();
    let at = now();
    let event = Event {
        kind: EventKind::InvitationSent,
        subject: EventSubject::Invitation { user_id: UserId::parse("7").expect("an id") },
        org_id: None,
        version: Some(4),
        at,
    };
    append_events(&env, None, 9, event);
    let shown = env.run("events tail --org none --no-follow --since 1m --json").expect_exit(0).json();
    let at = format!("{at:.3}");
    let data = json!({ "user_id": "7", "org_id": null, "version": 4, "at": at });
    assert!(shown["id"].as_str().is_some_and(|id| id.starts_with("evt_")), "{shown}");
    assert_eq!((&shown["type"], &shown["at"], &shown["data"]), (&json!("invitation.sent"), &json!(at), &data));
    let text = |org| env.run(&format!("events tail --org {org} --no-follow --since 30m")).expect_exit(0).stdout;
    let words = |text: &str| {
        let lines = text.lines().map(|line| line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(words(&text("none")), [vec!["TYPE", "ID", "FIELDS"], vec!["invitation.sent", "7", "-"]]);
    let rows = words(&text("42"));
    assert_eq!(rows[1], ["review.updated", "7gk2m0d9xq1b", "state,", "reply_comment"]);
}

#[test]
fn a_webhook_is_not_sent_on_past_events_that_it_did_not_get() {
    let env = with_events();
    let id = "42-3f00ab12cd34";
    put_webhook(&env, id, 2);
    let refused = env.run(&format!("webhooks replay {id} --after 42-3")).expect_exit(1);
    assert!(refused.stderr.contains("after is later than the cursor of the webhook"), "{}", refused.stderr);
    env.run(&format!("webhooks replay {id} --after 42-1")).expect_exit(0);
    let shown = env.run("webhooks list --json").expect_exit(0).json();
    assert_eq!((&shown[0]["id"], &shown[0]["cursor"]), (&json!(id), &json!("42-1")));
    let records = env.run("audit --org 42 --json").expect_exit(0).json_lines();
    let replays = records.iter().filter(|record| record["action"] == "replay_webhook").count();
    assert_eq!(replays, 1, "{records:?}");
}

/// Stores a webhook of organisation 42 that has taken so many events.
fn put_webhook(env: &CliEnv, id: &str, cursor: u64) {
    let webhook = Webhook {
        id: WebhookId::parse(id).expect("an id"),
        url: WebhookUrl::from_stored("https://hooks.example.com/").expect("an address"),
        types: EventFilter::default(),
        label: None,
        secrets: SigningSecrets::new(WebhookSecret::generate()),
        created_at: now(),
        progress: Progress::starting_after(cursor, now()),
        version: 1,
    };
    let webhooks = WebhookStore::new(&Database::new(&env.sdk_config(), "presence-"));
    let write = WebhookWrite { before: None, after: Some(&webhook), record: None, answer: None };
    assert!(block_on(webhooks.write(write)).expect("the store answers"));
}

#[test]
fn a_feed_is_followed_until_ctrl_c_and_gone_on_with() {
    let env = with_events();
    let mut command = env.command("events tail --org 42 --json --after 42-2");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let mut next = || {
        let line = lines.next().expect("a line").expect("text");
        serde_json::from_str::<Value>(&line).expect("JSON")["data"]["version"].clone()
    };
    assert_eq!(next(), 3);
    append(&env, 4, EventKind::ReviewUpdated, now());
    assert_eq!(next(), 4);
    append(&env, 5, EventKind::ReviewDeleted, now());
    assert_eq!(next(), 5);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success(), "it still runs");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let end = String::from_utf8(output.stderr).expect("text");
    assert_eq!(end, "events: 3, to go on: --after 42-5\n");
}

#[test]
fn a_feed_that_is_not_there_has_a_clear_error() {
    let env = with_events();
    for (arguments, code, expected) in [
        ("--org 44", 3, "there is no organisation 44: ops orgs list"),
        ("--org 42 --after 43-1", 2, "--after 43-1 is a cursor of another organisation"),
        ("--org 42 --after x", 2, "--after x is not a cursor of this feed"),
        ("--org 42 --after 42-9", 1, "the feed does not have this cursor any more: the oldest event is after 42-0"),
    ] {
        let error = env.run(&format!("events tail --json {arguments}")).expect_exit(code).json_error();
        assert_eq!(error["message"], expected, "{arguments}");
    }
    for wrong in ["--org 42 --type till", "--org 42 --limit 0", "--org 42 --after 42-1 --since 1h", "--since 1h"] {
        env.run(&format!("events tail {wrong}")).expect_exit(2);
    }
    env.delete_table("presence-events");
    let error = env.run("events tail --org 42 --json").expect_exit(1).json_error();
    assert_eq!(error["code"], "no_tables");
    let text = error["message"].as_str().expect("text");
    assert!(
        text.starts_with("there is no feed without the table of events, which Events=true makes on AWS: "),
        "{text}"
    );
}
