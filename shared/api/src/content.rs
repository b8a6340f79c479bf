//! Content of an answer in the coding in which it is sent, and the form in which a client wants it.

use lambda_http::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, STRICT_TRANSPORT_SECURITY};
use lambda_http::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use lambda_http::{Body, Request};

use crate::accept_encoding::ContentCoding;
use crate::gzip;
use crate::page_links::is_https;

/// Form in which a client wants an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnswerForm {
    /// Coding of the content.
    pub(crate) coding: ContentCoding,
    /// True if the client wants the status and the headers alone.
    pub(crate) is_head: bool,
    /// True if the client came over HTTPS.
    pub(crate) is_https: bool,
}

/// Header that tells a client that came over HTTPS not to come without it for a year.
pub(crate) const ALWAYS_HTTPS: (HeaderName, HeaderValue) =
    (STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));

impl AnswerForm {
    /// Reads the form from the method and the headers of a request.
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            coding: ContentCoding::from_headers(request.headers()),
            is_head: request.method() == Method::HEAD,
            is_https: is_https(request),
        }
    }
}

/// Content of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// No content: that of a 304.
    Nothing,
    /// Text as it is.
    Text(String),
    /// Text, compressed by gzip.
    Gzip(Vec<u8>),
}

impl Content {
    /// Compresses a text if the coding says so.
    pub(crate) fn encoded(self, coding: ContentCoding) -> Self {
        let Self::Text(text) = self else { return self };
        gzip::compress(&text, coding).map_or(Self::Text(text), Self::Gzip)
    }

    /// Returns the response with these headers, and those that the content needs.
    pub(crate) fn into_response(self, status: StatusCode, mut headers: HeaderMap, is_head: bool) -> Response<Body> {
        self.add_coding(&mut headers);
        if is_head && self != Self::Nothing {
            // The gateway counts the bytes of a body, and here is none to count.
            headers.insert(CONTENT_LENGTH, HeaderValue::from(self.len()));
        }
        let mut response = Response::new(if is_head { Body::Empty } else { self.into_body() });
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }

    /// Adds the header with the coding, unless the content has none.
    pub(crate) fn add_coding(&self, headers: &mut HeaderMap) {
        if matches!(self, Self::Gzip(_)) {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }

    /// Returns the size inside a JSON string, in bytes: of text with the escapes that `serde_json` writes, of the rest in base64.
    pub(crate) fn bytes_in_json(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Text(text) => text.bytes().map(escaped_bytes).sum(),
            Self::Gzip(bytes) => bytes.len().div_ceil(3) * 4,
        }
    }

    /// Returns the size as the client gets it, in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Text(text) => text.len(),
            Self::Gzip(bytes) => bytes.len(),
        }
    }

    fn into_body(self) -> Body {
        match self {
            Self::Nothing => Body::Empty,
            Self::Text(text) => Body::Text(text),
            Self::Gzip(bytes) => Body::Binary(bytes),
        }
    }
}

fn escaped_bytes(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\x08' | b'\t' | b'\n' | b'\x0c' | b'\r' => 2,
        ..0x20 => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_counts_the_bytes_that_it_takes() {
        for character in ('\0'..='\u{2100}').chain(['\u{fffd}', '\u{1f511}']) {
            let written = serde_json::to_string(&character).expect("JSON").len() - 2;
            let counted = Content::Text(character.to_string()).bytes_in_json();
            assert_eq!(counted, written, "U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn compressed_content_counts_the_bytes_of_its_base64() {
        for length in 0..10 {
            let bytes = vec![7; length];
            let written = serde_json::to_string(&Body::Binary(bytes.clone())).expect("JSON").len() - 2;
            assert_eq!(Content::Gzip(bytes).bytes_in_json(), written, "{length} bytes");
        }
    }

    #[test]
    fn head_has_the_length_of_the_content_and_no_body() {
        let text = "a".repeat(5000);
        for coding in [ContentCoding::Identity, ContentCoding::Gzip] {
            let content = Content::Text(text.clone()).encoded(coding);
            let length = content.len();
            let response = content.clone().into_response(StatusCode::OK, HeaderMap::new(), true);
            assert_eq!(response.headers()[CONTENT_LENGTH], length.to_string());
            assert_eq!(response.body(), &Body::Empty);
            let whole = content.into_response(StatusCode::OK, HeaderMap::new(), false);
            assert_eq!(whole.body().len(), length);
            assert_eq!(whole.headers().get(CONTENT_ENCODING), response.headers().get(CONTENT_ENCODING));
        }
        let not_modified = Content::Nothing.into_response(StatusCode::NOT_MODIFIED, HeaderMap::new(), true);
        assert!(not_modified.headers().is_empty(), "the content that the client has is not empty");
    }
}
