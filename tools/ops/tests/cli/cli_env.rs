//! Environment of a test: a database in memory, a folder, and the binary that runs in them.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use aws_types::SdkConfig;
use presence_local::embedded::{EmbeddedDynamo, in_process_client};
use presence_runtime::config::Config;
use presence_store::Database;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;
use tempfile::TempDir;

/// Items of a `BatchWriteItem`: the limit of `DynamoDB`.
const BATCH: usize = 25;
/// Setting of a process that needs no certificates. Most of a start goes to reading those of the system.
pub(super) const NO_CERTIFICATES: (&str, &str) = ("SSL_CERT_FILE", "/dev/null");

/// Item of a table.
pub(super) type Item = HashMap<String, AttributeValue>;

/// Database in memory behind a server, and a temporary folder. Dropping it stops the server.
pub(super) struct CliEnv {
    pub(super) address: SocketAddr,
    dynamo: EmbeddedDynamo,
    folder: TempDir,
}

/// Exit code and output of a run of the binary.
pub(super) struct CliOutput {
    pub(super) code: i32,
    pub(super) stdout: String,
    /// First line of stderr of a command that writes: the place where it writes.
    pub(super) target: Option<String>,
    /// Rest of stderr.
    pub(super) stderr: String,
}

impl CliOutput {
    /// Parses the last line of stdout as JSON.
    pub(super) fn json(&self) -> Value {
        let last = self.stdout.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {last:?}, stderr: {}", self.stderr))
    }

    /// Parses each line of stdout as JSON.
    pub(super) fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// Returns the error on the last line of stderr, as `--json` writes it.
    pub(super) fn json_error(&self) -> Value {
        let last = self.stderr.lines().last().unwrap_or_default();
        let mut error: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {}", self.stderr));
        error["error"].take()
    }

    /// Returns the output. Panics if the run ended with another exit code.
    pub(super) fn expect_exit(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }
}

impl From<Output> for CliOutput {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the binary writes UTF-8");
        let code = output.status.code().expect("the binary ends by itself");
        let mut stderr = text(output.stderr);
        let is_target = |line: &str| line.starts_with("endpoint ") || line.starts_with("account ");
        let target = stderr.lines().next().filter(|line| is_target(line)).map(str::to_owned);
        if let Some(target) = &target {
            stderr.drain(..=target.len());
        }
        Self { code, stdout: text(output.stdout), target, stderr }
    }
}

impl CliEnv {
    /// Returns an environment without tables.
    pub(super) fn without_tables() -> Self {
        let dynamo = EmbeddedDynamo::start(0, None).expect("a database in memory");
        let address = dynamo.endpoint_url().trim_start_matches("http://").parse().expect("an address");
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { address, dynamo, folder }
    }

    /// Returns an environment with empty tables.
    pub(super) fn new() -> Self {
        let env = Self::without_tables();
        let database = Database::new(&env.sdk_config(), Config::DEFAULT_TABLE_PREFIX);
        block_on(database.create_tables()).expect("the tables are created");
        env
    }

    /// Runs `ops` with these arguments.
    pub(super) fn run(&self, arguments: &str) -> CliOutput {
        self.command(arguments).stdin(Stdio::null()).output().expect("the binary runs").into()
    }

    /// Runs `ops` as an operator with keys of AWS, in the region `eu-west-3`, with this endpoint of STS.
    pub(super) fn run_signed_in(&self, arguments: &str, sts: &str) -> CliOutput {
        let mut command = self.command(arguments);
        command.env("AWS_ACCESS_KEY_ID", "OFADA").env("AWS_SECRET_ACCESS_KEY", "s").env("AWS_REGION", "eu-west-3");
        command.env("AWS_ENDPOINT_URL_STS", sts).output().expect("the binary runs").into()
    }

    /// Runs `ops` with these arguments and this standard input.
    pub(super) fn run_with_stdin(&self, arguments: &str, input: &[u8]) -> CliOutput {
        let piped = self.command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = piped.expect("the binary runs");
        child.stdin.take().expect("stdin is piped").write_all(input).expect("the binary reads its input");
        child.wait_with_output().expect("the binary ends").into()
    }

    /// Runs `ops` with these arguments on a terminal of its own, and types the answer once a question is there. Returns the exit
    /// code and the text on the terminal.
    pub(super) fn run_on_terminal(&self, arguments: &str, answer: &str) -> (i32, String) {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a terminal that can be opened");
        let name = ptsname(&terminal, Vec::new()).expect("the terminal has a name").into_string().expect("text");
        let other_end = || Stdio::from(File::options().read(true).write(true).open(&name).expect("the other end"));
        // The command holds the other end, and is dropped at once: reading ends when the binary ends.
        let mut child = self
            .command(arguments)
            .env("TERM", "xterm")
            .stdin(other_end())
            .stderr(other_end())
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let (mut terminal, mut screen) = (File::from(terminal), String::new());
        let (mut bytes, mut is_answered) = ([0; 1_024], false);
        while let Ok(length @ 1..) = terminal.read(&mut bytes) {
            screen.push_str(&String::from_utf8_lossy(&bytes[..length]));
            if !is_answered && screen.contains("[y/N]") {
                terminal.write_all(format!("{answer}\r").as_bytes()).expect("the binary reads its terminal");
                is_answered = true;
            }
        }
        (child.wait().expect("it ends").code().expect("the binary ends by itself"), screen)
    }

    /// Reads a file of the folder.
    pub(super) fn read_file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect("the file")
    }

    /// Returns the path of a file of the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// True if the folder has the file.
    pub(super) fn has_file(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }

    /// Deletes a file of the folder.
    pub(super) fn remove_file(&self, name: &str) {
        fs::remove_file(self.folder.path().join(name)).expect("the file");
    }

    /// Returns the URL of the database.
    pub(super) fn url(&self) -> String {
        self.dynamo.endpoint_url()
    }

    /// Returns the command `ops` with these arguments, in the folder. Its environment has the endpoint, and no
    /// certificates.
    pub(super) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ops"));
        command.args(arguments.split_whitespace()).current_dir(self.folder.path()).env_clear();
        command.envs([NO_CERTIFICATES]).env("AWS_ENDPOINT_URL_DYNAMODB", self.url());
        command
    }

    /// Creates a user and returns its id. Creates its organisation, too, if there is none.
    pub(super) fn create_user(&self, email: &str, options: &str) -> String {
        if let Some((_, org)) = options.split_once("--org-id ") {
            let org = org.split(' ').next().unwrap_or_default();
            let is_listed = |line: &str| line.starts_with(&format!("{{\"id\":{org},"));
            if !self.run("orgs list --json").expect_exit(0).stdout.lines().any(is_listed) {
                let row = format!("{{\"id\": {org}, \"name\": \"Fast Retailer\"}}");
                self.run_with_stdin("import orgs -", row.as_bytes()).expect_exit(0);
            }
        }
        let arguments = format!("user create --email {email} --first-name Zoe --last-name Martin {options}");
        self.run(&arguments).expect_exit(0).stdout.trim_end().to_owned()
    }

    /// Writes a file in the folder.
    pub(super) fn write_file(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(name), content).expect("the folder can be written");
    }

    /// Reads a file of rejected rows: line number, reason and row. Returns `None` if there is no file.
    pub(super) fn rejected_rows(&self, name: &str) -> Option<Vec<(u64, String, String)>> {
        let text = fs::read_to_string(self.folder.path().join(name)).ok()?;
        let rows = text.lines().map(|line| {
            let row: Value = serde_json::from_str(line).expect("a rejected row is JSON");
            let text = |name: &str| row[name].as_str().expect("text").to_owned();
            (row["line"].as_u64().expect("a number"), text("reason"), text("row"))
        });
        Some(rows.collect())
    }

    /// Returns every item of a table.
    pub(super) fn scan(&self, table: &str) -> Vec<Item> {
        block_on(async {
            let client = self.client();
            let (mut items, mut start) = (Vec::new(), None);
            loop {
                let page = client.scan().table_name(table).set_exclusive_start_key(start).send().await.expect("a scan");
                items.extend(page.items.unwrap_or_default());
                start = page.last_evaluated_key;
                if start.is_none() {
                    return items;
                }
            }
        })
    }

    /// Writes an item.
    pub(super) fn put_item(&self, table: &str, item: Item) {
        block_on(async {
            self.client().put_item().table_name(table).set_item(Some(item)).send().await.expect("a put")
        });
    }

    /// Writes items without requests: streams do not tell of them, and no size is checked.
    pub(super) fn put_items(&self, table: &str, items: Vec<Item>) {
        self.dynamo.import(table, items).expect("the database takes every item");
    }

    /// Deletes an item.
    pub(super) fn delete_item(&self, table: &str, item: &Item) {
        let key = ["pk", "sk"].into_iter().map(|name| (name.to_owned(), item[name].clone())).collect();
        block_on(async {
            self.client().delete_item().table_name(table).set_key(Some(key)).send().await.expect("a delete")
        });
    }

    /// Deletes a table.
    pub(super) fn delete_table(&self, table: &str) {
        block_on(async { self.client().delete_table().table_name(table).send().await.expect("a deletion") });
    }

    /// Returns the configuration of a client of the database.
    pub(super) fn sdk_config(&self) -> SdkConfig {
        in_process_config(&self.url())
    }

    fn client(&self) -> Client {
        Client::new(&self.sdk_config())
    }
}

/// Returns the configuration of a client of an embedded database, whose calls take no HTTP.
pub(super) fn in_process_config(url: &str) -> SdkConfig {
    presence_local::sdk_config(url).into_builder().http_client(in_process_client()).build()
}

/// Writes items, in batches.
pub(super) async fn put_all(client: &Client, table: &str, items: &[Item]) {
    let put = |item: &Item| {
        let put = PutRequest::builder().set_item(Some(item.clone())).build().expect("an item");
        WriteRequest::builder().put_request(put).build()
    };
    for items in items.chunks(BATCH) {
        let batch = client.batch_write_item().request_items(table, items.iter().map(put).collect());
        let written = batch.send().await.expect("a batch");
        assert!(written.unprocessed_items.is_none_or(|rest| rest.is_empty()), "the database takes every item");
    }
}

/// Runs a future to its end.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(future)
}
