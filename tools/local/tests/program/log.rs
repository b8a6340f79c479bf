//! Log of the program.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value;

use super::program;

/// Running stack. Dropping it ends the process.
struct Program {
    child: Child,
    /// Kept open, so that the program can write to it.
    _output: BufReader<ChildStdout>,
    base_url: String,
    database_url: String,
}

impl Program {
    /// Starts an empty stack, and returns when it is ready.
    fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = program(&["--port", "0", "--json", "--empty", "--no-mailer"]);
        command.args(arguments).envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut ready = String::new();
        output.read_line(&mut ready).expect("a line");
        let ready: Value = serde_json::from_str(&ready).expect("one line of JSON");
        let url = |name: &str| ready[name].as_str().expect("a URL").to_owned();
        Self { child, _output: output, base_url: url("base_url"), database_url: url("dynamodb_url") }
    }

    async fn get(&self, path: &str) -> u16 {
        let answer = reqwest::get(format!("{}{path}", self.base_url)).await.expect("an answer");
        answer.status().as_u16()
    }

    /// Ends the process and returns the lines of its log.
    fn end(mut self) -> Vec<String> {
        self.child.kill().expect("the process runs");
        let mut log = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut log).expect("text");
        log.lines().map(str::to_owned).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the log of two requests.
async fn log_of_two_requests(arguments: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
    let program = Program::start(arguments, variables);
    assert_eq!(program.get("/openapi.json").await, 200);
    assert_eq!(program.get("/user/me").await, 401);
    program.end()
}

#[tokio::test]
async fn log_is_json_without_a_terminal_and_only_the_first_request_is_a_cold_start() {
    let lines = log_of_two_requests(&[], &[]).await;
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let requests: Vec<_> = lines.iter().filter(|line| line["message"] == "request").collect();
    let of = |name: &str| requests.iter().map(|line| line[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("operation"), ["get_openapi", "get_me"]);
    assert_eq!(of("status_class"), ["2xx", "4xx"]);
    assert_eq!(of("cold_start"), [1, 0]);
}

#[tokio::test]
async fn text_of_the_start_is_on_stdout_and_the_log_on_stderr() {
    let mut command = program(&["--port", "0", "--empty"]);
    command.env("CLICOLOR_FORCE", "1");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("key issue") {
        assert!(output.read_line(&mut text).expect("a line") > 0, "the output ends with the commands: {text}");
    }
    let api = text.lines().find_map(|line| line.trim_start().strip_prefix("API ")).expect("the address").trim();
    assert_eq!(reqwest::get(format!("{api}/user/me")).await.expect("an answer").status().as_u16(), 401);
    for page in ["Start", "Guide", "Docs", "Requests", "Tables", "Mailbox", "Reviews", "Stats", "Events", "Webhooks"] {
        let url = text.lines().find_map(|line| line.trim_start().strip_prefix(page)).expect(page).trim();
        assert_eq!(reqwest::get(url).await.expect("an answer").status().as_u16(), 200, "{page}");
    }
    child.kill().expect("the process runs");
    output.read_to_string(&mut text).expect("text");
    assert!(text.starts_with("presence is ready. Ctrl-C stops it.\n"), "{text}");
    assert!(!text.contains(['{', '\u{1b}']), "no line of the log, and no colours: {text}");
    let mut log = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut log).expect("text");
    child.wait().expect("it ends");
    assert!(log.contains("\"get_me\""), "{log}");
    assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{log}");
}

#[tokio::test]
async fn log_as_text_has_one_line_for_each_request() {
    let lines = log_of_two_requests(&["--log", "text"], &[]).await;
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(lines[0].contains(" 200 GET /api/v2/openapi.json "), "{lines:#?}");
    assert!(lines[1].contains(" 401 GET /api/v2/user/me "), "{lines:#?}");
    assert!(lines[1].ends_with("  unauthenticated"), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains('\u{1b}')), "no colours without a terminal: {lines:#?}");
}

#[tokio::test]
async fn colours_of_the_log_obey_the_environment() {
    let forced = log_of_two_requests(&["--log", "text"], &[("CLICOLOR_FORCE", "1")]).await;
    assert!(forced[1].contains("\u{1b}[33m401"), "{forced:#?}");
    let refused = log_of_two_requests(&["--log", "text"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).await;
    assert!(refused[1].contains(" 401 "), "{refused:#?}");
    let json = log_of_two_requests(&["--log", "json"], &[("CLICOLOR_FORCE", "1")]).await;
    assert!(json.iter().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{json:#?}");
}

#[tokio::test]
async fn what_the_embedded_database_refuses_is_no_line_of_the_log() {
    for form in ["json", "text"] {
        let program = Program::start(&["--log", form], &[]);
        let call =
            reqwest::Client::new().post(&program.database_url).header("content-type", "application/x-amz-json-1.0");
        let call = call.header("x-amz-target", "DynamoDB_20120810.GetItem").header("x-amz-date", "20260101T000000Z");
        let call = call.header("authorization", "AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host, Signature=x");
        let answer = call.body(r#"{"TableName":"unknown","Key":{"pk":{"S":"x"}}}"#).send().await.expect("an answer");
        assert_eq!(answer.status().as_u16(), 400);
        assert_eq!(program.get("/user/me").await, 401);
        let lines = program.end();
        assert_eq!(lines.len(), 1, "{lines:#?}");
    }
}

#[tokio::test]
async fn log_as_text_has_no_path_query_or_header_of_the_caller() {
    let program = Program::start(&["--log", "text"], &[]);
    assert_eq!(program.get("/user/canary-name?email=canary@mail.example&canary=1").await, 401);
    assert_eq!(program.get("/canary/name?api_key=pk_canary").await, 404);
    let lines = program.end();
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(lines[0].contains(" GET /api/v2/user/{user_id} "), "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains("canary")), "{lines:#?}");
}
