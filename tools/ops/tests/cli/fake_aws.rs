//! Fake AWS: STS, SSO and an empty `DynamoDB` on one port. It records who signed each call.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// Action of a call, and the id of the key that signed it (empty if unsigned).
type RecordedCall = (String, String);

/// Fake AWS. Its thread ends with the process.
pub(super) struct FakeAws {
    pub(super) url: String,
    calls: Arc<Mutex<Vec<RecordedCall>>>,
}

impl FakeAws {
    pub(super) fn start() -> Self {
        Self::refusing("")
    }

    /// Starts a fake that refuses an action.
    pub(super) fn refusing(refused: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let calls = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&calls);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let recorded = Arc::clone(&recorded);
                std::thread::spawn(move || stream.map(|stream| serve(stream, refused, &recorded)));
            }
        });
        Self { url: format!("http://{address}"), calls }
    }

    /// Returns the calls so far, in order.
    pub(super) fn calls(&self) -> Vec<RecordedCall> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Answers the requests of one connection. Returns `None` when the client closes it.
fn serve(stream: TcpStream, refused: &str, calls: &Mutex<Vec<RecordedCall>>) -> Option<()> {
    let mut writer = stream.try_clone().ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let head = read_head(&mut reader)?;
        let length = header(&head, "content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (action, answer) = answer(&head, &String::from_utf8_lossy(&body));
        let signature = header(&head, "authorization").unwrap_or_default();
        let key_id = signature.split_once("Credential=").and_then(|(_, rest)| rest.split('/').next());
        let status = if action == refused { "403 Forbidden" } else { "200 OK" };
        let call = (action, key_id.unwrap_or_default().to_owned());
        calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", answer.len());
        writer.write_all(format!("{head}{answer}").as_bytes()).ok()?;
    }
}

/// Reads the request line and the headers, up to the blank line.
pub(super) fn read_head(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = String::new();
    loop {
        let start = head.len();
        reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
        if head[start..].trim_end().is_empty() {
            return Some(head);
        }
    }
}

pub(super) fn header(head: &str, name: &str) -> Option<String> {
    let headers = head.lines().filter_map(|line| line.split_once(':'));
    let mut values = headers.filter(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    values.next().map(|value| value.trim().to_owned())
}

/// Returns the action of a request and the body of the answer.
fn answer(head: &str, body: &str) -> (String, String) {
    if let Some(target) = header(head, "x-amz-target") {
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
    let caller = "<Arn>arn:aws:iam::123456789012:user/ada</Arn><UserId>A</UserId><Account>123456789012</Account>";
    let result = match action.as_str() {
        "GetCallerIdentity" => caller.to_owned(),
        _ => format!("{credentials}{user}"),
    };
    let result = format!("<{action}Result>{result}</{action}Result>");
    let answer =
        format!("<{action}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">{result}</{action}Response>");
    (action, answer)
}
