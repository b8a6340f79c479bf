//! A stand-in for the services that `ops` asks: STS, SSO and an empty `DynamoDB` on one port, which write down who calls.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// A call: what was asked for, and the id of the key that signed it, if one did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) action: String,
    pub(super) key_id: Option<String>,
}

/// Ends with the process: its thread waits for calls, and holds nothing.
pub(super) struct Aws {
    pub(super) url: String,
    calls: Arc<Mutex<Vec<Signed>>>,
}

impl Aws {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address: SocketAddr = listener.local_addr().expect("a bound socket has an address");
        let calls = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&calls);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || stream.map(|stream| serve(stream, &seen)));
            }
        });
        Self { url: format!("http://{address}"), calls }
    }

    /// The calls so far, in their order.
    pub(super) fn calls(&self) -> Vec<(String, String)> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().map(|call| (call.action.clone(), call.key_id.clone().unwrap_or_default())).collect()
    }
}

/// Answers the requests of one connection until the client closes it.
fn serve(stream: TcpStream, calls: &Mutex<Vec<Signed>>) -> Option<()> {
    let mut writer = stream.try_clone().ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        loop {
            let before = head.len();
            reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
            if head[before..].trim_end().is_empty() {
                break;
            }
        }
        let header = |name: &str| {
            let value = |line: &str| {
                line.split_once(':')
                    .filter(|(given, _)| given.eq_ignore_ascii_case(name))
                    .map(|(_, value)| value.trim().to_owned())
            };
            head.lines().find_map(value)
        };
        let length = header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (action, answer) = answer(&head, header("x-amz-target"), &String::from_utf8_lossy(&body));
        let signature = header("authorization").unwrap_or_default();
        let key_id =
            signature.split_once("Credential=").and_then(|(_, rest)| rest.split('/').next()).map(str::to_owned);
        calls.lock().unwrap_or_else(PoisonError::into_inner).push(Signed { action, key_id });
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", answer.len());
        writer.write_all(format!("{head}{answer}").as_bytes()).ok()?;
    }
}

fn answer(head: &str, target: Option<String>, body: &str) -> (String, String) {
    if let Some(target) = target {
        return (target.rsplit('.').next().unwrap_or_default().to_owned(), "{}".to_owned());
    }
    if head.starts_with("GET /federation/credentials") {
        let keys =
            r#"{"accessKeyId": "OFSSO", "secretAccessKey": "s", "sessionToken": "t", "expiration": 4102444800000}"#;
        return ("GetRoleCredentials".to_owned(), format!(r#"{{"roleCredentials": {keys}}}"#));
    }
    let action = body.split('&').find_map(|pair| pair.strip_prefix("Action=")).unwrap_or_default().to_owned();
    let credentials = "<Credentials><AccessKeyId>OFROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey>\
                       <SessionToken>t</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration></Credentials>";
    let user = "<AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/ops/x</Arn>\
                <AssumedRoleId>A:x</AssumedRoleId></AssumedRoleUser>";
    let result = format!("<{action}Result>{credentials}{user}</{action}Result>");
    let answer =
        format!("<{action}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">{result}</{action}Response>");
    (action, answer)
}
