//! Local SES: serves `SendEmail` of the SES API version 2, and puts each accepted mail into the mailbox.
//!
//! Protocol: <https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html>.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::routing::post;
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use presence_mailer::{Mail, Mailer, SendResult, message};
use presence_runtime::clock::{Clock as _, SystemClock};
use serde::Deserialize;
use serde_json::json;

use super::mailbox::{Mailbox, SentMail, SesMode};
use crate::response::{broken_response, json_response};

/// Path at which the endpoint URL of SES ends.
pub(crate) const SES_PATH: &str = "/ses";

/// Media type of requests and responses.
const JSON: &str = "application/json";
/// Largest number of recipients of a mail: the quota of SES.
const MAX_RECIPIENTS: usize = 50;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SendEmail {
    from_email_address: String,
    destination: Destination,
    content: Content,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Destination {
    to_addresses: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Content {
    simple: Message,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Message {
    subject: Text,
    body: MessageBody,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct MessageBody {
    html: Text,
    text: Text,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Text {
    data: String,
}

/// Error response of SES.
struct SesError {
    status: StatusCode,
    code: &'static str,
    message: String,
}

pub(super) fn router(mailbox: Arc<Mailbox>) -> Router {
    Router::new().route(&format!("{SES_PATH}/v2/email/outbound-emails"), post(send_email)).with_state(mailbox)
}

async fn send_email(State(mailbox): State<Arc<Mailbox>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let accepted = parse_request(&headers, &body).and_then(|request| {
        let Message { subject, body } = request.content.simple;
        let to = request.destination.to_addresses.join(", ");
        let (subject, html, text) = (subject.data, body.html.data, body.text.data);
        accept(&mailbox, request.from_email_address, to, message::Message { subject, html, text })
    });
    match accepted {
        Ok(Accepted { loses_reply: true, .. }) => broken_response(),
        Ok(Accepted { id, .. }) => json_response(StatusCode::OK, JSON, &json!({ "MessageId": id })),
        Err(error) => error.into_response(),
    }
}

/// Mailer of the stack's own outbox: the local SES without HTTP. So the stack needs no SDK of SES.
pub(crate) struct LocalMailer {
    pub(crate) mailbox: Arc<Mailbox>,
    pub(crate) sender: String,
}

impl Mailer for LocalMailer {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, SendResult> {
        let Mail { to, message } = mail.clone();
        let result = match accept(&self.mailbox, self.sender.clone(), to, message) {
            Ok(Accepted { loses_reply: true, .. }) => SendResult::Unknown("ResponseError".to_owned()),
            Ok(_) => SendResult::Sent,
            Err(error) => SendResult::Refused(error.code.to_owned()),
        };
        ready(result).boxed()
    }
}

/// Mail that the local SES took.
struct Accepted {
    id: String,
    /// True if the sender must not learn of it.
    loses_reply: bool,
}

/// Puts a mail into the mailbox, if the mode lets it.
fn accept(mailbox: &Mailbox, from: String, to: String, message: message::Message) -> Result<Accepted, SesError> {
    let mode = mailbox.ses_mode();
    check_mode(mode)?;
    let message::Message { subject, html, text } = message;
    let id = format!("{:032x}", fastrand::u128(..));
    let (links, sent_at) = (find_links(&text), format!("{:.3}", SystemClock.now()));
    mailbox.add(SentMail { id: id.clone(), to, subject, html, text, sent_at, links }, from);
    Ok(Accepted { id, loses_reply: mode == SesMode::LoseReply })
}

fn parse_request(headers: &HeaderMap, body: &[u8]) -> Result<SendEmail, SesError> {
    // A browser lets a page of another site send text and forms without a preflight request, but not JSON.
    if !is_json(headers) {
        let message = "the body must be application/json".to_owned();
        return Err(SesError { status: StatusCode::UNSUPPORTED_MEDIA_TYPE, code: "BadRequestException", message });
    }
    let request: SendEmail = serde_json::from_slice(body).map_err(|error| bad_request(&error.to_string()))?;
    let recipients = request.destination.to_addresses.len();
    if recipients == 0 || recipients > MAX_RECIPIENTS || !request.from_email_address.contains('@') {
        return Err(bad_request("sender or recipients are missing"));
    }
    Ok(request)
}

fn check_mode(mode: SesMode) -> Result<(), SesError> {
    match mode {
        SesMode::Accept | SesMode::LoseReply => Ok(()),
        SesMode::Throttle => Err(SesError {
            status: StatusCode::TOO_MANY_REQUESTS,
            code: "TooManyRequestsException",
            message: "Maximum sending rate exceeded.".to_owned(),
        }),
        SesMode::Reject => Err(SesError {
            status: StatusCode::BAD_REQUEST,
            code: "MessageRejected",
            message: "Email address is not verified.".to_owned(),
        }),
    }
}

fn bad_request(message: &str) -> SesError {
    SesError { status: StatusCode::BAD_REQUEST, code: "BadRequestException", message: message.to_owned() }
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(JSON)
}

fn find_links(text: &str) -> Vec<String> {
    let is_link = |word: &&str| word.starts_with("https://") || word.starts_with("http://");
    text.split_whitespace().filter(is_link).map(str::to_owned).collect()
}

impl SesError {
    fn into_response(self) -> Response<Body> {
        let mut response = json_response(self.status, JSON, &json!({ "message": self.message }));
        response.headers_mut().insert("x-amzn-errortype", HeaderValue::from_static(self.code));
        response
    }
}
