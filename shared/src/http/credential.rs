//! Where a key may stand in a request.

use lambda_http::Request;
use lambda_http::http::header::AUTHORIZATION;
use secrecy::SecretString;
use serde_json::Value;

use crate::error::Error;

/// The name of the query parameter and of the body field.
pub(super) const API_KEY: &str = "api_key";

/// Takes the key out of the request. Given in several places it must be the same everywhere.
pub(super) fn take(
    request: &Request,
    query: &mut Vec<(String, String)>,
    body: &mut Vec<(String, Value)>,
) -> Result<Option<SecretString>, Error> {
    let mut given: Vec<String> = Vec::new();
    for name in ["x-api-key", "x-apikey"] {
        given.extend(header(request, name));
    }
    given.extend(header(request, AUTHORIZATION.as_str()).and_then(|value| bearer(&value)));
    let in_query: Vec<_> = query.extract_if(.., |(name, _)| name == API_KEY).map(|(_, value)| value).collect();
    let repeated = in_query.len() > 1 && in_query.iter().all(|value| *value == in_query[0]);
    given.extend(in_query.into_iter().filter(|value| !value.trim().is_empty()));
    for (_, value) in body.extract_if(.., |(name, _)| name == API_KEY) {
        match value {
            Value::Null => {}
            Value::String(text) if text.trim().is_empty() => {}
            Value::String(text) => given.push(text),
            // Not a key: refused like any other that is malformed.
            other => given.push(other.to_string()),
        }
    }
    let first = given.pop();
    if given.iter().any(|other| Some(other) != first.as_ref()) {
        return Err(Error::invalid("the request has two different API keys"));
    }
    if repeated {
        return Err(Error::invalid_field(API_KEY, "is given more than once"));
    }
    Ok(first.map(SecretString::from))
}

fn header(request: &Request, name: &str) -> Option<String> {
    let value = request.headers().get(name)?;
    // A header that is not text cannot be a key; it is kept as one that is malformed.
    Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned()).filter(|text| !text.is_empty())
}

fn bearer(value: &str) -> Option<String> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}
