//! Where a key may stand in a request.

use lambda_http::Request;
use lambda_http::http::header::AUTHORIZATION;
use secrecy::SecretString;
use serde_json::Value;

use presence_domain::error::Error;

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
        given.extend(header(request, name).iter().flat_map(|value| parts(value)).map(str::to_owned));
    }
    given.extend(header(request, AUTHORIZATION.as_str()).iter().flat_map(|value| bearers(value)).map(str::to_owned));
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

/// The values of a header that was sent more than once: the gateway joins them with a comma, which no key has.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// The tokens of the scheme `Bearer`. What follows a comma without a scheme of its own belongs to the scheme before it.
fn bearers(value: &str) -> Vec<&str> {
    let (mut tokens, mut is_bearer) = (Vec::new(), false);
    for part in parts(value) {
        let token = match part.split_once(' ') {
            Some((scheme, token)) => {
                is_bearer = scheme.eq_ignore_ascii_case("bearer");
                token.trim()
            }
            None => part,
        };
        tokens.extend(is_bearer.then_some(token));
    }
    tokens
}
