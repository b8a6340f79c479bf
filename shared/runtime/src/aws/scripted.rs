//! Connector of tests that gives answers in turn, and keeps the requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::retry::RetryConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;

/// Answer: status, headers and body.
pub(super) type ScriptedAnswer = (u16, &'static [(&'static str, &'static str)], &'static str);

#[derive(Clone, Debug)]
pub(super) struct Script(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    answers: VecDeque<ScriptedAnswer>,
    requests: Vec<(String, String)>,
}

impl Script {
    pub(super) fn new(answers: &[ScriptedAnswer]) -> Self {
        Self(Arc::new(Mutex::new(State { answers: answers.iter().copied().collect(), requests: Vec::new() })))
    }

    /// Returns settings with this connector, credentials and a region.
    pub(super) fn config(&self, endpoint: Option<&str>) -> SdkConfig {
        let connector = SharedHttpConnector::new(self.clone());
        let credentials = Credentials::new("AKID", "secret", None, None, "test");
        let mut config = SdkConfig::builder()
            .region(Region::new("eu-west-1"))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .retry_config(RetryConfig::disabled())
            .http_client(http_client_fn(move |_, _| connector.clone()));
        config.set_endpoint_url(endpoint.map(str::to_owned));
        config.build()
    }

    /// Returns method and URL of each request with its range, and its body.
    pub(super) fn requests(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.0.lock().expect("no panic").requests)
    }
}

impl HttpConnector for Script {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let mut state = self.0.lock().expect("no panic");
        let range = request.headers().get("range").map(|range| format!(" {range}")).unwrap_or_default();
        let body = String::from_utf8_lossy(request.body().bytes().unwrap_or_default()).into_owned();
        state.requests.push((format!("{} {}{range}", request.method(), request.uri()), body));
        let (status, headers, body) = state.answers.pop_front().expect("an answer");
        let status = StatusCode::try_from(status).expect("a status");
        let mut response = HttpResponse::new(status, SdkBody::from(body));
        for (name, value) in headers {
            response.headers_mut().insert(*name, *value);
        }
        HttpConnectorFuture::ready(Ok(response))
    }
}
