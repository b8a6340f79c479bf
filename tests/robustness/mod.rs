//! Hostile input in every field, parameter, path and header: no answer is 500 or above, every answer has its envelope, and
//! the data do not change.

mod bodies;
mod headers;
mod hostile_values;
mod keys_and_replies;
mod large_pages;
mod local_ports;
mod outcomes;
mod paths;
mod queries;
mod raw_http;

use presence_tests::Reply;

use crate::api::{SERVICE_HEADERS, cache_control};

/// Component that answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Function behind the gateway.
    Service,
    /// Gateway, which calls no function.
    Gateway,
    /// HTTP server, for a request that is not HTTP.
    Server,
}

/// Asserts that the answer has the envelope of its origin, and returns the origin.
fn check_envelope(reply: &Reply, what: &str) -> Origin {
    assert!(reply.status < 500, "{what}: {} {}", reply.status, reply.text);
    let body = reply.json();
    if reply.headers.contains_key("x-request-id") {
        for (name, value) in SERVICE_HEADERS.into_iter().chain([("cache-control", cache_control(reply))]) {
            assert_eq!(reply.header(name), value, "{what}: {name}");
        }
        let errors = body["errors"].as_object();
        let kind = errors.and_then(|errors| errors.keys().next()).map_or("", String::as_str);
        let expected = match reply.status {
            200 => "",
            401 => "authentication",
            403 => "authorization",
            _ => "json",
        };
        assert!(kind == expected && errors.is_none_or(|errors| errors.len() == 1), "{what}: {}", reply.text);
        assert!(body.is_object(), "{what}: {}", reply.text);
        return Origin::Service;
    }
    if reply.headers.contains_key("apigw-requestid") {
        assert!(body["message"].is_string() && [400, 404, 413, 431].contains(&reply.status), "{what}: {}", reply.text);
        return Origin::Gateway;
    }
    assert_eq!((reply.status, reply.text.as_str()), (400, ""), "{what}");
    Origin::Server
}
