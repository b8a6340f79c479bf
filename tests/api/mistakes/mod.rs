//! Typical mistakes of clients. Each is made with the curl line of the page `shared/docs/mistakes.md`, and gets the answer there.

mod page;
mod rows;

use std::path::Path;
use std::process::Command;

use presence_local::Options;
use presence_tests::{TestStack, long_timeouts};

use page::{Answer, page};
use rows::{Mistake, mistakes};

/// Environment variable that, with any value, rewrites the page.
const BLESS: &str = "PRESENCE_BLESS";

/// Options of every curl: the head of the answer is printed too, no proxy stands between, and nothing waits for ever.
const CURL: &str =
    r#"curl() { command curl --silent --show-error --include --noproxy '*' --max-time 60 -H 'expect:' "$@"; }"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_mistake_gets_the_answer_of_the_page() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let folder = tempfile::tempdir().expect("a folder");
    let run = |line| run(&stack, folder.path(), line);
    let mut answers = Vec::new();
    for mistake in mistakes() {
        if let Some(first) = mistake.first {
            assert_eq!(run(first).status, 200, "{first}");
        }
        let before = stack.snapshot().await;
        answers.push(run(mistake.request));
        assert_eq!(stack.snapshot().await, before, "{} changes nothing", mistake.request);
    }
    let written = page(&mistakes(), &answers);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/docs/mistakes.md");
    #[expect(clippy::disallowed_methods, reason = "the switch of this test only")]
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &written).expect("the page can be written");
    }
    let committed = std::fs::read_to_string(&path).expect("the page is in the repository");
    for (line, (ours, theirs)) in written.lines().zip(committed.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {}: if this is meant, run again with {BLESS}=1 and commit the page", line + 1);
    }
    assert_eq!(written, committed, "if this is meant, run again with {BLESS}=1 and commit the page");
}

#[test]
fn the_page_has_thirty_mistakes_or_more_and_none_twice() {
    let mut requests: Vec<_> = mistakes().iter().map(|mistake| mistake.request).collect();
    requests.sort_unstable();
    requests.dedup();
    assert_eq!(requests.len(), mistakes().len());
    assert!(requests.len() >= 30, "{}", requests.len());
}

/// Runs a line of bash with one curl in it, in a folder for its files, and returns the answer.
fn run(stack: &TestStack, folder: &Path, line: &str) -> Answer {
    let keys = stack.local.keys();
    let mut bash = Command::new("bash");
    bash.arg("-c").arg(format!("set -o pipefail; {CURL}; {line}")).current_dir(folder);
    bash.env("BASE", stack.local.base_url());
    for (name, role) in [("KEY", "ORG_ADMIN"), ("MANAGER", "BUSINESS_MANAGER"), ("PROVIDER", "PROVIDER")] {
        bash.env(name, &keys[role]);
    }
    let output = tokio::task::block_in_place(|| bash.output()).expect("bash starts");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let answer = Answer::parse(&String::from_utf8(output.stdout).expect("an answer in UTF-8"));
    assert!(keys.values().all(|key| !answer.body.contains(key.as_str())), "{line}: the answer repeats a key");
    answer
}
