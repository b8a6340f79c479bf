//! `ops import`: JSON Lines into the tables, line by line.

mod businesses;
mod lines;
mod orgs;
mod progress;
mod rejects;
mod rows;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use presence::error::Error;
use presence::store::PutOutcome;
use serde::Serialize;
use tokio::io::AsyncRead;
use tokio::task::JoinHandle;

use crate::exit::Failure;
use crate::{Context, Exit};
use lines::{Line, Lines};
use progress::Progress;
use rejects::Rejects;
use rows::{Row, Tables, Verdict};

/// Rows in flight: enough to hide the way to the tables, few enough for a fresh table.
const IN_FLIGHT: usize = 32;

const ORGS: &str = "\
One JSON object a line:
  {\"id\": 42, \"name\": \"Fast Retailer\"}
id is an integer from 1 to 2^53-1; name has 1 to 255 characters.";

const BUSINESSES: &str = "\
One JSON object a line:
  {\"id\": \"5409c35a97bbc544d8e26737\", \"org_id\": 42, \"name\": \"Corner shop\", \"city\": \"Saint-Étienne\"}
id has 1 to 64 letters, digits and : _ . -; org_id names an organisation that is there; name has 1 to 255 characters,
city at most 255, none for a business that is in no city.";

const IMPORTS: &str = "\
Running it again changes nothing; interrupted, it is simply run again. An id that is there already is updated. The last
of several rows with one id wins.

Rejected rows go to FILE.rejected.jsonl (stdin.rejected.jsonl in the current folder for -), each as
{\"line\":N,\"reason\":\"…\",\"row\":\"the line as it was\"}; the exit code is then 4. To try them again once mended:
  jq -r .row orgs.jsonl.rejected.jsonl > again.jsonl

--dry-run checks every row and compares it with what is stored, but writes nothing to the tables. With --json the last
line on stdout is {\"created\":n,\"updated\":n,\"unchanged\":n,\"rejected\":n}.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Load organisations
    #[command(after_help = format!("{ORGS}\n\n{IMPORTS}"))]
    Orgs(Import),
    /// Load businesses of organisations that are loaded already
    #[command(after_help = format!("{BUSINESSES}\n\n{IMPORTS}"))]
    Businesses(Import),
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// JSON Lines file, - for stdin
    file: PathBuf,
    /// Check and count, but write nothing to the tables
    #[arg(long)]
    dry_run: bool,
}

/// What became of the rows.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Tally {
    created: u64,
    updated: u64,
    unchanged: u64,
    rejected: u64,
}

impl Tally {
    fn rows(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.rejected
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::Orgs(import) => load::<orgs::OrgRow>(&import, context).await,
        Command::Businesses(import) => load::<businesses::BusinessRow>(&import, context).await,
    }
}

async fn load<R: Row>(import: &Import, context: &mut Context) -> Result<Exit, Failure> {
    let (input, size) = open(import).await?;
    let mut loading = Loading {
        tables: Arc::new(Tables::new(context.store.clone(), import.dry_run)),
        window: VecDeque::with_capacity(IN_FLIGHT),
        rejects: Rejects::beside(&import.file)?,
        tally: Tally::default(),
        progress: Progress::start(size, context.console.has_bars()),
    };
    let outcome = loading.load_all::<R>(Lines::new(input)).await;
    loading.progress.finish();
    let Loading { rejects, tally, .. } = loading;
    outcome.with_context(|| format!("stopped after {} rows; simply run it again", tally.rows()))?;
    let rejected_to = rejects.finish()?;
    let Tally { created, updated, unchanged, rejected } = tally;
    let dry = if import.dry_run { "dry run, nothing written: " } else { "" };
    let counts = format!("{created} created, {updated} updated, {unchanged} unchanged, {rejected} rejected");
    context.console.note(format_args!("{dry}{} {counts}", R::PLURAL));
    if context.console.json {
        context.console.json_line(&tally)?;
    }
    let Some(file) = rejected_to else { return Ok(Exit::Done) };
    context.console.note(format_args!("the rejected rows and the reasons are in {}", file.display()));
    Ok(Exit::SomeRejected)
}

/// The file, or standard input; and its size, where it has one.
async fn open(import: &Import) -> Result<(Box<dyn AsyncRead + Send + Unpin>, Option<u64>), Failure> {
    if rejects::is_stdin(&import.file) {
        return Ok((Box::new(tokio::io::stdin()), None));
    }
    let cannot_read = || format!("cannot read {}", import.file.display());
    let file = tokio::fs::File::open(&import.file).await.with_context(cannot_read)?;
    let metadata = file.metadata().await.with_context(cannot_read)?;
    if metadata.is_dir() {
        return Err(Failure::because(format!("{} is a folder", import.file.display())));
    }
    Ok((Box::new(file), metadata.is_file().then_some(metadata.len())))
}

/// An import under way.
struct Loading {
    tables: Arc<Tables>,
    /// Rows being written, in the order of the file: so are the rejected ones then.
    window: VecDeque<InFlight>,
    rejects: Rejects,
    tally: Tally,
    progress: Progress,
}

struct InFlight {
    line: Line,
    /// What the row is about; none for a line that is no row.
    key: Option<String>,
    work: JoinHandle<Result<Verdict, Error>>,
}

impl Loading {
    /// Reads, checks and writes every row. After a failure no further row is begun.
    async fn load_all<R: Row>(&mut self, mut lines: Lines) -> anyhow::Result<()> {
        while let Some(line) = lines.next().await.context("cannot read the rows")? {
            self.begin::<R>(line).await?;
        }
        while !self.window.is_empty() {
            self.settle_oldest().await?;
        }
        Ok(())
    }

    async fn begin<R: Row>(&mut self, line: Line) -> anyhow::Result<()> {
        let row = line.text().and_then(rows::read::<R>);
        let key = row.as_ref().ok().map(Row::key);
        // Two rows about one thing must not race: the last of them wins.
        while self.window.len() == IN_FLIGHT || (key.is_some() && self.window.iter().any(|other| other.key == key)) {
            self.settle_oldest().await?;
        }
        let tables = Arc::clone(&self.tables);
        let work = tokio::spawn(async move {
            match row {
                Ok(row) => row.put(&tables).await,
                Err(reason) => Ok(Verdict::Rejected(reason)),
            }
        });
        self.window.push_back(InFlight { line, key, work });
        Ok(())
    }

    async fn settle_oldest(&mut self) -> anyhow::Result<()> {
        let Some(InFlight { line, work, .. }) = self.window.pop_front() else { return Ok(()) };
        match work.await.context("a row's task died")?? {
            Verdict::Put(PutOutcome::Created) => self.tally.created += 1,
            Verdict::Put(PutOutcome::Updated) => self.tally.updated += 1,
            Verdict::Put(PutOutcome::Unchanged) => self.tally.unchanged += 1,
            Verdict::Rejected(reason) => {
                self.rejects.add(&line, &reason)?;
                self.tally.rejected += 1;
            }
        }
        self.progress.show(line.end, self.tally.rows());
        Ok(())
    }
}
