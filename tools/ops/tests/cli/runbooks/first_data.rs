//! "First deployment": imports, the first user, its key, and the first calls.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use jiff::SignedDuration;
use presence_local::Options;

use super::rehearsal::Rehearsal;

#[tokio::test(flavor = "multi_thread")]
async fn empty_tables_get_their_first_data_and_the_first_key_works() {
    let prefix = "presence-dev-".to_owned();
    let options = Options { table_prefix: prefix, mailer: true, publisher: true, ..Options::default() };
    let rehearsal = Rehearsal::with("First deployment", options, SignedDuration::ZERO).await;
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["orgs.jsonl", "businesses.jsonl", "categories.jsonl"] {
        let sample = repository.join("tools/local/sample").join(name);
        fs::copy(sample, rehearsal.folder().join(name)).expect("a file of the sample");
    }
    symlink(repository.join("tools"), rehearsal.folder().join("tools")).expect("a link");
    rehearsal.run("cargo ops doctor").expect_exit(1);

    let block = rehearsal.command("export AWS_REGION");
    let url = rehearsal.stack.base_url();
    let first_call = rehearsal.command("curl -H").replace("BASE_URL", &url);
    let calls = rehearsal.command("PRESENCE_KEY=$KEY").replace("BASE_URL", &url);
    let output = rehearsal.run(&format!("{block}{first_call}\n{calls}")).expect_exit(0).stdout;
    assert!(output.contains(r#""email":"ada@example.org""#) && output.contains(r#""role":"PROVIDER""#), "{output}");
    assert!(output.contains("25 calls are answered as expected\n"), "{output}");
    assert!(output.contains("the mail was sent\n"), "{output}");

    // Tables exist already: the command that the page forbids changes nothing.
    rehearsal.follow("cargo ops tables create", &[]).expect_exit(0);
    rehearsal.follow("cargo ops users audit", &[]).expect_exit(0);
    rehearsal.end().await;
}
