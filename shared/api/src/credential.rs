//! API key of a request, and the places where a client may put it.

use lambda_http::Request;
use lambda_http::http::header::AUTHORIZATION;
use secrecy::SecretString;
use serde_json::Value;

use presence_domain::error::Error;

/// Name of the query parameter and of the body field that hold a key.
pub(super) const API_KEY: &str = "api_key";

/// Headers that hold a key and nothing else.
const KEY_HEADERS: [&str; 2] = ["x-api-key", "x-apikey"];

/// Takes the key out of the request. Keys may stand in several places if all are equal.
pub(super) fn take(
    request: &Request,
    query: &mut Vec<(String, String)>,
    body: &mut Vec<(String, Value)>,
) -> Result<Option<SecretString>, Error> {
    let mut keys = keys_in_headers(request);
    let in_query: Vec<_> = query.extract_if(.., |(name, _)| name == API_KEY).map(|(_, value)| value).collect();
    // Different keys in the query string are reported as different keys, below.
    let is_repeated = in_query.len() > 1 && in_query.iter().all(|value| *value == in_query[0]);
    keys.extend(in_query.into_iter().filter(|value| !value.trim().is_empty()));
    let in_body = body.extract_if(.., |(name, _)| name == API_KEY);
    keys.extend(in_body.filter_map(|(_, value)| key_in_json(value)));
    let last = keys.pop();
    if keys.iter().any(|other| Some(other) != last.as_ref()) {
        return Err(Error::invalid("the request has two different API keys"));
    }
    if is_repeated {
        return Err(Error::invalid_field(API_KEY, "is given more than once"));
    }
    Ok(last.map(SecretString::from))
}

fn keys_in_headers(request: &Request) -> Vec<String> {
    let mut keys = Vec::new();
    for name in KEY_HEADERS {
        keys.extend(header(request, name).iter().flat_map(|value| split_list(value)).map(str::to_owned));
    }
    let authorization = header(request, AUTHORIZATION.as_str());
    keys.extend(authorization.iter().flat_map(|value| bearer_tokens(value)).map(str::to_owned));
    keys
}

/// Returns the key that a body field holds. Null and blank text are no key.
fn key_in_json(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text),
        // A value of another type is kept as text. It is refused like any other malformed key.
        other => Some(other.to_string()),
    }
}

/// Returns the text of a header, unless it is blank.
fn header(request: &Request, name: &str) -> Option<String> {
    let value = request.headers().get(name)?;
    // Bytes that are not UTF-8 cannot be a key. They are kept, so that the key is refused as malformed.
    Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned()).filter(|text| !text.is_empty())
}

/// Splits the values of a header that was sent more than once. The gateway joins them with commas, and no key has a comma.
fn split_list(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// Returns the tokens of the scheme `Bearer`. A part without a scheme belongs to the scheme of the part before it.
fn bearer_tokens(value: &str) -> Vec<&str> {
    let (mut tokens, mut is_bearer) = (Vec::new(), false);
    for part in split_list(value) {
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
