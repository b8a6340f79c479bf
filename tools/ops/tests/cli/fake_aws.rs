//! Fake AWS: STS, SSO and an empty `DynamoDB` on one port. It records who signed each call.

use std::sync::{Arc, Mutex, PoisonError};

use crate::fake_http::{self, Message};

/// Action of a call, and the id of the key that signed it (empty if unsigned).
type RecordedCall = (String, String);

/// Fake AWS.
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
        let calls = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&calls);
        let url = fake_http::start(move |request| {
            let (action, answer) = answer(request);
            let signature = request.header("authorization").unwrap_or_default();
            let key_id = signature.split_once("Credential=").and_then(|(_, rest)| rest.split('/').next());
            let status = if action == refused { "403 Forbidden" } else { "200 OK" };
            let call = (action, key_id.unwrap_or_default().to_owned());
            recorded.lock().unwrap_or_else(PoisonError::into_inner).push(call);
            Some(format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{answer}", answer.len()).into_bytes())
        });
        Self { url, calls }
    }

    /// Returns the calls so far, in order.
    pub(super) fn calls(&self) -> Vec<RecordedCall> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns the action of a request and the body of the answer.
fn answer(request: &Message) -> (String, String) {
    if let Some(target) = request.header("x-amz-target") {
        return (target.rsplit('.').next().unwrap_or_default().to_owned(), "{}".to_owned());
    }
    if request.head.starts_with("GET /federation/credentials") {
        let keys =
            r#"{"accessKeyId": "OFSSO", "secretAccessKey": "s", "sessionToken": "t", "expiration": 4102444800000}"#;
        return ("GetRoleCredentials".to_owned(), format!(r#"{{"roleCredentials": {keys}}}"#));
    }
    let body = String::from_utf8_lossy(&request.body);
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
