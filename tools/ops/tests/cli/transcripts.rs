//! Transcripts: each script in `transcripts/` runs beside empty tables. The snapshot beside it has all that its commands write.
//!
//! A command is a line, with the lines below it that begin with a space. `INSTA_UPDATE=always` writes the snapshots again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use insta::Settings;
use regex::Regex;
use rstest::rstest;

use crate::cli_env::{CliEnv, NO_CERTIFICATES};

/// Functions that every script has.
const FUNCTIONS: &str = r#"
ops() { "$OPS" "$@"; }
dynamodb() {
    key='Credential=local/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0'
    curl --silent --show-error --fail-with-body --noproxy '*' --header "X-Amz-Target: DynamoDB_20120810.$1" --data "$2" \
        --header 'Content-Type: application/x-amz-json-1.0' --header 'X-Amz-Date: 20260101T000000Z' \
        --header "Authorization: AWS4-HMAC-SHA256 $key" \
        "$AWS_ENDPOINT_URL_DYNAMODB"
}
put() { dynamodb PutItem "{\"TableName\": \"$1\", \"Item\": $2}"; }
count() { dynamodb Scan "{\"TableName\": \"$1\"}" | sed 's/.*"Count":\([0-9]*\).*/\1/'; }
content() { dynamodb Scan "{\"TableName\": \"$1\"}" | tr ',[' '\n\n' | tr -d '{}]' | sort | cksum; }
"#;
/// Texts that differ from run to run, and what the snapshot has in their place.
const FILTERS: [(&str, &str); 9] = [
    (r"pk_[0-9A-Za-z]{36}", "[KEY]"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]"),
    (r"http://127\.0\.0\.1:\d{4,5}", "[ENDPOINT]"),
    (r"MAIL#\d{13}-[0-9a-f]{16}", "[MAIL]"),
    (r"local:[^\x22\s]+", "local:[AUTHOR]"),
    (r"(\[[A-Z]+\]|\b\d{9,16})-[0-9a-f]{12}\b", "${1}-[HASH]"),
    (r"\b\d{12,16}\b", "[ID]"),
    (r"(\S)  +", "${1}  "),
    (r"  +\n", "\n"),
];

#[rstest]
fn transcript_is_as_recorded(#[files("tests/cli/transcripts/*.sh")] script: PathBuf) {
    let text = fs::read_to_string(&script).expect("a script");
    let env = CliEnv::new();
    let transcript = FILTERS.iter().fold(run(&env, &text), |text, (pattern, replacement)| {
        Regex::new(pattern).expect("a pattern").replace_all(&text, *replacement).into_owned()
    });
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path(script.parent().expect("a folder"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let name = script.file_stem().and_then(|name| name.to_str()).expect("text");
    settings.bind(|| insta::assert_snapshot!(name, transcript));
}

/// Runs the commands of a script. Returns each with its output, its messages and its exit code, if that is not 0.
fn run(env: &CliEnv, text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let steps = steps(text);
    let mut script = FUNCTIONS.to_owned();
    for (number, step) in steps.iter().enumerate().filter(|(_, step)| !step.starts_with('#')) {
        let path = folder.path().join(number.to_string());
        let path = path.display();
        writeln!(script, "{{\n{step}\n}} >{path}.out 2>{path}.err </dev/null; echo $? >{path}.code")
            .expect("text grows");
    }
    for name in variables(&steps) {
        writeln!(script, "printf %s \"${name}\" >{}", folder.path().join(name).display()).expect("text grows");
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(env.path("")).env_clear().stdin(Stdio::null());
    shell
        .envs([NO_CERTIFICATES])
        .env("PATH", "/usr/bin:/bin")
        .env("OPS", env!("CARGO_BIN_EXE_ops"))
        .env("AWS_ENDPOINT_URL_DYNAMODB", env.url());
    let output = shell.output().expect("a shell");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{script}");
    let transcript = render(&steps, folder.path());
    replace_values(transcript, &variables(&steps), folder.path())
}

/// Returns the comments and the commands of a script.
fn steps(text: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match steps.last_mut().filter(|_| line.starts_with(' ')) {
            Some(step) => write!(step, "\n{line}").expect("text grows"),
            None => steps.push(line.to_owned()),
        }
    }
    steps
}

/// Returns the names of the variables that commands set to what another command writes.
fn variables(steps: &[String]) -> Vec<&str> {
    steps
        .iter()
        .filter_map(|step| Some(step.split_once("=$(")?.0))
        .filter(|name| name.chars().all(|letter| letter.is_ascii_uppercase()))
        .collect()
}

fn render(steps: &[String], folder: &Path) -> String {
    let mut transcript = String::new();
    for (number, step) in steps.iter().enumerate() {
        if step.starts_with('#') {
            write!(transcript, "\n{step}\n").expect("text grows");
            continue;
        }
        let read = |ending: &str| fs::read_to_string(folder.join(format!("{number}.{ending}"))).expect("its output");
        let (out, err, code) = (read("out"), read("err"), read("code"));
        writeln!(transcript, "$ {step}").expect("text grows");
        out.lines().for_each(|line| writeln!(transcript, "{line}").expect("text grows"));
        err.lines().for_each(|line| writeln!(transcript, "! {line}").expect("text grows"));
        if code != "0\n" {
            writeln!(transcript, "exit code {}", code.trim_end()).expect("text grows");
        }
    }
    transcript
}

/// Puts the names of variables in the place of their values.
fn replace_values(transcript: String, names: &[&str], folder: &Path) -> String {
    let value = |name: &&str| fs::read_to_string(folder.join(name)).expect("the value of the variable");
    let values = names.iter().map(|name| (value(name), format!("[{name}]")));
    let mut values: Vec<_> = values.filter(|(value, _)| value.len() > 2).collect();
    values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
    values.iter().fold(transcript, |text, (value, name)| text.replace(value, name))
}
