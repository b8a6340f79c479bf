//! Hints where a start goes wrong, and for a stack without keys.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use presence_local::first_key;
use presence_runtime::config::Config;

use super::program;

/// Time between two looks at a program that should end.
const WAIT: Duration = Duration::from_millis(20);
/// Largest number of looks: two minutes, so that a busy machine fails no test.
const MAX_WAITS: u32 = 6_000;

/// Runs a start that fails, and returns its one line of an error.
fn refusal(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = output_of(program(arguments));
    let error = String::from_utf8(stderr).expect("text");
    assert_eq!((status.code(), stdout.len()), (Some(1), 0), "{error}");
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 1, "{error}");
    lines[0].to_owned()
}

/// Waits for the end of a program. One that starts, although it must not, is ended.
fn output_of(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    for _ in 0..MAX_WAITS {
        if child.try_wait().expect("a state").is_some() {
            break;
        }
        thread::sleep(WAIT);
    }
    let _ = child.kill();
    child.wait_with_output().expect("the output")
}

/// Running stack. Dropping it ends the process.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    /// Starts a stack, and returns when it has printed a line with this text. Returns the lines, too.
    fn start(arguments: &[&str], until: &str) -> (Self, Vec<String>) {
        let mut child = program(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut running = Self { child, output };
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.contains(until)) {
            let mut line = String::new();
            assert_ne!(running.output.read_line(&mut line).expect("text"), 0, "no line has {until}: {lines:#?}");
            lines.push(line.trim_end().to_owned());
        }
        (running, lines)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn port_in_use_is_named_with_the_option_that_picks_a_free_one() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    for (arguments, option) in [
        (&["--empty", "--port", &port][..], "--port 0"),
        (&["--empty", "--port", "0", "--dynamodb-port", &port], "--dynamodb-port 0"),
        (&["--empty", "--port", "0", "--dynamodb-port", &port, "--aws-limits"], "--dynamodb-port 0"),
    ] {
        let error = refusal(arguments);
        assert!(error.starts_with(&format!("error: cannot listen on 127.0.0.1:{port} for ")), "{error}");
        assert!(error.ends_with(&format!("another program uses the port; {option} picks a free one")), "{error}");
    }
}

#[test]
fn wrong_dynamodb_url_is_refused_in_one_line() {
    for url in ["ftp://127.0.0.1:8000", "127.0.0.1:8000", "http://", "localhost"] {
        let error = refusal(&["--empty", "--port", "0", "--dynamodb-url", url]);
        assert_eq!(
            error,
            format!("error: --dynamodb-url: {url:?} is not an http or https URL, such as http://127.0.0.1:8000")
        );
    }
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let url = format!("http://{nobody}");
    let error = refusal(&["--empty", "--port", "0", "--dynamodb-url", &url]);
    assert_eq!(error, format!("error: --dynamodb-url: nothing answers at {url}; is DynamoDB running there?"));
}

/// Serves the same answer to every connection, and returns its URL.
fn serve(answer: &'static str) -> String {
    use std::io::{Read as _, Write as _};
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.expect("a connection");
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(answer.as_bytes());
        }
    });
    url
}

#[test]
fn server_that_is_not_dynamodb_is_named() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        "HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\nconnection: close\r\n\r\nNot Found",
    ] {
        let url = serve(answer);
        let error = refusal(&["--empty", "--port", "0", "--dynamodb-url", &url]);
        assert_eq!(error, format!("error: --dynamodb-url: the server at {url} is not DynamoDB"), "{answer}");
    }
}

#[test]
fn another_stack_is_used_as_dynamodb_through_its_own_port() {
    let (_first, lines) = Running::start(&["--empty", "--port", "0", "--no-mailer", "--json"], "{");
    let ready: serde_json::Value = serde_json::from_str(&lines[0]).expect("one line of JSON");
    let url = ready["dynamodb_url"].as_str().expect("a URL");
    let (_second, _) = Running::start(&["--empty", "--port", "0", "--no-mailer", "--json", "--dynamodb-url", url], "{");
    let gateway = ready["home_url"].as_str().expect("a URL").trim_end_matches('/');
    let error = refusal(&["--empty", "--port", "0", "--dynamodb-url", gateway]);
    assert_eq!(error, format!("error: --dynamodb-url: the server at {gateway} is not DynamoDB"));
}

#[test]
fn data_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").expect("the file is written");
    let error = refusal(&["--empty", "--port", "0", "--data", file.to_str().expect("a path")]);
    assert!(error.starts_with(&format!("error: cannot create the data folder {}: ", file.display())), "{error}");
    std::fs::write(folder.path().join("presence.sqlite"), "this is no database, but a text").expect("written");
    let error = refusal(&["--empty", "--port", "0", "--data", folder.path().to_str().expect("a path")]);
    assert!(error.starts_with("error: cannot open the database file "), "{error}");
}

#[test]
fn second_stack_on_the_same_data_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().to_str().expect("a path");
    let arguments = ["--empty", "--port", "0", "--no-mailer", "--json", "--data", data];
    let (first, _) = Running::start(&arguments, "{");
    let error = refusal(&arguments);
    let expected =
        format!("error: another local stack uses the data folder {data}: stop it, or name another folder with --data");
    assert_eq!(error, expected);
    drop(first);
    Running::start(&arguments, "{");
}

#[test]
fn stack_without_keys_prints_the_commands_that_make_the_first_one() {
    let (_stack, lines) = Running::start(&["--empty", "--port", "0", "--no-mailer"], "cargo ops key issue");
    let url = lines.iter().find_map(|line| line.trim().strip_prefix("DynamoDB  ")).expect("the line of DynamoDB");
    let commands = first_key::commands(url, &Config::of_prefix(Config::DEFAULT_TABLE_PREFIX));
    let printed: Vec<&str> = lines[lines.len() - commands.len()..].iter().map(|line| line.trim()).collect();
    assert_eq!(printed, commands);
    assert!(lines.iter().any(|line| line.contains("There are no keys yet.")), "{lines:#?}");
}
