//! Errors of the client. None of them holds the key.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use progenitor_client::ResponseValue;
use reqwest::Response;
use serde_json::Value;

use crate::layer::retry_after;

/// Error of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An answer that refuses the request.
    #[error(transparent)]
    Api(Box<ApiError>),
    /// No answer: the connection failed or the time was over, in each attempt.
    #[error("no answer")]
    Network(#[source] reqwest::Error),
    /// A request that could not be built, or an answer of another form.
    #[error("{0}")]
    Form(String),
}

/// Answer that refuses a request: its status is 300 or above.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{status}: {message}{}", request_id.as_deref().map(|id| format!(" (request {id})")).unwrap_or_default())]
#[non_exhaustive]
pub struct ApiError {
    /// HTTP status.
    pub status: u16,
    /// Text for a developer.
    pub message: String,
    /// Errors by the name of the field or parameter. Empty if the request is refused as a whole.
    pub fields: BTreeMap<String, FieldError>,
    /// Id under which the service logged the request.
    pub request_id: Option<String>,
    /// Time after which the service asks to try again.
    pub retry_after: Option<Duration>,
}

/// Error of one field or parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldError {
    /// Text for a developer.
    pub message: String,
    /// Allowed values, where there is a fixed set.
    pub choices: Vec<String>,
}

impl fmt::Display for FieldError {
    /// Writes the message, with the allowed values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        if self.choices.is_empty() { Ok(()) } else { write!(formatter, " ({})", self.choices.join(", ")) }
    }
}

/// Kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// 400, 413, 415, 422, 431: the request is not valid. `fields` names what is wrong.
    InvalidRequest,
    /// 401: the key gives no access.
    Authentication,
    /// 403: the caller may not do this.
    Authorization,
    /// 404: the id is unknown, malformed, or of another organisation.
    NotFound,
    /// 409: other changes came first, or the same call is under way.
    Conflict,
    /// 410: the cursor is no longer kept, or was never given. `oldest_cursor` tells with which to go on.
    Gone,
    /// 429: too many requests, or an invitation too soon. `retry_after` says when to try again.
    TooManyRequests,
    /// 5xx: the service or one that it depends on failed.
    Service,
    /// Any other status.
    Other,
}

impl ApiError {
    /// Returns the kind that fits the status.
    pub fn kind(&self) -> Kind {
        match self.status {
            400 | 413 | 415 | 422 | 431 => Kind::InvalidRequest,
            401 => Kind::Authentication,
            403 => Kind::Authorization,
            404 => Kind::NotFound,
            409 => Kind::Conflict,
            410 => Kind::Gone,
            429 => Kind::TooManyRequests,
            500.. => Kind::Service,
            _ => Kind::Other,
        }
    }

    /// Returns the cursor before the oldest event that is kept, from an answer of the kind `Gone`. What was before it is lost to the reader.
    pub fn oldest_cursor(&self) -> Option<&str> {
        let (_, rest) = self.message.split_once("after the cursor ").filter(|_| self.kind() == Kind::Gone)?;
        rest.split_whitespace().next()
    }

    async fn read(response: Response) -> Result<Self, reqwest::Error> {
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let request_id = header("x-request-id").or_else(|| header("apigw-requestid"));
        let retry_after = retry_after(response.headers(), Timestamp::now());
        let status = response.status().as_u16();
        let (message, fields) = read_envelope(&response.bytes().await?);
        Ok(Self { status, message, fields, request_id, retry_after })
    }
}

impl Error {
    /// Returns the refusal, if it is one of that kind.
    pub fn refusal(&self, kind: Kind) -> Option<&ApiError> {
        match self {
            Self::Api(error) if error.kind() == kind => Some(error),
            _ => None,
        }
    }
}

/// Returns the body of an answer, or its error.
pub(crate) async fn body<T>(answer: Result<ResponseValue<T>, progenitor_client::Error<()>>) -> Result<T, Error> {
    use progenitor_client::Error as Generated;
    match answer {
        Ok(value) => Ok(value.into_inner()),
        Err(Generated::UnexpectedResponse(response)) => {
            Err(ApiError::read(response).await.map_or_else(Error::Network, |error| Error::Api(Box::new(error))))
        }
        Err(Generated::CommunicationError(error) | Generated::ResponseBodyError(error)) => Err(Error::Network(error)),
        Err(Generated::InvalidRequest(text)) => Err(Error::Form(text)),
        Err(Generated::InvalidResponsePayload(_, error)) => {
            Err(Error::Form(format!("the answer has another form: {error}")))
        }
        Err(_) => Err(Error::Form("the answer has another form".to_owned())),
    }
}

/// Returns the message and the errors of fields of a body. A body of the gateway, or of a proxy, has neither.
fn read_envelope(body: &[u8]) -> (String, BTreeMap<String, FieldError>) {
    let document: Value = serde_json::from_slice(body).unwrap_or_default();
    for subject in ["authentication", "authorization", "json"] {
        match &document["errors"][subject] {
            Value::String(text) => return (text.clone(), BTreeMap::new()),
            Value::Object(problems) => {
                let fields: BTreeMap<_, _> =
                    problems.iter().map(|(name, problem)| (name.clone(), field(problem))).collect();
                let texts: Vec<_> = fields.iter().map(|(name, field)| format!("{name} {field}")).collect();
                return (texts.join("; "), fields);
            }
            _ => {}
        }
    }
    (document["message"].as_str().unwrap_or("no explanation").to_owned(), BTreeMap::new())
}

fn field(problem: &Value) -> FieldError {
    let message = problem.as_str().or_else(|| problem["explanation"].as_str()).unwrap_or("no explanation");
    let choices = problem["choices"].as_array().into_iter().flatten().filter_map(Value::as_str);
    FieldError { message: message.to_owned(), choices: choices.map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> (String, BTreeMap<String, FieldError>) {
        read_envelope(body.to_string().as_bytes())
    }

    #[test]
    fn the_envelope_gives_message_and_fields() {
        let choice = json!({ "explanation": "is unknown", "choices": ["a", "b"] });
        let (message, fields) = read(&json!({ "errors": { "json": { "email": "is required", "role": choice } } }));
        assert_eq!(message, "email is required; role is unknown (a, b)");
        assert_eq!(fields["email"], FieldError { message: "is required".into(), choices: vec![] });
        assert_eq!(fields["role"], FieldError { message: "is unknown".into(), choices: vec!["a".into(), "b".into()] });
        for subject in ["authentication", "authorization", "json"] {
            assert_eq!(read(&json!({ "errors": { subject: "no" } })), ("no".to_owned(), BTreeMap::new()));
        }
    }

    #[test]
    fn a_body_of_a_gateway_or_a_proxy_is_no_envelope() {
        assert_eq!(read(&json!({ "message": "Service Unavailable" })).0, "Service Unavailable");
        for body in ["<html>", "", "null", "[]", r#"{"errors":null}"#, r#"{"errors":{"json":null}}"#] {
            assert_eq!(read_envelope(body.as_bytes()).0, "no explanation", "{body}");
        }
    }

    #[test]
    fn each_status_has_its_kind() {
        let kind = |status| {
            let (message, fields) = (String::new(), BTreeMap::new());
            ApiError { status, message, fields, request_id: Some("r-1".into()), retry_after: None }.kind()
        };
        for status in [400, 413, 415, 422, 431] {
            assert_eq!(kind(status), Kind::InvalidRequest);
        }
        assert_eq!([kind(401), kind(403), kind(404)], [Kind::Authentication, Kind::Authorization, Kind::NotFound]);
        assert_eq!([kind(409), kind(410), kind(429)], [Kind::Conflict, Kind::Gone, Kind::TooManyRequests]);
        assert_eq!(kind(302), Kind::Other);
        assert_eq!([kind(500), kind(503), kind(599)], [Kind::Service; 3]);
    }
}
