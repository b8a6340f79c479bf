//! Rehearsal of a runbook: a local stack, and a shell that runs the commands of one section of the page.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use presence_local::{DemoKeys, DynamoDb, Options, Stack};
use presence_runtime::clock::{Clock as _, ManualClock, SystemClock};
use presence_runtime::config::Config;
use reqwest::{Client, Method};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use super::log;
use super::page::section;
use crate::cli_env::{CliOutput, NO_CERTIFICATES};

/// Part of every password of the rehearsals. No output may have it.
pub(super) const PASSWORD: &str = "canary-pass-1";
/// Start of every key.
const KEY: &str = "pk_";
/// Commands that print a new key, once.
const PRINT_KEYS: [&str; 2] = ["key issue", "key rotate"];

/// Bytes of tables with the sample data, and the demo keys. A copy takes a tenth of the time of the sample.
static SAMPLE: OnceCell<(Vec<u8>, DemoKeys)> = OnceCell::const_new();

/// Local stack of a rehearsal, and the runs so far.
pub(super) struct Rehearsal {
    pub(super) stack: Stack,
    /// Clock of the functions.
    pub(super) clock: Arc<ManualClock>,
    heading: &'static str,
    folder: TempDir,
    prefix: String,
    keys: DemoKeys,
    client: Client,
    runs: RefCell<Vec<(String, String)>>,
    followed: RefCell<BTreeSet<&'static str>>,
}

/// Status and body of an answer, the id of its request, and its `Retry-After` in seconds.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) text: String,
    pub(super) request_id: String,
    pub(super) retry_after: Option<u64>,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl Rehearsal {
    /// Starts a stack with the sample data, whose functions have the machine's time.
    pub(super) async fn of(heading: &'static str) -> Self {
        Self::with(heading, Options { sample: true, ..Options::default() }, SignedDuration::ZERO).await
    }

    /// Starts a stack with these options, whose functions lag behind the machine's time.
    pub(super) async fn with(heading: &'static str, options: Options, lag: SignedDuration) -> Self {
        assert!(!section(heading).is_empty(), "the page has commands under {heading:?}");
        Self::start(heading, options, lag).await
    }

    /// Starts a stack with the sample data for commands of other pages.
    pub(super) async fn of_other_page() -> Self {
        Self::start("", Options { sample: true, ..Options::default() }, SignedDuration::ZERO).await
    }

    async fn start(heading: &'static str, options: Options, lag: SignedDuration) -> Self {
        log::capture();
        // The saved sample has the machine's time and the usual names, and no background reader may follow its streams.
        let is_usual = !options.mailer && !options.publisher && options.table_prefix == Config::DEFAULT_TABLE_PREFIX;
        let saved = if options.sample && lag.is_zero() && is_usual {
            Some(SAMPLE.get_or_init(|| Box::pin(save_sample())).await)
        } else {
            None
        };
        let clock = Arc::new(ManualClock::at(SystemClock.now() - lag));
        let prefix = options.table_prefix.clone();
        let sample = options.sample && saved.is_none();
        let options = Options { clock: Arc::clone(&clock) as _, sample, ..options };
        let stack = Stack::start(options).await.expect("a stack");
        let folder = tempfile::tempdir().expect("a folder");
        if let Some((tables, _)) = saved {
            restore(&stack, tables, folder.path());
        }
        let keys = saved.map_or(stack.keys(), |(_, keys)| keys).clone();
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).expect("a folder");
        let ops = env!("CARGO_BIN_EXE_ops");
        write_script(&programs.join("ops"), &format!("exec {ops} \"$@\""));
        write_script(&programs.join("cargo"), &format!("[ \"$1\" = ops ] || exit 99\nshift\nexec {ops} \"$@\""));
        write_script(&programs.join("aws"), "echo \"$*\" >>aws.log");
        // A status of 400 or more ends a script; the stack is behind no proxy.
        write_script(&programs.join("curl"), "exec /usr/bin/curl --silent --fail-with-body --noproxy '*' \"$@\"");
        let (runs, followed) = Default::default();
        let client = Client::builder().no_proxy().build().expect("a client");
        Self { stack, clock, heading, folder, prefix, keys, client, runs, followed }
    }

    /// Returns the folder of the commands.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the instant of the functions.
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the command of the section that begins with this text, as it stands in the page.
    #[track_caller]
    pub(super) fn command(&self, start: &str) -> &'static str {
        let found = section(self.heading).into_iter().find(|text| text.starts_with(start));
        let found = found.unwrap_or_else(|| panic!("{:?} has no command {start:?}", self.heading));
        self.followed.borrow_mut().insert(found);
        found
    }

    /// Returns the command of the section that is this text.
    #[track_caller]
    pub(super) fn command_exactly(&self, command: &str) -> &'static str {
        let found = section(self.heading).into_iter().find(|text| *text == command);
        let found = found.unwrap_or_else(|| panic!("{:?} has no command {command:?}", self.heading));
        self.followed.borrow_mut().insert(found);
        found
    }

    /// Runs a command of the section, with values for its placeholders.
    #[track_caller]
    pub(super) fn follow(&self, start: &str, values: &[(&str, &str)]) -> CliOutput {
        let mut text = self.command(start).to_owned();
        for (placeholder, value) in values {
            assert!(text.contains(placeholder), "{text} has no {placeholder}");
            text = text.replace(placeholder, value);
        }
        self.run(&text)
    }

    /// Runs shell commands in the folder, where `ops` is the binary under test.
    pub(super) fn run(&self, commands: &str) -> CliOutput {
        let mut shell = Command::new("sh");
        shell.args(["-euc", commands]).current_dir(self.folder()).env_clear().envs([NO_CERTIFICATES]);
        shell.env("PATH", format!("{}/programs:/usr/local/bin:/usr/bin:/bin", self.folder().display()));
        shell.env("AWS_ENDPOINT_URL_DYNAMODB", self.stack.dynamodb_url()).env("TABLE_PREFIX", &self.prefix);
        let output = shell.output().expect("a shell");
        let text = [output.stdout.as_slice(), output.stderr.as_slice()].map(String::from_utf8_lossy).concat();
        self.runs.borrow_mut().push((commands.to_owned(), text));
        output.into()
    }

    /// Sends a request with a key, and a body unless it is null.
    pub(super) async fn send(&self, method: Method, path: &str, key: &str, body: &Value) -> Answer {
        self.send_to(&self.stack, method, path, key, body).await
    }

    async fn send_to(&self, stack: &Stack, method: Method, path: &str, key: &str, body: &Value) -> Answer {
        let url = format!("{}{path}", stack.base_url());
        let request = self.client.request(method, url).header("x-api-key", key);
        let request = if body.is_null() {
            request
        } else {
            request.header("content-type", "application/json").body(body.to_string())
        };
        let response = request.send().await.expect("the gateway answers");
        let status = response.status().as_u16();
        let id = response.headers()["x-request-id"].to_str().expect("text").to_owned();
        let retry_after = response.headers().get("retry-after");
        let retry_after = retry_after.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
        Answer { status, retry_after, text: response.text().await.expect("a body"), request_id: id }
    }

    /// Sends a GET request with a key to other instances of the functions, which remember nothing.
    pub(super) async fn get_cold(&self, path: &str, key: &str) -> Answer {
        let dynamodb = DynamoDb::Endpoint(self.stack.dynamodb_url().to_owned());
        let cold = Stack::start(Options { dynamodb, table_prefix: self.prefix.clone(), ..Options::default() });
        let cold = cold.await.expect("a second stack");
        let answer = self.send_to(&cold, Method::GET, path, key, &Value::Null).await;
        cold.stop().await;
        answer
    }

    /// Sends a GET request with a key.
    pub(super) async fn get(&self, path: &str, key: &str) -> Answer {
        self.send(Method::GET, path, key, &Value::Null).await
    }

    /// Sends a POST request with a key and a body.
    pub(super) async fn post(&self, path: &str, key: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, key, body).await
    }

    /// Returns the demo key of a role.
    pub(super) fn key(&self, role: &str) -> &str {
        &self.keys[role]
    }

    /// Checks that the service is healthy, that every `ops` command of the section was run, and that no output has a secret.
    pub(super) async fn end(self) {
        self.run("ops doctor && ops users audit && ops reviews audit").expect_exit(0);
        let followed = self.followed.take();
        let is_left_out = |text: &&str| text.contains("ops ") && !followed.contains(text);
        let left_out = section(self.heading).into_iter().filter(is_left_out);
        assert_eq!(left_out.collect::<Vec<_>>(), Vec::<&str>::new(), "not rehearsed: {}", self.heading);
        let mut secrets = vec![PASSWORD.to_owned(), "$argon2".to_owned(), KEY.to_owned()];
        secrets.extend(self.stack.mailbox().mails().into_iter().flat_map(|mail| mail.links));
        for (command, output) in self.runs.borrow().iter() {
            let prints_key = PRINT_KEYS.iter().any(|print| command.contains(print)) && !command.contains("KEY=$(");
            for secret in secrets.iter().filter(|secret| *secret != KEY || !prints_key) {
                assert!(!output.contains(secret), "{command} prints {secret}: {output}");
            }
        }
        self.stack.stop().await;
    }
}

/// Replaces the empty tables of a stack by saved ones.
fn restore(stack: &Stack, tables: &[u8], folder: &Path) {
    let file = folder.join("sample.sqlite");
    fs::write(&file, tables).expect("a file");
    assert!(stack.restore_tables_if_empty(&file).expect("the saved tables"), "the tables were empty");
    fs::remove_file(file).expect("the file");
}

async fn save_sample() -> (Vec<u8>, DemoKeys) {
    let stack = Stack::start(Options { sample: true, ..Options::default() }).await.expect("a stack");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sample.sqlite");
    stack.save_tables(&file).expect("the tables can be saved");
    let keys = stack.keys().clone();
    stack.stop().await;
    (fs::read(file).expect("the saved tables"), keys)
}

fn write_script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a script that runs");
}
