//! HTTP client that hands requests straight to the emulators of this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::http::{
    HttpClient as _, HttpConnector, HttpConnectorFuture, SharedHttpClient, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use presence_runtime::aws::http_client;
use tokio::runtime::Handle;

use super::proxy::{Pool, remove_headers};

/// Emulator, with the runtime that serves it.
#[derive(Clone)]
struct Emulator {
    pool: Arc<Pool>,
    runtime: Handle,
}

/// Emulators of this process, by their ports.
static EMULATORS: Mutex<BTreeMap<u16, Emulator>> = Mutex::new(BTreeMap::new());

fn emulators() -> MutexGuard<'static, BTreeMap<u16, Emulator>> {
    EMULATORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the client reach an emulator by its port.
pub(super) fn register(port: u16, pool: Arc<Pool>, runtime: Handle) {
    emulators().insert(port, Emulator { pool, runtime });
}

/// Ends that. The next request goes by the network.
pub(super) fn unregister(port: u16) {
    emulators().remove(&port);
}

/// Returns an HTTP client that hands requests to an emulator of this process straight to it, and sends others by the network.
pub fn in_process_client() -> SharedHttpClient {
    let network = http_client();
    SharedHttpClient::new(http_client_fn(move |settings, components| {
        SharedHttpConnector::new(InProcess { network: network.http_connector(settings, components) })
    }))
}

#[derive(Debug)]
struct InProcess {
    network: SharedHttpConnector,
}

impl HttpConnector for InProcess {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        match emulator_of(request.uri()) {
            Some(emulator) => HttpConnectorFuture::new(emulator.send(request)),
            None => self.network.call(request),
        }
    }
}

fn emulator_of(url: &str) -> Option<Emulator> {
    let port = url.strip_prefix("http://127.0.0.1:")?.split('/').next()?.parse().ok()?;
    emulators().get(&port).cloned()
}

impl Emulator {
    async fn send(self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let (mut head, body) = request.try_into_http1x().map_err(user_error)?.into_parts();
        // Bodies of calls to DynamoDB are in memory.
        let body = body.bytes().unwrap_or_default();
        // Others have their turn first, as while a network answers. A caller that gives up meanwhile has sent nothing.
        tokio::task::yield_now().await;
        // On the caller's thread: to wake another one, and to be woken, takes longer than most calls.
        let answer = if let Some(answer) = self.pool.run(&head.headers, body) {
            answer
        } else {
            head.uri = head.uri.path().parse().map_err(user_error)?;
            remove_headers(&mut head.headers);
            let request = Request::from_parts(head, Full::new(Bytes::copy_from_slice(body)));
            // A task of its own: a caller that gives up has sent the request all the same, as by the network.
            let answer = self.runtime.spawn(async move { self.pool.send(request).await }).await;
            let answer = answer.map_err(|error| ConnectorError::io(error.into()))?;
            answer.map_err(|error| ConnectorError::io(error.into()))?
        };
        HttpResponse::try_from(answer.map(SdkBody::from)).map_err(user_error)
    }
}

fn user_error(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ConnectorError {
    ConnectorError::user(error.into())
}
