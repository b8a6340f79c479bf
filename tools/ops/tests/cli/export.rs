//! `ops export`: writes meanwhile, and interruptions at sampled calls, and at every one with `PRESENCE_ROUNDS`. A transcript has the formats and the round trip.

use std::process::{Child, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli_env::{CliEnv, CliOutput};
use crate::proxy::Proxy;
use crate::rows::{ORGS, business_row};

/// Reviews of organisation 42: three windows.
const REVIEWS: usize = 1_200;

fn review(number: usize) -> Value {
    json!({
        "business_id": (["b1", "b2"][number % 2]), "partner": "partner_8", "partner_id": format!("r{number}"), "key": "k",
        "author_name": null, "date": format!("2024-01-{:02}T09:30:00+00:00", number % 28 + 1), "update_date": null,
        "delete_date": null, "rating": number % 5 + 1, "title": null, "content": "Très bon\naccueil", "reply_comment": null,
        "state": "not_treated", "link": null,
    })
}

fn lines(rows: &[Value]) -> String {
    rows.iter().fold(String::new(), |lines, row| lines + &row.to_string() + "\n")
}

/// Returns an environment with two organisations, three businesses and some reviews.
fn env_with_reviews(reviews: usize) -> CliEnv {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    let shops = business_row("b1", 42, "Lyon") + &business_row("b2", 42, "Évora") + &business_row("b3", 43, "Lyon");
    env.run_with_stdin("import businesses -", shops.as_bytes()).expect_exit(0);
    let mut rows: Vec<Value> = (0..reviews).map(review).collect();
    rows.push(json!({"business_id": "b3", "partner": "partner_9", "partner_id": "x", "key": "x", "author_name": "Zoë",
        "date": "0001-01-01T00:00:00Z", "update_date": "9999-12-31T23:59:59Z", "delete_date": "2024-02-29", "rating": 1,
        "title": "t", "content": null, "reply_comment": "r", "state": "deleted", "link": "https://example.org"}));
    env.run_with_stdin("import reviews -", lines(&rows).as_bytes()).expect_exit(0);
    env
}

/// Returns rows in a fixed order.
fn sorted(text: &str) -> Vec<String> {
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row").to_string());
    let mut rows: Vec<String> = rows.collect();
    rows.sort_unstable();
    rows
}

/// Starts `ops` with these arguments behind the proxy.
fn spawn(env: &CliEnv, proxy: &Proxy, arguments: &str) -> Child {
    let mut command = env.command(arguments);
    command.env("AWS_ENDPOINT_URL_DYNAMODB", &proxy.url);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

/// Waits until the held call is there. False if the binary ended before.
fn is_reached(reached: &Receiver<()>, child: &mut Child) -> bool {
    loop {
        if reached.recv_timeout(Duration::from_millis(20)).is_ok() {
            return true;
        }
        if child.try_wait().expect("the binary runs").is_some() {
            return false;
        }
    }
}

/// Returns the number of calls from one kill to the next: this sample by default, and 1 with `PRESENCE_ROUNDS`.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn calls_apart(sample: usize) -> usize {
    if std::env::var("PRESENCE_ROUNDS").is_ok_and(|rounds| rounds != "1") { 1 } else { sample }
}

/// Kills an export at one call after another, and lets it go on. Returns the number of times that it went on behind the start.
fn kill_and_continue(env: &CliEnv, what: &str, step: usize) -> usize {
    let expected = sorted(&env.run(&format!("export {what}")).expect_exit(0).stdout);
    let proxy = Proxy::start(env.address);
    let arguments = format!("export {what} --out out.jsonl");
    let (mut continued, mut call) = (0, 1);
    loop {
        let (reached, _release) = proxy.hold_call(call);
        let mut child = spawn(env, &proxy, &arguments);
        if !is_reached(&reached, &mut child) {
            assert!(call > 1, "it made no call");
            return continued;
        }
        child.kill().expect("it still runs");
        child.wait().expect("it ends");
        assert!(!env.has_file("out.jsonl"), "{what} at call {call}: the file is there only when it is whole");
        proxy.hold_nothing();
        let run = CliOutput::from(spawn(env, &proxy, &arguments).wait_with_output().expect("it ends")).expect_exit(0);
        continued += usize::from(run.stderr.starts_with("continues after "));
        assert_eq!(sorted(&env.read_file("out.jsonl")), expected, "{what} at call {call}");
        env.remove_file("out.jsonl");
        call += step;
    }
}

#[test]
fn killed_export_of_reviews_goes_on_where_it_was() {
    let env = env_with_reviews(REVIEWS);
    assert!(kill_and_continue(&env, "reviews", calls_apart(4)) > 1);
}

#[test]
fn killed_export_of_users_goes_on_where_it_was() {
    let env = CliEnv::new();
    for org in 1..=4 {
        env.create_user(&format!("ada{org}@example.org"), &format!("--role ORG_ADMIN --org-id {org}"));
    }
    // Sixteen calls list the organisations, and each has five: every third call meets all five.
    assert!(kill_and_continue(&env, "users", calls_apart(3)) > 1);
}

#[test]
fn second_export_to_one_file_ends_and_leaves_the_first_alone() {
    let env = env_with_reviews(REVIEWS);
    let expected = sorted(&env.run("export reviews").expect_exit(0).stdout);
    let proxy = Proxy::start(env.address);
    let (reached, release) = proxy.hold_call(5);
    let mut first = spawn(&env, &proxy, "export reviews --out out.jsonl");
    assert!(is_reached(&reached, &mut first), "it makes more calls");
    let second = env.run("export reviews --out out.jsonl").expect_exit(1);
    assert_eq!(second.stderr, "error: another export writes out.jsonl\n");
    drop(release);
    CliOutput::from(first.wait_with_output().expect("it ends")).expect_exit(0);
    assert_eq!(sorted(&env.read_file("out.jsonl")), expected);
}

#[test]
fn next_command_quotes_the_path_for_a_shell() {
    let run = CliEnv::new().run("export orgs --out it's.jsonl").expect_exit(0);
    assert_eq!(run.stderr, "rows: 0\nnext: ops import orgs 'it'\\''s.jsonl' --dry-run\n");
}

#[test]
fn checkpoint_of_other_options_is_refused() {
    let env = CliEnv::new();
    env.create_user("ada@example.org", "--role ORG_ADMIN --org-id 1");
    env.create_user("bob@example.org", "--role ORG_ADMIN --org-id 2");
    let proxy = Proxy::start(env.address);
    // Sixteen calls list the organisations.
    let mut call = 17;
    while !env.has_file("out.jsonl.state") {
        let (reached, _release) = proxy.hold_call(call);
        let mut child = spawn(&env, &proxy, "export users --out out.jsonl");
        assert!(is_reached(&reached, &mut child), "no checkpoint was written");
        child.kill().expect("it still runs");
        child.wait().expect("it ends");
        call += 1;
    }
    let other = env.run("export users --org 1 --out out.jsonl").expect_exit(1);
    assert!(other.stderr.contains("out.jsonl.state is of an export with other options"), "{}", other.stderr);
}

/// Writes in the middle of an export, at each call in turn. The export shows either none of the writes or all of them.
fn write_meanwhile(env: &CliEnv, what: &str, step: usize, write: impl Fn(usize)) {
    let proxy = Proxy::start(env.address);
    let arguments = format!("export {what} --org 42");
    let (mut call, mut seen) = (1, 0);
    let mut before = sorted(&env.run(&arguments).expect_exit(0).stdout);
    loop {
        let (reached, release) = proxy.hold_call(call);
        let mut child = spawn(env, &proxy, &arguments);
        // The output fills the pipe otherwise, and the binary waits.
        let stdout = child.stdout.take().expect("a pipe");
        let reader = std::thread::spawn(move || std::io::read_to_string(stdout).expect("text"));
        let is_held = is_reached(&reached, &mut child);
        if is_held {
            write(call);
        }
        drop(release);
        let exported = sorted(&reader.join().expect("the reader ends"));
        assert!(child.wait().expect("it ends").success(), "{what} at call {call}");
        if !is_held {
            assert!(seen > 0, "no write was during an export");
            return;
        }
        let after = sorted(&env.run(&arguments).expect_exit(0).stdout);
        assert_ne!(before, after, "the write changed something");
        assert!(exported == before || exported == after, "{what} at call {call}: a part of the writes");
        seen += usize::from(exported == after);
        before = after;
        call += step;
    }
}

#[test]
fn export_of_reviews_shows_all_or_none_of_what_is_written_meanwhile() {
    let env = env_with_reviews(REVIEWS);
    write_meanwhile(&env, "reviews", 5, |call| {
        // One at the start, one at the end, one that moves from the end to the start, and a new one in the middle.
        let changes = [
            json!({"partner_id": "r0", "content": format!("changed {call}")}),
            json!({"partner_id": "r27", "content": format!("changed {call}")}),
            json!({"partner_id": "r55", "update_date": format!("1999-01-01T00:00:{:02}Z", call % 60)}),
            json!({"partner_id": format!("new {call}"), "date": "2024-01-14T12:00:00Z"}),
        ];
        let rows = changes.map(|change| {
            let number = change["partner_id"].as_str().and_then(|id| id.strip_prefix('r')?.parse().ok());
            let mut row = review(number.unwrap_or_default());
            for (name, value) in change.as_object().expect("an object") {
                row[name] = value.clone();
            }
            row
        });
        env.run_with_stdin("import reviews -", lines(&rows).as_bytes()).expect_exit(0);
    });
}

/// Makes a write at each call of an export, and lets it end. Returns its rows, and the number of writes.
///
/// The test is over in bounded time only if the export needs no quiet moment.
fn write_at_each_call(env: &CliEnv, step: usize, write: impl Fn(usize)) -> (Vec<Value>, usize) {
    let proxy = Proxy::start(env.address);
    let (mut reached, mut release) = proxy.hold_call(step);
    let mut child = spawn(env, &proxy, "export reviews --org 42 --out out.jsonl");
    let mut writes = 0;
    while is_reached(&reached, &mut child) {
        write(writes);
        writes += 1;
        let next = proxy.hold_call(step);
        drop(std::mem::replace(&mut release, next.1));
        reached = next.0;
    }
    let output = child.wait_with_output().expect("it ends");
    CliOutput::from(output).expect_exit(0);
    let rows = env.read_file("out.jsonl");
    (rows.lines().map(|line| serde_json::from_str(line).expect("a row")).collect(), writes)
}

/// Returns the contents of the reviews `new …`, in order.
fn new_reviews(rows: &[Value]) -> Vec<usize> {
    let numbers = rows.iter().filter_map(|row| row["partner_id"].as_str()?.strip_prefix("new ")?.parse().ok());
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn export_of_reviews_ends_though_reviews_are_written_at_each_of_its_calls() {
    let env = env_with_reviews(REVIEWS);
    let (rows, writes) = write_at_each_call(&env, 3, |number| {
        let mut row = review(number);
        row["partner_id"] = json!(format!("new {number}"));
        env.run_with_stdin("import reviews -", lines(&[row]).as_bytes()).expect_exit(0);
    });
    // The writes came one after the other: the cut has those before a moment, and none behind it.
    let seen = new_reviews(&rows);
    assert!(seen.iter().copied().eq(0..seen.len()), "{seen:?} of {writes}");
    assert!(writes > 3 && (1..=writes).contains(&seen.len()), "{seen:?} of {writes}");
    assert_eq!(rows.len(), REVIEWS + seen.len(), "each review once");
}

#[test]
fn export_of_reviews_ends_though_the_log_forgets_what_changed() {
    let env = env_with_reviews(REVIEWS);
    let (rows, writes) = write_at_each_call(&env, 9, |number| {
        // The end of an import folds what it has written, if it is enough, and the log forgets it. Three reviews move in time, too.
        let mut changed: Vec<Value> = (0..100).map(|position| review(number * 100 + position)).collect();
        for row in &mut changed {
            row["content"] = json!(format!("changed {number}"));
        }
        for row in changed.iter_mut().take(3) {
            row["update_date"] = json!("2024-02-01T00:00:00Z");
        }
        env.run_with_stdin("import reviews -", lines(&changed).as_bytes()).expect_exit(0);
    });
    assert!(writes > 1, "{writes} writes");
    let mut ids: Vec<_> = rows.iter().filter_map(|row| row["partner_id"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(rows.len(), ids.len(), "each review once");
    assert!(ids.len() >= REVIEWS, "{} reviews", ids.len());
    let of = |number: usize| {
        let changed = |row: &&Value| row["content"] == format!("changed {number}");
        rows.iter().filter(changed).count()
    };
    let seen: Vec<usize> = (0..writes).map(of).take_while(|count| *count == 100).collect();
    assert!(!seen.is_empty(), "the first writes are in it");
    assert!((seen.len()..writes).skip(1).all(|number| of(number) == 0), "none behind the cut");
}

#[test]
fn export_of_users_shows_all_or_none_of_what_is_written_meanwhile() {
    let env = CliEnv::new();
    for name in ["ada", "bob", "cyd"] {
        env.create_user(&format!("{name}@example.org"), "--role ORG_ADMIN --org-id 42");
    }
    write_meanwhile(&env, "users", 1, |call| {
        let id = env.create_user(&format!("new{call}@example.org"), "--role ORG_ADMIN --org-id 42");
        let listed = env.run("users list --org 42 --json").expect_exit(0).stdout;
        let ids: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).expect("a user")).collect();
        let other =
            ids.iter().map(|user| user["id"].as_str().expect("an id")).find(|other| *other != id).expect("another");
        env.run(&format!("users delete {other} --yes")).expect_exit(0);
    });
}
