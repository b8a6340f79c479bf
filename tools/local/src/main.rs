//! `cargo run`: starts the local stack.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, value_parser};
use mimalloc::MiMalloc;
use presence_domain::rate_limit::{MAX_REQUESTS_PER_MINUTE, RateLimit};
use presence_local::{AwsLimits, DemoKeys, DynamoDb, Options, SAMPLE_CALLS, Stack, first_key, terminal_log};
use presence_runtime::config::{Config, ConfigError};
use presence_runtime::local_stack::{RunningStack, StackFile};
use presence_runtime::sign_in_url::SignInUrl;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

/// The embedded database and the SDK allocate much: a request of `tools/ci/load` takes a fifth less CPU with this allocator than with that of glibc.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Time between two folds. The auditor on AWS folds every five minutes. Here a key has no limit, and searches read each change of a review until
/// it is folded.
const FOLD_INTERVAL: Duration = Duration::from_secs(10);

/// Runs the whole of presence in this process: the functions behind a gateway, on an embedded DynamoDB
#[derive(Debug, Parser)]
#[command(name = "presence-local", version)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Args {
    /// Port of the gateway on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = 3000)]
    port: u16,
    /// Port of the embedded DynamoDB, for any AWS client; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    dynamodb_port: u16,
    /// Keep the data in this folder (default: in memory)
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Use this DynamoDB endpoint in the place of the embedded one
    #[arg(long, value_name = "URL", conflicts_with_all = ["dynamodb_port", "data"])]
    dynamodb_url: Option<String>,
    /// Give DynamoDB the limits of AWS; SETTINGS are any of seed=N,table-writes=4000,table-reads=12000,latency-ms=3,lag-ms=20
    #[arg(long, value_name = "SETTINGS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    aws_limits: Option<AwsLimits>,
    /// Allow each key N requests a minute; keys with a limit of their own keep it (default: 0, no limit)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    #[arg(value_parser = value_parser!(u32).range(..=i64::from(MAX_REQUESTS_PER_MINUTE)))]
    rate_limit: u32,
    /// Watch DIR/inbox for files of reviews, in the place of S3; reports go to DIR/rejected and DIR/done
    #[arg(long, value_name = "DIR")]
    inbox: Option<PathBuf>,
    /// Let the page after an invitation link to this page, where users sign in
    #[arg(long, value_name = "URL", value_parser = sign_in_url)]
    sign_in_url: Option<SignInUrl>,
    /// Create the tables, but load no sample data and make no keys
    #[arg(long)]
    empty: bool,
    /// Make the keys of the sample's users afresh (default: those in events/, the same at every start)
    #[arg(long, conflicts_with = "empty")]
    random_keys: bool,
    /// Has no effect: the former name of the default
    #[arg(long, hide = true, conflicts_with_all = ["empty", "random_keys"])]
    fixed_sample: bool,
    /// Leave the outbox to a mailer that you run yourself
    #[arg(long)]
    no_mailer: bool,
    /// Leave replies to reviews to a connector that you run yourself
    #[arg(long)]
    no_partners: bool,
    /// Tell the endpoint at this URL of all events of the sample's organisation, by a webhook
    #[arg(long, value_name = "URL", conflicts_with = "empty")]
    forward_events: Option<String>,
    /// Once ready, print one line of JSON
    #[arg(long)]
    json: bool,
    /// Form of the log on standard error (default: text on a terminal, else json)
    #[arg(long, value_name = "FORM")]
    log: Option<LogForm>,
}

/// Form of the log.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum LogForm {
    /// JSON lines, as the functions write them on AWS
    Json,
    /// One readable line for each request
    Text,
}

impl LogForm {
    /// Returns the form that suits standard error.
    fn of_stderr() -> Self {
        if std::io::stderr().is_terminal() { Self::Text } else { Self::Json }
    }

    /// Starts the log of this process.
    fn init(self) {
        match self {
            Self::Json => terminal_log::init_json(),
            Self::Text => terminal_log::init(),
        }
    }
}

/// Parses the value of `--sign-in-url`.
fn sign_in_url(text: &str) -> Result<SignInUrl, ConfigError> {
    SignInUrl::parse(text)?.ok_or(ConfigError::new("the URL is empty"))
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    args.log.unwrap_or_else(LogForm::of_stderr).init();
    // On the heap, because the future is large.
    match Box::pin(run(args)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line with all causes: a backtrace would hide it.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> anyhow::Result<()> {
    let json = args.json;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stack = tokio::select! {
        stack = Stack::start(args.into()) => stack?,
        _ = interrupt.recv() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    if let Some(limits) = stack.limits() {
        let _ = writeln!(std::io::stderr(), "the limits of AWS are on: --aws-limits={}", limits.settings());
    }
    let _file = stack_file(&stack);
    if let Some(secret) = stack.forwarding_secret() {
        let _ = writeln!(std::io::stderr(), "the webhook of --forward-events signs with {secret}");
    }
    let text = if json { summary(&stack).to_string() } else { welcome(&stack) };
    // One write: where stdout and stderr are one file, no line of the log comes between its lines. A closed pipe is no reason to stop:
    // the stack serves without its output.
    let _ = std::io::stdout().write_all(format!("{text}\n").as_bytes());
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    stack.stop().await;
    Ok(())
}

/// Writes the file by which `ops --local` finds the stack. Without it, the stack serves as well.
fn stack_file(stack: &Stack) -> Option<StackFile> {
    let Config { audit_table, reviews_table, .. } = Config::from_env();
    let running = RunningStack {
        base_url: stack.base_url(),
        dynamodb_url: stack.dynamodb_url().to_owned(),
        table_prefix: stack.stores().database.prefix().to_owned(),
        audit_table,
        reviews_table,
    };
    StackFile::write(&running).unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "warning: ops --local does not find this stack: {error}");
        None
    })
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let embedded = DynamoDb::Embedded { port: args.dynamodb_port, data: args.data };
        let Config { table_prefix, audit_table, reviews_table, events_table: _ } = Config::from_env();
        Self {
            port: args.port,
            dynamodb: args.dynamodb_url.map_or(embedded, DynamoDb::Endpoint),
            aws_limits: args.aws_limits,
            rate_limit: RateLimit::new(args.rate_limit),
            table_prefix,
            audit_table,
            reviews_table,
            sample: !args.empty,
            random_keys: args.random_keys,
            inbox: args.inbox,
            sign_in_url: args.sign_in_url,
            mailer: !args.no_mailer,
            publisher: true,
            fold_interval: Some(FOLD_INTERVAL),
            forward_events: args.forward_events,
            partners: !args.no_partners,
            keep_requests: true,
            ..Self::default()
        }
    }
}

fn summary(stack: &Stack) -> serde_json::Value {
    json!({
        "base_url": stack.base_url(),
        "home_url": stack.home_url(),
        "dynamodb_url": stack.dynamodb_url(),
        "mailbox_url": stack.mailbox_url(),
        "docs_url": stack.docs_url(),
        "reviews_url": stack.reviews_url(),
        "stats_url": stack.stats_url(),
        "events_url": stack.events_url(),
        "webhooks_url": stack.webhooks_url(),
        "replies_url": stack.replies_url(),
        "sqs_url": stack.sqs_url(),
        "keys": stack.keys(),
    })
}

fn welcome(stack: &Stack) -> String {
    let (base, home) = (stack.base_url(), stack.home_url());
    let mut lines = vec![
        "presence is ready. Ctrl-C stops it.".to_owned(),
        String::new(),
        format!("  Start     {home}"),
        format!("  Guide     {home}guide"),
        format!("  API       {base}"),
        format!("  Docs      {}", stack.docs_url()),
        format!("  Requests  {home}requests"),
        format!("  Tables    {home}tables"),
        format!("  Mailbox   {}", stack.mailbox_url()),
        format!("  Reviews   {}", stack.reviews_url()),
        format!("  Stats     {}", stack.stats_url()),
        format!("  Events    {}", stack.events_url()),
        format!("  Webhooks  {}", stack.webhooks_url()),
        format!("  DynamoDB  {}", stack.dynamodb_url()),
        String::new(),
    ];
    lines.extend(stack.keys().iter().map(|(role, key)| format!("  {role:<16}  {key}")));
    lines.extend(commands(stack.keys(), &base, stack.dynamodb_url(), &Config::from_env()));
    lines.join("\n")
}

/// Returns the commands to begin with. There are none for kept data from which the demo user of the calls was deleted.
fn commands(keys: &DemoKeys, base_url: &str, dynamodb_url: &str, tables: &Config) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(key) = keys.get("ORG_ADMIN") {
        lines.extend([String::new(), format!("  KEY={key}")]);
        lines.extend(SAMPLE_CALLS.iter().map(|call| format!("  {}", call.curl(base_url, "$KEY"))));
        lines.push(format!("  {} cargo ops users audit", first_key::variables(dynamodb_url, tables).join(" ")));
    } else if keys.is_empty() {
        lines.push("There are no keys yet. These commands make the first user and its key:".to_owned());
        lines.push(String::new());
        lines.extend(first_key::commands(dynamodb_url, tables).iter().map(|command| format!("  {command}")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options, clap::Error> {
        Args::try_parse_from(["presence-local"].iter().chain(arguments)).map(Options::from)
    }

    fn printed(roles: &[&'static str], tables: &Config) -> String {
        let keys: DemoKeys = roles.iter().map(|role| (*role, "pk".to_owned())).collect();
        commands(&keys, "http://base", "http://database", tables).join("\n")
    }

    #[test]
    fn commands_name_the_tables_of_the_stack() {
        let audit = "AWS_ENDPOINT_URL_DYNAMODB=http://database cargo ops users audit";
        assert!(printed(&["ORG_ADMIN"], &Config::of_prefix("presence-")).ends_with(audit));
        let (audit_table, reviews_table) = (Some("trail".to_owned()), Some("built".to_owned()));
        let others = Config { audit_table, reviews_table, ..Config::of_prefix("x-") };
        let audit = "http://database TABLE_PREFIX=x- AUDIT_TABLE=trail REVIEWS_TABLE=built cargo ops users audit";
        assert!(printed(&["ORG_ADMIN"], &others).ends_with(audit));
        let exports = "  export TABLE_PREFIX=x-\n  export AUDIT_TABLE=trail\n  export REVIEWS_TABLE=built\n";
        assert!(printed(&[], &others).contains(exports));
    }

    #[test]
    fn the_first_user_is_missing_only_if_there_are_no_keys() {
        let text = |roles: &[&'static str]| printed(roles, &Config::of_prefix("presence-"));
        assert!(text(&[]).starts_with("There are no keys yet."), "{}", text(&[]));
        assert!(text(&["PROVIDER", "ORG_ADMIN"]).starts_with("\n  KEY=pk\n  curl "), "the calls of an ORG_ADMIN");
        assert_eq!(text(&["PROVIDER"]), "", "kept data without the ORG_ADMIN of the sample");
    }

    #[test]
    fn a_limit_of_keys_is_a_number_of_requests_a_minute() {
        for (arguments, expected) in
            [(&[][..], None), (&["--rate-limit", "0"], None), (&["--rate-limit", "60"], Some(60))]
        {
            let options = parse(arguments).expect("valid options");
            assert_eq!(options.rate_limit.map(RateLimit::requests_per_minute), expected, "{arguments:?}");
        }
        for number in ["-1", "x", "", "1000001"] {
            assert!(parse(&["--rate-limit", number]).is_err(), "{number}");
        }
    }
}
