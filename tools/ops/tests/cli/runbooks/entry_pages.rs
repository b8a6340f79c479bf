//! README and the three entry pages: each block of shell commands runs as it stands, or says here why not.

use std::os::unix::fs::symlink;
use std::path::Path;

use super::page::{parse, read};
use super::rehearsal::Rehearsal;

/// Pages whose commands are run.
const PAGES: [&str; 4] =
    ["README.md", "shared/docs/clients.md", "shared/docs/operators.md", "shared/docs/developers.md"];

/// First lines of blocks that are not run here, each with the reason.
const NOT_RUN: [(&str, &str); 10] = [
    ("cargo run", "starts the local stack: this test has its own, and tools/ci/smoke starts the program"),
    ("cargo install --path tools/ops", "installs the program with which this test runs the other commands"),
    ("tools/ci/build dev", "needs an account: tools/ci/deployment deploys into moto"),
    ("cargo test", "runs this test"),
    ("npx openapi-typescript shared/docs/openapi.json --output api.ts", "needs npm and pip: tools/ci/clients has them"),
    ("cargo invoke users get_me", "tools/local/tests/program/invoke.rs runs the same"),
    (
        "bash tools/ci/fuzz 600 gateway values",
        "needs cargo-fuzz, and runs for twenty minutes: the nightly run does the same",
    ),
    ("cargo run -- --dynamodb-port 8000 --no-mailer", "tools/ci/lambda starts the same"),
    (
        "export AWS_REGION=eu-west-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local",
        "tools/ci/lambda does the same",
    ),
    (
        "cargo lambda invoke --invoke-address 127.0.0.1 users --data-file events/users/get_me.json",
        "needs cargo-lambda: tools/ci/lambda sends every event",
    ),
];

/// Origin of the local stack in the pages.
const ORIGIN: &str = "http://127.0.0.1:3000";
/// Value in the pages that the reader puts in.
const PLACEHOLDER: &str = "=…";

/// Returns the blocks of shell commands of a page.
fn blocks(page: &str) -> Vec<String> {
    parse(page).into_iter().map(|command| command.text).filter(|text| text.ends_with('\n')).collect()
}

/// Returns the first line of a block.
fn first_line(block: &str) -> &str {
    block.lines().next().unwrap_or_default()
}

fn is_run(block: &str) -> bool {
    !NOT_RUN.iter().any(|(line, _)| *line == first_line(block))
}

/// Returns a block with the values of this stack in the places that the reader fills in.
fn with_values(rehearsal: &Rehearsal, block: &str) -> String {
    let origin = rehearsal.stack.base_url().replace("/api/v2", "");
    let key = format!("KEY={}", rehearsal.key("ORG_ADMIN"));
    let url = format!("AWS_ENDPOINT_URL_DYNAMODB={}", rehearsal.stack.dynamodb_url());
    let block = block.replace(ORIGIN, &origin).replace("KEY=…", &key).replace("AWS_ENDPOINT_URL_DYNAMODB=…", &url);
    assert!(!block.contains(PLACEHOLDER), "no value is known for a placeholder: {block}");
    block
}

/// Runs the blocks of a page in one shell, from top to bottom, and returns what they print.
async fn run_page(page: &str) -> String {
    let rehearsal = Rehearsal::of_other_page().await;
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    symlink(repository.join("tools"), rehearsal.folder().join("tools")).expect("a link");
    let script: String =
        blocks(page).iter().filter(|block| is_run(block)).map(|block| with_values(&rehearsal, block)).collect();
    let printed = rehearsal.run(&script).expect_exit(0).stdout;
    rehearsal.end().await;
    printed
}

#[tokio::test(flavor = "multi_thread")]
async fn every_block_of_the_readme_and_of_the_entry_pages_runs_as_it_stands() {
    for path in PAGES {
        let page = read(path);
        let run = blocks(&page).iter().filter(|block| is_run(block)).count();
        if run == 0 {
            assert!(path.ends_with("developers.md"), "{path} has commands to run");
            continue;
        }
        let printed = Box::pin(run_page(&page)).await;
        assert!(!printed.contains("\"count\":0"), "{path} finds something: {printed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_fails_is_found() {
    let rehearsal = Rehearsal::of_other_page().await;
    for wrong in ["ops users find\n", "curl http://127.0.0.1:3000/api/v2/user/me\n", "ops import orgs missing.jsonl\n"]
    {
        let code = rehearsal.run(&with_values(&rehearsal, wrong)).code;
        assert_ne!(code, 0, "{wrong}");
    }
    rehearsal.end().await;
}

#[test]
fn each_exception_is_a_block_of_a_page() {
    let blocks: Vec<_> = PAGES.iter().flat_map(|path| blocks(&read(path))).collect();
    let is_known = |line: &str| blocks.iter().any(|block| first_line(block) == line);
    let stale: Vec<_> = NOT_RUN.iter().filter(|(line, _)| !is_known(line)).collect();
    assert!(stale.is_empty(), "{stale:?}");
}

#[test]
fn each_file_that_the_pages_link_to_exists() {
    for path in PAGES.into_iter().chain(["shared/docs/api.md"]) {
        let folder = Path::new(path).parent().expect("a folder");
        let page = read(path);
        let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.starts_with("http")) {
            let file = target.split('#').next().expect("a path");
            let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder).join(file);
            assert!(found.exists(), "{path} links to {target}");
        }
    }
}
