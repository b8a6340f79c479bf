//! Tests of the event: its shape, and that no request makes the function's runtime panic.

use std::collections::HashMap;

use super::super::RouteTable;
use super::*;
use lambda_http::request::LambdaRequest;
use lambda_http::{Body, Request, RequestExt};
use proptest::prelude::*;
use serde_json::{Value, json};

const RECEIVED_AT: i64 = 1_795_249_800_123;

/// HTTP request of a test.
struct TestRequest {
    method: Method,
    target: Vec<u8>,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: &'static [u8],
}

fn get(target: &str) -> TestRequest {
    TestRequest { method: Method::GET, target: target.as_bytes().to_vec(), headers: Vec::new(), body: b"" }
}

fn post(content_type: &'static str, body: &'static [u8]) -> TestRequest {
    let headers = vec![("content-type", content_type.as_bytes().to_vec())];
    TestRequest { method: Method::POST, target: b"/".to_vec(), headers, body }
}

fn event_of(sent: &TestRequest) -> ApiGatewayV2httpRequest {
    let keys = ["GET /api/v2/user/{user_id}", "ANY /api/v2/user/{proxy+}", "$default"];
    let table = RouteTable::new(keys.map(|key| (key.to_owned(), ()))).expect("keys are valid");
    let mut headers = HeaderMap::new();
    for (name, value) in &sent.headers {
        headers.append(*name, HeaderValue::from_bytes(value).expect("a valid header value"));
    }
    let host = ApiHost::from_headers(&headers).unwrap_or_else(|_| ApiHost::parse("localhost").expect("a host"));
    let incoming = IncomingRequest {
        method: &sent.method,
        target: &sent.target,
        version: Version::HTTP_11,
        headers: &headers,
        body: sent.body,
        host: &host,
        source_ip: IpAddr::from([127, 0, 0, 1]),
        request_id: "JKJaXmPLvHcESHA=",
        trace_id: "Root=1-6b019b48-0123456789abcdef01234567",
        received_at: Timestamp::from_millisecond(RECEIVED_AT).expect("an instant"),
    };
    // The gateway answers 404 to a target that is not a path. The event is tested with such targets, too.
    let default_route = RouteMatch { key: "$default", function: &(), path_parameters: HashMap::new() };
    let route = table.find(&sent.method, incoming.path()).unwrap_or(default_route);
    build(&incoming, &route)
}

/// Returns the request that the function receives.
fn request_of(sent: &TestRequest) -> Request {
    let json = to_json(&event_of(sent)).expect("an event is JSON");
    serde_json::from_slice::<LambdaRequest>(&json).expect("lambda_http reads the event").into()
}

#[test]
fn event_has_the_documented_shape() {
    let sent = TestRequest {
        method: Method::GET,
        target: b"/api/v2/user/a%20b?parameter1=value1&parameter1=value%202&parameter2=value".to_vec(),
        headers: vec![
            ("host", b"id.execute-api.localhost:3000".to_vec()),
            ("Header1", b"value1".to_vec()),
            ("Header2", b"value1".to_vec()),
            ("Header2", b"value2".to_vec()),
            ("Cookie", b"cookie1=a; cookie2=b".to_vec()),
            ("Connection", b"keep-alive".to_vec()),
            ("User-Agent", b"agent".to_vec()),
        ],
        body: b"",
    };
    let json = to_json(&event_of(&sent)).expect("an event is JSON");
    let expected = json!({
        "version": "2.0",
        "routeKey": "GET /api/v2/user/{user_id}",
        "rawPath": "/api/v2/user/a b",
        "rawQueryString": "parameter1=value1&parameter1=value%202&parameter2=value",
        "cookies": ["cookie1=a", "cookie2=b"],
        "headers": {
            "content-length": "0",
            "header1": "value1",
            "header2": "value1,value2",
            "host": "id.execute-api.localhost:3000",
            "user-agent": "agent",
            "x-amzn-trace-id": "Root=1-6b019b48-0123456789abcdef01234567",
            "x-forwarded-for": "127.0.0.1",
            "x-forwarded-port": "3000",
            "x-forwarded-proto": "http",
        },
        "queryStringParameters": {"parameter1": "value1,value 2", "parameter2": "value"},
        "pathParameters": {"user_id": "a b"},
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "domainName": "id.execute-api.localhost",
            "domainPrefix": "id",
            "http": {
                "method": "GET",
                "path": "/api/v2/user/a b",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "agent",
            },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": "GET /api/v2/user/{user_id}",
            "stage": "$default",
            "time": "21/Nov/2026:08:30:00 +0000",
            "timeEpoch": RECEIVED_AT,
        },
        "isBase64Encoded": false,
    });
    assert_eq!(serde_json::from_slice::<Value>(&json).expect("JSON"), expected);
}

#[test]
fn path_is_decoded_and_ends_at_a_decoded_question_mark() {
    for (target, path, parameter) in [
        ("/api/v2/user/%C3%A9%2Fx", "/api/v2/user/é/x", "é/x"),
        ("/api/v2/user/a%3Fb?c=d", "/api/v2/user/a", "a"),
        ("/api/v2/user/%zz", "/api/v2/user/%zz", "%zz"),
        ("/api/v2/user/%00", "/api/v2/user/\0", "\0"),
        ("/api/v2/user/%ff", "/api/v2/user/\u{fffd}", "\u{fffd}"),
        ("/api/v2/user/a+b", "/api/v2/user/a+b", "a+b"),
    ] {
        let event = event_of(&get(target));
        assert_eq!(event.raw_path.as_deref(), Some(path), "{target}");
        assert_eq!(event.path_parameters.get("user_id").map(String::as_str), Some(parameter), "{target}");
    }
}

#[test]
fn query_stays_raw_except_characters_that_no_uri_allows() {
    for (target, query) in [
        ("/?a=%C3%A9&a=b+c", "a=%C3%A9&a=b+c"),
        ("/?a=\"<x>\" é#\u{7f}", "a=%22%3Cx%3E%22%20%C3%A9%23%7F"),
        ("/?a?b=%zz&%ff=%00", "a?b=%zz&%ff=%00"),
        ("/?", ""),
        ("/", ""),
    ] {
        assert_eq!(event_of(&get(target)).raw_query_string.as_deref(), Some(query), "{target}");
        assert_eq!(request_of(&get(target)).uri().query().unwrap_or_default(), query, "{target}");
    }
}

#[test]
fn function_reads_each_value_of_a_repeated_query_parameter() {
    let request = request_of(&get("/?a=1&a=2,3&b=x+y"));
    let query = request.query_string_parameters();
    assert_eq!(query.all("a"), Some(vec!["1", "2,3"]));
    assert_eq!(query.first("b"), Some("x y"));
}

#[test]
fn bodies_are_text_for_some_media_types_and_base64_otherwise() {
    for (content_type, body, expected, is_base64) in [
        ("application/json", &b"{}"[..], Some("{}"), false),
        ("Application/JSON ; charset=utf-8", "é".as_bytes(), Some("é"), false),
        ("text/csv", b"a,b", Some("a,b"), false),
        ("application/json", b"\xff", Some("/w=="), true),
        ("application/x-www-form-urlencoded", b"a=b", Some("YT1i"), true),
        ("application/octet-stream", b"x", Some("eA=="), true),
        ("application/json", b"", None, false),
    ] {
        let sent = post(content_type, body);
        let event = event_of(&sent);
        assert_eq!((event.body.as_deref(), event.is_base64_encoded), (expected, is_base64), "{content_type}");
        assert_eq!(request_of(&sent).body().as_ref(), body, "{content_type}");
    }
    let mut untyped = post("", b"{}");
    untyped.headers.clear();
    assert!(matches!(request_of(&untyped).body(), Body::Binary(_)), "without a type a body is binary");
}

#[test]
fn client_cannot_forge_headers_of_the_gateway() {
    let mut sent = get("/");
    sent.headers = vec![
        ("x-forwarded-for", b"10.0.0.1".to_vec()),
        ("x-forwarded-proto", b"no scheme".to_vec()),
        ("x-amzn-trace-id", b"forged".to_vec()),
        ("content-length", b"77".to_vec()),
        ("x-bytes", b"\xff\xe9".to_vec()),
    ];
    let event = event_of(&sent);
    assert_eq!(event.headers["x-forwarded-for"], "10.0.0.1, 127.0.0.1");
    assert_eq!(event.headers["x-forwarded-proto"], "http");
    assert_eq!(event.headers["x-amzn-trace-id"], "Root=1-6b019b48-0123456789abcdef01234567");
    assert_eq!(event.headers["content-length"], "0");
    assert_eq!(event.headers["x-bytes"].as_bytes(), "\u{fffd}\u{fffd}".as_bytes());
    assert_eq!(request_of(&sent).headers()["x-bytes"].as_bytes(), "\u{fffd}\u{fffd}".as_bytes());
}

/// Generates targets of bytes that are special to a parser, mixed with any others.
fn hostile_target() -> impl Strategy<Value = Vec<u8>> {
    let special = prop::sample::select(&b"/?#%&=+:@;,\"<>{}[]|\\^` \t\r\n\0.*az09\xc3\xa9\xff"[..]);
    prop::collection::vec(prop_oneof![3 => special, 1 => any::<u8>()], 0..120)
}

fn header_value() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![32..127_u8, 128..=255_u8], 0..40)
}

proptest! {
    #[test]
    fn no_request_makes_the_event_or_the_runtime_panic(
        rest in hostile_target(), host in header_value(), value in header_value(), rooted in any::<bool>(),
    ) {
        let target = if rooted { [b"/".to_vec(), rest].concat() } else { rest };
        let names = ["host", "x-forwarded-proto", "cookie", "content-type", "x-other"];
        let values = [&host, &value, &value, &value, &value];
        let headers = names.into_iter().zip(values.map(Clone::clone)).collect();
        request_of(&TestRequest { method: Method::POST, target, headers, body: b"{}" });
    }
}
