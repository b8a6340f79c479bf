//! An SES that speaks version 2 of its protocol, and keeps the mails that it is sent.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, header};
use axum::routing::post;
use futures::stream;
use presence_runtime::clock::{Clock as _, SystemClock};
use serde::Deserialize;
use serde_json::json;

use super::mailbox::{Mailbox, SentMail, Weather};

/// Path that the endpoint's URL ends with.
pub(crate) const SES: &str = "/ses";

/// The largest mail: SES takes 40 MB, we send some kilobytes.
const MAX_ADDRESSES: usize = 50;

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
    simple: Simple,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Simple {
    subject: Text,
    body: Parts,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Parts {
    html: Text,
    text: Text,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Text {
    data: String,
}

pub(super) fn router(mailbox: Arc<Mailbox>) -> Router {
    Router::new().route(&format!("{SES}/v2/email/outbound-emails"), post(send_email)).with_state(mailbox)
}

async fn send_email(State(mailbox): State<Arc<Mailbox>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    // A page of another site can send text and forms without asking first, but no JSON.
    if !is_json(&headers) {
        return refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "BadRequestException", "the body must be application/json");
    }
    let request: SendEmail = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => return refusal(StatusCode::BAD_REQUEST, "BadRequestException", &error.to_string()),
    };
    let to = request.destination.to_addresses;
    if to.is_empty() || to.len() > MAX_ADDRESSES || !request.from_email_address.contains('@') {
        return refusal(StatusCode::BAD_REQUEST, "BadRequestException", "sender or recipients are missing");
    }
    let weather = mailbox.weather();
    match weather {
        Weather::Throttle => {
            return refusal(
                StatusCode::TOO_MANY_REQUESTS,
                "TooManyRequestsException",
                "Maximum sending rate exceeded.",
            );
        }
        Weather::Refuse => {
            return refusal(StatusCode::BAD_REQUEST, "MessageRejected", "Email address is not verified.");
        }
        Weather::Fine | Weather::LoseReply => {}
    }
    let id = format!("{:032x}", fastrand::u128(..));
    let Simple { subject, body } = request.content.simple;
    let links = links(&body.text.data);
    mailbox.keep(SentMail {
        id: id.clone(),
        to: to.join(", "),
        subject: subject.data,
        html: body.html.data,
        text: body.text.data,
        sent_at: format!("{:.3}", SystemClock.now()),
        links,
    });
    if weather == Weather::LoseReply { lost() } else { answer(StatusCode::OK, &json!({ "MessageId": id })) }
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

fn links(text: &str) -> Vec<String> {
    let is_link = |word: &&str| word.starts_with("https://") || word.starts_with("http://");
    text.split_whitespace().filter(is_link).map(str::to_owned).collect()
}

fn answer(status: StatusCode, body: &serde_json::Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn refusal(status: StatusCode, code: &'static str, message: &str) -> Response<Body> {
    let mut response = answer(status, &json!({ "message": message }));
    response.headers_mut().insert("x-amzn-errortype", header::HeaderValue::from_static(code));
    response
}

/// A connection that breaks in the middle of the answer.
fn lost() -> Response<Body> {
    let broken = Err::<Bytes, _>(io::Error::new(io::ErrorKind::ConnectionReset, "the reply is lost on purpose"));
    let mut response = Response::new(Body::from_stream(stream::iter([broken])));
    response.headers_mut().insert(header::CONTENT_LENGTH, header::HeaderValue::from_static("64"));
    response
}
