//! `ops completions` and `ops man`: commands that need no tables.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{CommandFactory as _, Subcommand};
use clap_complete::Shell;

use crate::error::CommandError;
use crate::{Cli, Console, Exit};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the completions of a shell
    #[command(after_help = "Example:\n  ops completions bash > ~/.local/share/bash-completion/completions/ops")]
    Completions {
        /// Name of the shell
        shell: Shell,
    },
    /// Write manual pages, one for each command
    #[command(after_help = "Example:\n  ops man ~/.local/share/man/man1 && man ops-key-issue")]
    Man {
        /// Folder for the pages; it is made if it is missing
        dir: PathBuf,
    },
}

pub(crate) fn run(command: &Command, console: &mut Console) -> Result<Exit, CommandError> {
    match command {
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "ops", &mut script);
            console.write_line(String::from_utf8_lossy(&script).trim_end())?;
        }
        Command::Man { dir } => write_pages(dir, console)?,
    }
    Ok(Exit::Done)
}

fn write_pages(dir: &Path, console: &mut Console) -> anyhow::Result<()> {
    let cannot_write = || format!("cannot write to {}", dir.display());
    fs::create_dir_all(dir).with_context(cannot_write)?;
    clap_mangen::generate_to(Cli::command(), dir).with_context(cannot_write)?;
    console.write_message(format_args!("the pages are in {}", dir.display()));
    Ok(())
}
