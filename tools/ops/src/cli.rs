//! Commands and options of the command line, with their help.

use clap::{Parser, Subcommand};

use crate::connect::ConnectionOptions;
use crate::{
    audit, businesses, doctor, events, export, import, key, offline, orgs, outbox, replies, restore, reviews, status,
    tables, user, users, webhooks,
};

const AFTER_HELP: &str = "\
Data goes to stdout; messages, and progress bars on a terminal, go to stderr. A
command that writes says first where. With --json an error on stderr is
{\"error\":{\"code\":\"…\",\"message\":\"…\"}}.

On a terminal, tables fit its width: long cells lose their middle, and the last
columns are left out; --wide shows all. In a pipe they are tab-separated, in full.
NO_COLOR turns colours off.

Commands that delete, take access from users or run others ask on a terminal, or
take --yes: users delete, users set-status, restore plan --execute, doctor --fix.

Exit codes:
  0  done
  1  failed, or an audit reported findings
  2  wrong usage
  3  no such user, key, mail or review
  4  some rows of an import were rejected
  130  Ctrl-C

Environment:
  AWS_REGION, AWS_PROFILE, …   as in the AWS CLI: keys, profiles with SSO, a
                               credential_process or a role, web identity
  AWS_ENDPOINT_URL_DYNAMODB    another endpoint, such as the local stack; one on
                               this machine needs neither region nor credentials
  AWS_ENDPOINT_URL_S3          another endpoint for import reviews --remote
  TABLE_PREFIX                 prefix of the names of the tables
                               [default: presence-]
  AUDIT_TABLE                  table of the audit trail, for restored tables
                               [default: the prefix, then audit]
  EVENTS_TABLE                 table of the feeds, for restored tables
                               [default: the prefix, then events]
  REVIEWS_TABLE                table of the reviews, for one made from a build
                               [default: the prefix, then reviews]

Examples:
  ops --local status
  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 ops tables create
  ops import orgs orgs.jsonl && ops import businesses businesses.jsonl
  ops import categories categories.jsonl
  ops import reviews reviews.jsonl && ops reviews audit
  ID=$(ops users create --email zoe@example.org --first-name Zoe \\
      --last-name Martin --role PROVIDER)
  KEY=$(ops key issue --user $ID --label laptop --expires 90d)";

/// Operates the presence service: creates tables, imports organisations, businesses, categories and reviews, creates users,
/// issues their API keys, and audits what is stored.
#[derive(Debug, Parser)]
#[command(name = "ops", version, after_help = AFTER_HELP, arg_required_else_help = true)]
pub struct Cli {
    /// Write JSON to stdout instead of text
    #[arg(long, global = true, display_order = 100)]
    pub(super) json: bool,
    /// Show all columns of a table, however narrow the terminal is
    #[arg(long, global = true, display_order = 100)]
    pub(super) wide: bool,
    #[command(flatten)]
    pub(super) connection: ConnectionOptions,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show the tables, and what is in them, at a glance
    #[command(after_help = status::JSON)]
    Status,
    /// Find what is missing or wrong, and name the commands that mend it
    ///
    /// Writes nothing without --fix. Run it before a deployment, and when something is odd.
    #[command(after_help = doctor::CHECKS)]
    Doctor(doctor::DoctorArgs),
    /// The seven tables
    #[command(subcommand, arg_required_else_help = true)]
    Tables(tables::Command),
    /// Load JSON Lines into the tables
    #[command(subcommand, arg_required_else_help = true)]
    Import(import::Command),
    /// Write users, reviews, categories, organisations or businesses as JSON Lines
    #[command(after_help = export::NOTES)]
    Export(export::ExportArgs),
    /// A single user: the former name of some commands of ops users
    #[command(subcommand, hide = true, arg_required_else_help = true)]
    User(user::Command),
    /// API keys
    #[command(subcommand, alias = "keys", arg_required_else_help = true)]
    Key(key::Command),
    /// All users
    #[command(subcommand, arg_required_else_help = true)]
    Users(users::Command),
    /// Organisations
    #[command(subcommand, arg_required_else_help = true)]
    Orgs(orgs::Command),
    /// Businesses of organisations
    #[command(subcommand, arg_required_else_help = true)]
    Businesses(businesses::Command),
    /// All reviews, and the ledger that counts them
    #[command(subcommand, arg_required_else_help = true)]
    Reviews(reviews::Command),
    /// The mails that wait to be sent
    #[command(subcommand, arg_required_else_help = true)]
    Outbox(outbox::Command),
    /// The replies to reviews that are on their way
    #[command(subcommand, arg_required_else_help = true)]
    Replies(replies::Command),
    /// The webhooks of organisations, and their deliveries
    #[command(subcommand, arg_required_else_help = true)]
    Webhooks(webhooks::Command),
    /// The feeds of the events of organisations
    #[command(subcommand, arg_required_else_help = true)]
    Events(events::Command),
    /// A restore of the tables to an earlier instant
    #[command(subcommand, arg_required_else_help = true)]
    Restore(restore::Command),
    /// Print the audit trail: who changed which user or key, when, and which fields
    ///
    /// Prints the records of the audit trail, newest first; of several options, a record must fit all. Records hold names
    /// of fields, never values, and are kept for 400 days. A record of --user is there as soon as the change is; the others
    /// come from an index, which lags. Without --user, --actor, --org and --key the whole table is read, and the newest
    /// 10000 records are printed. An id that nothing is recorded of prints nothing.
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::AuditArgs),
    #[command(flatten)]
    Offline(offline::Command),
}

impl Cli {
    /// Hands the option `--prefix` to the one command for which it names other tables than those that it reads.
    pub(super) fn take_prefix(&mut self) {
        if let Command::Restore(command) = &mut self.command {
            command.take_prefix(&mut self.connection.prefix);
        }
    }
}

impl Command {
    /// True if the command may write to the tables.
    pub(super) fn writes(&self) -> bool {
        match self {
            Self::Tables(tables::Command::Create) | Self::User(user::Command::Create(_)) => true,
            Self::Doctor(args) => args.fix,
            Self::Status
            | Self::Export(_)
            | Self::Audit(_)
            | Self::Events(_)
            | Self::Offline(_)
            // It says first which new tables it makes.
            | Self::Restore(_) => false,
            Self::Import(command) => command.writes(),
            Self::Key(command) => !matches!(command, key::Command::List(_) | key::Command::Whois),
            Self::Users(command) => {
                use users::Command::{Create, Delete, SetStatus};
                matches!(command, Create(_) | Delete(_) | SetStatus(_))
            }
            Self::Orgs(command) => matches!(command, orgs::Command::Create(_)),
            Self::Businesses(command) => matches!(command, businesses::Command::Move(_)),
            Self::Reviews(command) => {
                use reviews::Command::{CopyProgress, Rebuild};
                matches!(command, Rebuild { dry_run: false, .. } | CopyProgress { .. })
            }
            Self::Outbox(command) => !matches!(command, outbox::Command::List),
            Self::Replies(command) => matches!(command, replies::Command::Resend { .. }),
            Self::Webhooks(command) => {
                use webhooks::Command::{Disable, Replay};
                matches!(command, Replay { .. } | Disable { .. })
            }
        }
    }

    /// True if the command must not fail because nobody can tell who runs it.
    pub(super) fn is_emergency(&self) -> bool {
        matches!(self, Self::Key(key::Command::Revoke { .. }))
    }
}
