//! `cargo invoke`: runs one event of `events/`, or one request, through its function in this process.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use aws_smithy_types::timeout::TimeoutConfig;
use clap::Parser;
use jiff::{SignedDuration, Timestamp};
use presence_domain::suggestion::suggest;
use presence_domain::user::Role;
use presence_local::replay::{self, Event, FUNCTIONS};
use presence_local::{Options, Stack};
use presence_runtime::clock::{Deadline, ManualClock};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName};
use reqwest::{Client, Method};

/// Instant at which the tests start the stack of the replay.
const START: &str = "2026-03-01T12:00:00Z";
/// Time limit of the function and of its calls, which a busy machine does not reach.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Folder of the events.
const EVENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events");
/// Header with the key.
const KEY: HeaderName = HeaderName::from_static("x-api-key");

const EXAMPLES: &str = "\
The tables are those of the sample. Before an event, those before it in the order of
the tests run, so that its answer is the one in events/expected. Exit code 1 if it
differs, 2 if there is no such event.

The answers of mailer, auditor, publisher, deliverer and ingest are not compared: the
tests prepare more for them. What they sent or wrote beside the tables is printed,
too. Before those of the mailer run those of users, which fill its outbox.

Examples:
  cargo invoke users get_me
  cargo invoke mailer sweep
  cargo invoke --http 'GET /api/v2/user/me'
  cargo invoke --http 'POST /api/v2/user/1005/invite' --role PROVIDER";

/// Runs one event of `events/`, or one request, through its function in this process, and prints the answer
#[derive(Debug, Parser)]
#[command(name = "cargo invoke", version, after_help = EXAMPLES)]
struct Args {
    /// Function of the event, a folder of events/
    #[arg(required_unless_present = "http")]
    function: Option<String>,
    /// Name of the event, a file of the folder
    event: Option<String>,
    /// Send this request to the gateway in the place of an event: 'METHOD PATH'
    #[arg(long, value_name = "REQUEST", conflicts_with = "function")]
    http: Option<String>,
    /// Header of the request, 'NAME: VALUE'; one with a key replaces that of the role
    #[arg(short = 'H', long = "header", value_name = "HEADER", requires = "http")]
    headers: Vec<String>,
    /// Body of the request, JSON unless a header says otherwise
    #[arg(short = 'd', long = "data", value_name = "BODY", requires = "http")]
    body: Option<String>,
    /// Role of the sample's user whose key is sent
    #[arg(long, requires = "http", default_value = "ORG_ADMIN", value_parser = Role::ALL.map(Role::as_str))]
    role: String,
    /// Folder of the events and of the expected answers
    #[arg(long, value_name = "DIR", default_value = EVENTS, hide_default_value = true)]
    events: PathBuf,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.http {
        Some(request) => send(request, &args).await.map(|()| ExitCode::SUCCESS),
        None => invoke(&args).await,
    };
    done.unwrap_or_else(|error| {
        say(&format!("error: {error:#}"));
        ExitCode::FAILURE
    })
}

/// Writes a message to standard error.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Writes an answer to standard output.
fn print(text: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "{text}").context("cannot write the answer")
}

/// Returns a clock, so many hours after the start of the tests.
fn clock_after(hours: usize) -> anyhow::Result<Arc<ManualClock>> {
    let start: Timestamp = START.parse()?;
    Ok(Arc::new(ManualClock::at(start + SignedDuration::from_hours(i64::try_from(hours)?))))
}

/// Starts a stack with the sample.
async fn start(clock: Arc<ManualClock>) -> anyhow::Result<Stack> {
    let timeouts = TimeoutConfig::builder().operation_attempt_timeout(TIMEOUT).operation_timeout(TIMEOUT).build();
    let options =
        Options { sample: true, clock, timeouts: Some(timeouts), function_timeout: TIMEOUT, ..Options::default() };
    Box::pin(Stack::start(options)).await
}

/// Runs an event, and compares its answer with the expected one.
async fn invoke(args: &Args) -> anyhow::Result<ExitCode> {
    let sent = args.function.as_deref().unwrap_or_default();
    let Some(at) = FUNCTIONS.iter().position(|function| *function == sent) else {
        return Ok(unknown("function", sent, &FUNCTIONS.map(str::to_owned)));
    };
    let mut events = replay::events_of(&args.events, FUNCTIONS[at])?;
    let name = args.event.as_deref().unwrap_or_default();
    let Some(position) = events.iter().position(|event| event.name == name) else {
        let names: Vec<_> = events.into_iter().map(|event| event.name).collect();
        return Ok(unknown(&format!("event of {sent}"), name, &names));
    };
    events.truncate(position + 1);
    let (clock, before) = match FUNCTIONS[at] {
        "mailer" => (clock_after(at)?, replay::events_of(&args.events, "users")?),
        _ => (clock_after(at + 1)?, Vec::new()),
    };
    let stack = start(Arc::clone(&clock)).await?;
    let answer = answer_last(&stack, &before, &events, &clock).await;
    let is_compared = stack.function(sent).is_some();
    stack.stop().await;
    if is_compared {
        return compare(&args.events, sent, name, answer?);
    }
    print(&serde_json::to_string_pretty(&answer?)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs events in order, those of another function an hour before. Returns the answer of the last one.
async fn answer_last(
    stack: &Stack,
    before: &[Event],
    events: &[Event],
    clock: &ManualClock,
) -> anyhow::Result<serde_json::Value> {
    for event in before {
        answer(stack, event).await?;
    }
    if !before.is_empty() {
        clock.advance(SignedDuration::from_hours(1));
    }
    let mut last = serde_json::Value::Null;
    for event in events {
        last = answer(stack, event).await?;
    }
    Ok(last)
}

/// Runs an event through its function.
async fn answer(stack: &Stack, event: &Event) -> anyhow::Result<serde_json::Value> {
    let answer = match stack.function(event.function) {
        Some(function) => replay::answer(function, &event.document).await.map_err(anyhow::Error::from),
        None => Box::pin(replay::answer_in_background(stack, event, Deadline::after(TIMEOUT))).await,
    };
    answer.with_context(|| event.name.clone())
}

/// Prints an answer, and its differences from the expected one.
fn compare(events: &Path, function: &str, name: &str, answer: serde_json::Value) -> anyhow::Result<ExitCode> {
    print(&serde_json::to_string_pretty(&answer)?)?;
    let expected = replay::expected(events, function, name)?;
    let differences = replay::differences(&expected, &replay::comparable(function, name, answer));
    if differences.is_empty() {
        say(&format!("as events/expected/{function}/{name}.snap has it"));
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!("differs from events/expected/{function}/{name}.snap:\n  {}", differences.join("\n  ")));
    Ok(ExitCode::FAILURE)
}

/// Says that there is no such name, which one was probably meant, and which there are.
fn unknown(kind: &str, sent: &str, names: &[String]) -> ExitCode {
    // The names live as long as this program, which ends now.
    let known: Vec<&'static str> = names.iter().map(|name| &*name.clone().leak()).collect();
    let meant = suggest(sent, &known).map_or_else(String::new, |name| format!(" Did you mean {name}?"));
    say(&format!("error: there is no {kind} {sent:?}.{meant} There are:\n  {}", names.join("\n  ")));
    ExitCode::from(2)
}

/// Sends a request to the gateway, and prints the answer: status and headers to standard error, the body to standard output.
async fn send(request: &str, args: &Args) -> anyhow::Result<()> {
    let (method, path) = request.trim().split_once(' ').context("--http takes 'METHOD PATH'")?;
    let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes())?;
    let mut headers = HeaderMap::new();
    for header in &args.headers {
        let (name, value) =
            header.split_once(':').with_context(|| format!("-H takes 'NAME: VALUE', not {header:?}"))?;
        headers.append(name.trim().parse::<HeaderName>()?, value.trim().parse()?);
    }
    let stack = start(clock_after(0)?).await?;
    if !headers.contains_key(KEY) && !headers.contains_key(AUTHORIZATION) {
        headers.insert(KEY, stack.keys()[args.role.as_str()].parse()?);
    }
    if args.body.is_some() && !headers.contains_key(CONTENT_TYPE) {
        headers.insert(CONTENT_TYPE, "application/json".parse()?);
    }
    let url = format!("{}{}", stack.home_url().trim_end_matches('/'), path.trim());
    let request = Client::new().request(method, url).headers(headers).body(args.body.clone().unwrap_or_default());
    let answer = request.send().await.context("the gateway does not answer")?;
    say(&format!("{:?} {}", answer.version(), answer.status()));
    answer
        .headers()
        .iter()
        .for_each(|(name, value)| say(&format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()))));
    let body = answer.text().await?;
    let json = serde_json::from_str::<serde_json::Value>(&body);
    print(&json.map_or(Ok(body), |json| serde_json::to_string_pretty(&json))?)?;
    stack.stop().await;
    Ok(())
}
