//! Address that a request comes from. No header of a client counts.

use std::net::IpAddr;

use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt as _};

/// Address of the client of the edge; `None` if the edge does not tell it. Only a request that came through the edge has this extension.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewerAddress(pub(super) Option<IpAddr>);

/// Returns the address that a request comes from: behind the edge that of its client, and else the one that the gateway sees.
pub(super) fn source_address(request: &Request) -> Option<IpAddr> {
    if let Some(ViewerAddress(address)) = request.extensions().get() {
        return *address;
    }
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.http.source_ip.as_deref()?.parse().ok(),
        _ => None,
    }
}
