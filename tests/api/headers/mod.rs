//! Headers that every operation shares: compression, HEAD, tags and links.

mod compression;
mod conditional;
mod head;
mod links;

use std::io::Read as _;

use flate2::read::GzDecoder;
use presence_local::Options;
use presence_tests::{TestStack, long_timeouts};
use reqwest::header::HeaderMap;

/// Answer with its bytes as they came.
struct RawReply {
    status: u16,
    headers: HeaderMap,
    bytes: Vec<u8>,
}

impl RawReply {
    /// Returns a header; empty if it is missing.
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the body as text, decompressed if it has a coding.
    fn text(&self) -> String {
        let mut text = String::new();
        match self.header("content-encoding") {
            "gzip" => GzDecoder::new(&self.bytes[..]).read_to_string(&mut text).expect("gzip"),
            coding => {
                assert_eq!(coding, "", "no other coding is known");
                (&self.bytes[..]).read_to_string(&mut text).expect("UTF-8")
            }
        };
        text
    }

    /// Returns the headers that do not differ from request to request.
    fn stable_headers(&self) -> Vec<(String, String)> {
        const VARYING: [&str; 4] = ["date", "x-request-id", "apigw-requestid", presence_local::gateway::WAVES_HEADER];
        let headers = self.headers.iter().filter(|(name, _)| !VARYING.contains(&name.as_str()));
        let mut headers: Vec<_> =
            headers.map(|(name, value)| (name.to_string(), value.to_str().expect("a text").to_owned())).collect();
        headers.sort_unstable();
        headers
    }
}

/// Sends a request, and keeps the bytes of the answer. The client decompresses nothing.
async fn send_raw(request: reqwest::RequestBuilder) -> RawReply {
    let response = request.send().await.expect("the gateway answers");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    RawReply { status, headers, bytes: response.bytes().await.expect("a body").to_vec() }
}

/// Starts a stack with the sample data.
async fn sample_stack() -> TestStack {
    TestStack::with(Options { sample: true, ..long_timeouts() }).await
}

/// Builds a request with a key of the sample, and with a header.
fn request_with(stack: &TestStack, method: &str, path: &str, name: &str, value: &str) -> reqwest::RequestBuilder {
    stack.request(method, path).header("x-api-key", &stack.local.keys()["ORG_ADMIN"]).header(name, value)
}
