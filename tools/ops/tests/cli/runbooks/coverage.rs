//! Sections of the operator's guide: each that tells what to do is rehearsed, or says here why not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::page::{COMMANDS, guide};

/// Sections without a rehearsal of this folder, each with the reason.
const NOT_REHEARSED: [(&str, &str); 12] = [
    ("Alarms, and what to do", "sends to the sections named after what happens, which have the same commands"),
    ("By GitHub", "runs on GitHub; tools/ci/workflows checks the workflow"),
    ("Replies to reviews", "needs a queue of an account; tests/replies runs its commands against the local stack"),
    ("Requirements", "has no commands but the check of an installed program"),
    ("Restoring the tables", "tests/restore/runbook.rs runs its commands, with point-in-time recovery"),
    ("Releases", "needs aliases and alarms of an account; tools/ci/deployment creates them in moto"),
    ("Reviews that arrive by themselves", "needs S3 and SQS; tools/ci/second-queue runs its command on ministack"),
    ("When reviews do not arrive", "needs S3 and SQS; tools/ci/second-queue walks it on ministack"),
    ("When events do not leave", "needs streams and a bus of an account; tests/events stops the bus in each way"),
    (
        "When replies have no outcome",
        "needs a stream and a queue of an account; tests/replies stops the queue in each way",
    ),
    (
        "When webhooks are late or disabled",
        "needs a stream and a queue of an account; the simulation of the deliverer stops its calls in each way",
    ),
    ("When a deployment fails", "has states of CloudFormation; tools/ci/deployment plays the first deployment in moto"),
];

/// Returns the headings of the page, from top to bottom.
fn headings(page: &str) -> Vec<&str> {
    let mut is_code = false;
    let lines = page.lines().filter(|line| {
        is_code ^= line.trim_start().starts_with("```");
        !is_code && line.starts_with("##")
    });
    lines.map(|line| line.trim_start_matches('#').trim()).collect()
}

/// Returns the sources of the rehearsals.
fn sources() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/runbooks");
    let files = fs::read_dir(folder).expect("the folder").map(|file| file.expect("a file").path());
    let files = files.filter(|path| path.file_name().is_some_and(|name| name != "coverage.rs"));
    files.map(|path| fs::read_to_string(path).expect("a text")).collect()
}

/// Returns the sections that tell what to do: those named after what happens, and those with a command of the operator's tool.
fn runbooks(page: &str) -> BTreeSet<String> {
    let with_commands = COMMANDS.iter().filter(|command| command.text.contains("ops ")).map(|command| &command.section);
    let when = headings(page).into_iter().filter(|heading| heading.starts_with("When ")).map(str::to_owned);
    with_commands.cloned().chain(when).collect()
}

/// Returns the sections that are neither rehearsed nor excused, and those that are both.
fn faults(page: &str, sources: &str) -> Vec<String> {
    let is_rehearsed = |heading: &str| {
        ["Rehearsal::of(", "Rehearsal::with(", "start("]
            .iter()
            .any(|start| sources.contains(&format!("{start}\"{heading}\"")))
    };
    let is_excused = |heading: &str| NOT_REHEARSED.iter().any(|(excused, _)| *excused == heading);
    let all = runbooks(page).into_iter().filter(|heading| is_rehearsed(heading) == is_excused(heading));
    let known = headings(page);
    let stale =
        NOT_REHEARSED.iter().filter(|(heading, _)| !known.contains(heading)).map(|(heading, _)| (*heading).to_owned());
    all.chain(stale).collect()
}

#[test]
fn every_section_that_tells_what_to_do_is_rehearsed_or_has_a_reason() {
    let page = guide();
    assert!(runbooks(&page).len() > 10, "{:?}", runbooks(&page));
    assert_eq!(faults(&page, &sources()), Vec::<String>::new());
    let others = ["Floods and fair use", "Another region"];
    assert!(others.iter().all(|heading| sources().contains(&format!("\"{heading}\""))), "those with few commands too");
}

#[test]
fn a_new_section_without_a_rehearsal_is_found() {
    let page = guide() + "\n### When the moon falls\n\nRun.\n";
    assert_eq!(faults(&page, &sources()), ["When the moon falls"]);
    let sources = sources().replace("\"When a key leaks\"", "\"When nothing leaks\"");
    assert!(faults(&page, &sources).contains(&"When a key leaks".to_owned()));
}
