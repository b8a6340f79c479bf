//! Syntax of every command of the page: nothing that it names is unknown to the program that it names.

use clap::Parser as _;
use clap::error::ErrorKind;
use presence_ops::Cli;

use super::page::{COMMANDS, simple_commands};

/// Operations of the AWS CLI and of SAM that the page may use, with their options.
const OTHERS: [(&str, &[&str]); 35] = [
    ("aws cloudformation continue-update-rollback", &["--stack-name"]),
    ("aws cloudformation create-change-set", &["--change-set-type", "--stack-name"]),
    ("aws cloudformation delete-stack", &["--stack-name"]),
    ("aws cloudformation deploy", &["--region", "--stack-name", "--template-file", "--parameter-overrides"]),
    ("aws cloudformation describe-stack-events", &["--stack-name"]),
    ("aws cloudformation describe-stacks", &["--stack-name", "--query", "--output"]),
    ("aws cloudformation set-stack-policy", &["--stack-name", "--stack-policy-body"]),
    ("aws dynamodb delete-table", &["--table-name"]),
    ("aws dynamodb delete-resource-policy", &["--resource-arn"]),
    ("aws dynamodb describe-import", &["--import-arn"]),
    ("aws dynamodb list-imports", &["--table-arn"]),
    ("aws dynamodb put-resource-policy", &["--resource-arn", "--policy"]),
    ("aws dynamodb list-backups", &["--backup-type"]),
    ("aws dynamodb restore-table-from-backup", &["--backup-arn", "--target-table-name"]),
    ("aws dynamodb update-table", &["--table-name", "--no-deletion-protection-enabled"]),
    ("aws events put-rule", &["--event-bus-name", "--name", "--event-pattern"]),
    ("aws events put-targets", &["--event-bus-name", "--rule", "--targets"]),
    ("aws lambda list-event-source-mappings", &["--function-name", "--query", "--output"]),
    ("aws lambda update-event-source-mapping", &["--uuid", "--enabled", "--no-enabled"]),
    ("aws lambda list-versions-by-function", &["--function-name", "--query", "--output"]),
    ("aws lambda update-alias", &["--function-name", "--name", "--function-version"]),
    ("aws sesv2 delete-suppressed-destination", &["--email-address"]),
    ("aws sesv2 put-email-identity-configuration-set-attributes", &["--email-identity", "--configuration-set-name"]),
    ("aws s3 cp", &["--metadata-directive"]),
    ("aws s3 rm", &["--recursive"]),
    ("aws s3 sync", &[]),
    ("aws sqs get-queue-attributes", &["--queue-url", "--attribute-names"]),
    ("aws sqs get-queue-url", &["--queue-name"]),
    ("aws sqs list-message-move-tasks", &["--source-arn"]),
    ("aws sqs purge-queue", &["--queue-url"]),
    (
        "aws sqs receive-message",
        &["--queue-url", "--max-number-of-messages", "--visibility-timeout", "--message-attribute-names"],
    ),
    ("aws sqs start-message-move-task", &["--source-arn"]),
    ("sam build", &["--config-env", "--template-file"]),
    ("sam delete", &["--stack-name"]),
    ("sam deploy", &["--config-env", "--guided"]),
];

/// Returns the words of a command as a shell would, for the quotes that the page uses.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, ' ') => words.push(std::mem::take(&mut word)),
            _ => word.push(character),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the reason for which a command is wrong; `None` if it is right.
fn find_fault(command: &str) -> Option<String> {
    let words = words(command);
    match words[0].as_str() {
        "cargo" => ops_fault(&words[1..]),
        "ops" => ops_fault(&words),
        "aws" | "sam" => other_fault(&words),
        "curl" => None,
        script => (!std::path::Path::new(&format!("{}/../../{script}", env!("CARGO_MANIFEST_DIR"))).is_file())
            .then(|| "there is no such script".to_owned()),
    }
}

fn ops_fault(words: &[String]) -> Option<String> {
    let numbered = words.iter().map(|word| match word.as_str() {
        "N" | "ID" => "7",
        "ADDRESS" => "ada@example.org",
        word => word,
    });
    let error = Cli::try_parse_from(numbered).err()?;
    (!matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)).then(|| error.to_string())
}

fn other_fault(words: &[String]) -> Option<String> {
    let is_of = |name: &str| words.iter().take(name.split(' ').count()).map(String::as_str).eq(name.split(' '));
    let Some((_, options)) = OTHERS.iter().find(|(name, _)| is_of(name)) else {
        return Some("there is no such operation in the list".to_owned());
    };
    let mut unknown = words.iter().filter(|word| word.starts_with("--") && !options.contains(&word.as_str()));
    unknown.next().map(|word| format!("has no option {word}"))
}

#[test]
fn every_command_of_the_page_is_one_that_its_program_takes() {
    let commands =
        COMMANDS.iter().flat_map(|one| simple_commands(&one.text).into_iter().map(|text| (&one.section, text)));
    let commands: Vec<_> = commands.collect();
    assert!(commands.len() > 60, "{commands:?}");
    let faults =
        commands.iter().filter_map(|(section, text)| Some(format!("{section}: {text}: {}", find_fault(text)?)));
    assert_eq!(faults.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn wrong_commands_are_found() {
    for wrong in [
        "cargo ops key revoke",
        "ops users find",
        "cargo ops review audit",
        "cargo ops outbox retry --every",
        "aws dynamodb drop-table --table-name x",
        "aws dynamodb delete-table --name x",
        "tools/ci/undeploy dev",
    ] {
        assert!(find_fault(wrong).is_some(), "{wrong}");
    }
    assert_eq!(find_fault("cargo ops users find '*@example.org'"), None);
}
