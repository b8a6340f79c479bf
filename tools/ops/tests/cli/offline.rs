//! `ops completions`, `ops man`, and the page that lists all commands.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory as _;
use presence_ops::Cli;

use crate::cli_env::CliOutput;

/// Runs `ops` without an endpoint, credentials or a region.
fn run(arguments: &[&str]) -> CliOutput {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ops"));
    command.args(arguments).stdin(Stdio::null()).env_clear();
    command.output().expect("the binary runs").into()
}

/// Returns the words of every command that does something, such as `key issue`.
fn command_lines(command: &clap::Command, before: &str) -> Vec<String> {
    let subcommands =
        command.get_subcommands().filter(|command| command.get_name() != "help" && !command.is_hide_set());
    let mut lines = Vec::new();
    for command in subcommands {
        let line = format!("{before} {}", command.get_name()).trim_start().to_owned();
        let below = command_lines(command, &line);
        if below.is_empty() { lines.push(line) } else { lines.extend(below) }
    }
    lines
}

#[test]
fn completions_name_every_command_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]).expect_exit(0).stdout;
        for command in command_lines(&Cli::command(), "") {
            let last = command.split(' ').next_back().expect("a word");
            assert!(script.contains(last), "{shell}: {command}");
        }
    }
    run(&["completions", "tcsh"]).expect_exit(2);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path().join("man1");
    run(&["man", dir.to_str().expect("text")]).expect_exit(0);
    for command in command_lines(&Cli::command(), "") {
        let page = fs::read_to_string(dir.join(format!("ops-{}.1", command.replace(' ', "-"))));
        assert!(page.is_ok_and(|page| page.contains(".SH SYNOPSIS")), "{command}");
    }
    let file = folder.path().join("file");
    fs::write(&file, "").expect("the folder can be written");
    run(&["man", file.to_str().expect("text")]).expect_exit(1);
}

#[test]
fn page_of_operators_has_an_example_of_every_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/docs/ops.md");
    let page = fs::read_to_string(path).expect("the page");
    let examples: Vec<&str> = page.lines().filter(|line| line.starts_with("ops ")).collect();
    for command in command_lines(&Cli::command(), "") {
        let is_example =
            |line: &&str| line.starts_with(&format!("ops {command} ")) || **line == format!("ops {command}");
        assert!(examples.iter().any(is_example), "`ops {command}` is not in ops.md");
    }
}

#[test]
fn examples_of_the_page_are_command_lines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/docs/ops.md");
    let page = fs::read_to_string(path).expect("the page");
    for line in page.lines().filter(|line| line.starts_with("ops ")) {
        let command = line.split(" #").next().and_then(|line| line.split(" > ").next()).unwrap_or_default();
        let words: Vec<String> = command.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect();
        let parsed = presence_ops::parse(words.iter().map(Into::into));
        assert!(parsed.is_ok(), "{line}");
    }
}
