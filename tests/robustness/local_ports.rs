//! Ports of the local stack, called as by a page of another site: with another host (DNS rebinding) or another origin.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use presence_local::{AwsLimits, Options, SesMode};
use presence_tests::{TestStack, long_timeouts};
use serde_json::json;

const LOCAL_HOSTS: [&str; 6] =
    ["localhost", "localhost:1", "LOCALHOST:65535", "127.0.0.1", "127.0.0.1:80", "[::1]:3000"];
const OTHER_HOSTS: [&str; 9] = [
    "evil.example",
    "evil.example:3000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil-localhost",
    "localhost.",
    "127.0.0.2",
    "0.0.0.0",
    "192.168.0.1:3000",
];

/// Sends the bytes of a request, and returns the status and all bytes of the answer.
fn exchange(address: &str, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("a port that is open");
    stream.write_all(request.as_bytes()).expect("the request is taken");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, answer)
}

fn get(address: &str, target: &str, headers: &str) -> (u16, String) {
    exchange(address, &format!("GET {target} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n"))
}

fn port_of(url: &str) -> String {
    let url = reqwest::Url::parse(url).expect("a URL");
    format!("{}:{}", url.host_str().expect("a host"), url.port().expect("a port"))
}

/// Returns the ports of a stack with sample data, each with an existing target.
fn ports(stack: &TestStack) -> Vec<(String, &'static str)> {
    let gateway = port_of(&stack.local.base_url());
    let pages = [
        "/",
        "/events.json",
        "/reviews",
        "/replies.json",
        "/docs",
        "/docs/examples.json",
        "/mailbox",
        "/mailbox.json",
        "/mailbox/list.json",
        "/mailbox/outbox.json",
        "/mailbox/ses",
    ];
    let api = ["/api/v2/openapi.json", "/invitation"];
    let mut ports: Vec<_> = pages.into_iter().chain(api).map(|target| (gateway.clone(), target)).collect();
    ports.extend([stack.local.dynamodb_url(), stack.local.database_url()].map(|url| (port_of(url), "/")));
    ports
}

/// Returns options with which a stack opens every port: sample data, and the limits of AWS in front of the database.
fn all_ports() -> Options {
    Options { sample: true, aws_limits: Some(AwsLimits::off()), ..long_timeouts() }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_port_refuses_hosts_other_than_this_machine() {
    let stack = TestStack::with(all_ports()).await;
    let demo_key = stack.local.keys()["PROVIDER"].clone();
    for (port, target) in ports(&stack) {
        for host in LOCAL_HOSTS {
            let (status, answer) = get(&port, target, &format!("Host: {host}\r\n"));
            assert!([200, 400, 404].contains(&status), "{host} {target}: {answer}");
        }
        for host in OTHER_HOSTS {
            let (status, answer) = get(&port, target, &format!("Host: {host}\r\n"));
            assert_eq!(status, 403, "{host} {target}: {answer}");
            assert!(answer.contains("localhost, 127.0.0.1 and [::1] only"), "{answer}");
            assert!(!answer.contains(&demo_key), "{answer}");
        }
        let (status, answer) = get(&port, &format!("http://evil.example{target}"), "Host: localhost\r\n");
        assert_eq!(status, 403, "a target that names another host: {answer}");
        for (what, headers) in [
            ("no host", ""),
            ("two hosts", "Host: localhost\r\nHost: evil.example\r\n"),
            ("no valid host", "Host: a b\r\n"),
        ] {
            assert_eq!(get(&port, target, headers).0, 400, "{what} {target}");
        }
    }
    assert!(
        get(&port_of(&stack.local.base_url()), "/docs", "Host: localhost\r\n").1.contains(&demo_key),
        "the page has keys"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_of_any_port_has_a_cors_header() {
    let stack = TestStack::with(all_ports()).await;
    let preflight = "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-amz-target\r\n";
    for (port, target) in ports(&stack) {
        for method in ["GET", "POST", "OPTIONS", "PUT"] {
            for origin in ["http://evil.example", "null", "http://localhost:4000"] {
                let request = format!(
                    "{method} {target} HTTP/1.1\r\nHost: {port}\r\nOrigin: {origin}\r\n{preflight}Content-Length: 0\r\nConnection: close\r\n\r\n"
                );
                let (status, answer) = exchange(&port, &request);
                assert!(!answer.to_ascii_lowercase().contains("\naccess-control-"), "{method} {target}: {answer}");
                assert!(method != "OPTIONS" || !(200..300).contains(&status), "a preflight of {target}: {answer}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_other_sites_neither_send_nor_delete_mails_nor_switch_the_mailbox() {
    let stack = TestStack::start().await;
    let gateway = port_of(&stack.local.base_url());
    let mail = json!({
        "FromEmailAddress": "a@b.example", "Destination": {"ToAddresses": ["c@d.example"]},
        "Content": {"Simple": {"Subject": {"Data": "x"}, "Body": {"Html": {"Data": "x"}, "Text": {"Data": "x"}}}},
    });
    let (switch, send) = ("/mailbox/ses", "/ses/v2/email/outbound-emails");
    let ask = |target: &str, body: &str, headers: &str| {
        let length = body.len();
        exchange(
            &gateway,
            &format!(
                "POST {target} HTTP/1.1\r\nHost: {gateway}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
            ),
        )
    };
    for (target, body) in [(switch, json!({"mode": "throttle"}).to_string()), (send, mail.to_string())] {
        for kind in [
            "",
            "Content-Type: text/plain\r\n",
            "Content-Type: application/x-www-form-urlencoded\r\n",
            "Content-Type: application/jsonx\r\n",
        ] {
            assert_eq!(ask(target, &body, kind).0, 415, "{target} {kind}");
        }
        let json = "Content-Type: application/json\r\n";
        for site in [
            "Sec-Fetch-Site: cross-site\r\n",
            "Sec-Fetch-Site: same-site\r\n",
            "Origin: http://evil.example\r\n",
            "Origin: http://localhost:4000\r\n",
            "Origin: null\r\n",
        ] {
            assert_eq!(ask(target, &body, &format!("{json}{site}")).0, 403, "{target} {site}");
        }
        assert_eq!((stack.local.mailbox().ses_mode(), stack.local.mailbox().mails().len()), (SesMode::Accept, 0));
    }
    let own = format!("Content-Type: application/json\r\nOrigin: http://{gateway}\r\nSec-Fetch-Site: same-origin\r\n");
    assert_eq!(ask(send, &mail.to_string(), &own).0, 200);
    assert_eq!(ask(switch, &json!({"mode": "throttle"}).to_string(), &own).0, 200);
    assert_eq!((stack.local.mailbox().ses_mode(), stack.local.mailbox().mails().len()), (SesMode::Throttle, 1));
    let id = stack.local.mailbox().mails()[0].id.clone();
    let delete = |target: &str, headers: &str| {
        exchange(
            &gateway,
            &format!("DELETE {target} HTTP/1.1\r\nHost: {gateway}\r\nConnection: close\r\n{headers}\r\n"),
        )
    };
    for target in ["/mailbox/mails".to_owned(), format!("/mailbox/mails/{id}")] {
        for site in ["Sec-Fetch-Site: cross-site\r\n", "Origin: http://evil.example\r\n", "Origin: null\r\n"] {
            assert_eq!(delete(&target, site).0, 403, "{target} {site}");
        }
    }
    assert_eq!(stack.local.mailbox().mails().len(), 1);
    let own = format!("Origin: http://{gateway}\r\nSec-Fetch-Site: same-origin\r\n");
    assert_eq!(delete("/mailbox/mails/unknown", &own).0, 404);
    assert_eq!(delete(&format!("/mailbox/mails/{id}"), &own).0, 204);
    assert_eq!(stack.local.mailbox().mails().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_change_nothing_by_the_keys_that_everyone_knows() {
    let stack = TestStack::with(all_ports()).await;
    let gateway = port_of(&stack.local.base_url());
    let key = &stack.local.keys()["PROVIDER"];
    let ask = |method: &str, target: &str, headers: &str| {
        let target = format!("/api/v2{target}?api_key={key}");
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {gateway}\r\nContent-Length: 0\r\nConnection: close\r\n{headers}\r\n"
        );
        exchange(&gateway, &request).0
    };
    let before = stack.snapshot().await;
    for site in [
        "Sec-Fetch-Site: cross-site\r\nOrigin: http://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\nOrigin: null\r\n",
        "Origin: https://evil.example\r\n",
        "Origin: http://localhost.evil.example:3000\r\n",
        "Origin: evil.example\r\n",
    ] {
        assert_eq!(ask("POST", "/user/1018/invite", site), 403, "{site}");
        assert_eq!(ask("DELETE", "/user/1018", site), 403, "{site}");
    }
    assert_eq!(stack.snapshot().await, before);
    let front_end = "Sec-Fetch-Site: same-site\r\nOrigin: http://localhost:5173\r\n";
    assert_eq!(ask("GET", "/user/me", "Sec-Fetch-Site: cross-site\r\n"), 200, "it cannot be read there");
    assert_eq!(ask("DELETE", "/user/1018", front_end), 200);
}

/// Returns the open ports of this process. The emulator opens its own only while a connection to it is made.
#[cfg(target_os = "linux")]
fn listening() -> BTreeSet<u16> {
    let sockets: BTreeSet<String> = std::fs::read_dir("/proc/self/fd")
        .expect("Linux")
        .filter_map(|file| std::fs::read_link(file.ok()?.path()).ok())
        .filter_map(|path| Some(path.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let table = std::fs::read_to_string("/proc/self/net/tcp").expect("Linux");
    let rows = table.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
    let listening = rows.filter(|row| row[3] == "0A" && sockets.contains(row[9]));
    listening.filter_map(|row| u16::from_str_radix(row[1].split_once(':')?.1, 16).ok()).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_stack_opens_no_other_port() {
    // Other tests open ports at the same time, so the stack starts in another process.
    let program = std::env::current_exe().expect("this program");
    let child = std::process::Command::new(program)
        .args(["--ignored", "--exact", "robustness::local_ports::prints_its_ports", "--nocapture"])
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&child.stdout);
    let line = text.lines().find(|line| line.starts_with("ports ")).unwrap_or_else(|| panic!("{text}"));
    let (told, open) = line.trim_start_matches("ports ").split_once(" / ").expect("two lists");
    assert_eq!(told, open);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by another test, in a process of its own"]
async fn prints_its_ports() {
    let stack = TestStack::with(Options { mailer: true, ..all_ports() }).await;
    let tables = stack.dynamodb_client();
    let asking = (0..100).map(|_| tables.list_tables().send());
    assert!(futures::future::join_all(asking).await.iter().all(Result::is_ok));
    let told: BTreeSet<u16> = ports(&stack)
        .into_iter()
        .map(|(address, _)| address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port"))
        .collect();
    writeln!(std::io::stdout(), "ports {told:?} / {:?}", listening()).expect("somebody reads");
}
