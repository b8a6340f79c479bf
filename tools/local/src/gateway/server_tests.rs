//! Tests of the gateway over a raw socket, because an HTTP client would normalise the requests.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::routing::get;
use lambda_http::{Body as LambdaBody, Request as LambdaRequest, RequestExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

type FunctionResult = Result<Response<LambdaBody>, Infallible>;

/// Answers with the parts of its request.
async fn echo(request: LambdaRequest) -> FunctionResult {
    let path = request.path_parameters();
    let query = request.query_string_parameters();
    let body = String::from_utf8_lossy(request.body()).into_owned();
    let id = path.first("id").or(path.first("proxy")).unwrap_or("none");
    let text = format!("{} id={id} q={:?} body={body}", request.method(), query.all("q").unwrap_or_default());
    Ok(Response::new(LambdaBody::from(text)))
}

async fn fail(request: LambdaRequest) -> Result<Response<LambdaBody>, String> {
    match request.path_parameters().first("how") {
        Some("panic") => panic!("on purpose"),
        Some("hang") => std::future::pending().await,
        Some("status") => Ok(Response::builder().status(999).body(LambdaBody::Empty).map_err(|e| e.to_string())?),
        Some("header") => {
            let value = HeaderValue::from_bytes(b"\xff").map_err(|e| e.to_string())?;
            Ok(Response::builder().header("x", value).body(LambdaBody::Empty).map_err(|e| e.to_string())?)
        }
        _ => Err("on purpose".to_owned()),
    }
}

fn start() -> Gateway {
    let echo = LocalFunction::new("echo", echo);
    let failing = LocalFunction::new("fail", fail).with_timeout(Duration::from_millis(50));
    let routes = vec![
        ("GET /echo/{id}".to_owned(), echo.clone()),
        ("ANY /echo/{proxy+}".to_owned(), echo.clone()),
        ("POST /echo".to_owned(), echo),
        ("GET /fail/{how}".to_owned(), failing),
    ];
    let pages = Router::new().route("/_mailbox", get(|| async { "mailbox" }));
    Gateway::start(0, routes, pages, None).expect("the gateway starts")
}

/// Sends bytes unchanged and reads until the gateway closes the connection.
async fn exchange(gateway: &Gateway, request: &[u8]) -> String {
    let mut socket = TcpStream::connect(gateway.addr()).await.expect("connects");
    socket.write_all(request).await.expect("sends");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.expect("receives");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn send(gateway: &Gateway, line: &str, rest: &str) -> String {
    let request = format!("{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{rest}");
    exchange(gateway, request.as_bytes()).await
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or(answer)
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("no body", |(_, body)| body)
}

#[tokio::test]
async fn request_reaches_its_function_and_the_response_its_client() {
    let gateway = start();
    let answer = send(&gateway, "GET /echo/a%20b?q=1&q=%C3%A9", "\r\n").await;
    assert_eq!(body(&answer), "GET id=a b q=[\"1\", \"é\"] body=");
    assert_eq!(status(&answer), "200");
    assert!(answer.contains("\r\napigw-requestid: "), "{answer}");
    let answer = send(&gateway, "POST /echo", "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}").await;
    assert_eq!(body(&answer), "POST id=none q=[] body={}");
    let chunked = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    assert_eq!(body(&send(&gateway, "POST /echo", chunked).await), "POST id=none q=[] body={}");
    gateway.stop().await;
}

#[tokio::test]
async fn response_to_head_has_no_body() {
    let gateway = start();
    for path in ["/echo/a", "/nowhere"] {
        let answer = send(&gateway, &format!("HEAD {path}"), "\r\n").await;
        assert_eq!(body(&answer), "", "{path}");
        assert!(answer.contains("\r\napigw-requestid: "), "{answer}");
    }
}

#[tokio::test]
async fn request_without_a_route_is_answered_by_the_gateway() {
    let gateway = start();
    for line in ["GET /", "GET /echo", "PUT /fail/x", "GET //echo/a", "OPTIONS *", "GET /echo%2Fa"] {
        let answer = send(&gateway, line, "\r\n").await;
        assert_eq!((status(&answer), body(&answer)), ("404", r#"{"message":"Not Found"}"#), "{line}");
        assert!(answer.contains("\r\ncontent-type: application/json\r\n"), "{answer}");
    }
}

#[tokio::test]
async fn paths_of_developer_pages_come_before_the_api() {
    let gateway = start();
    assert_eq!(body(&send(&gateway, "GET /_mailbox", "\r\n").await), "mailbox");
}

#[tokio::test]
async fn gateway_answers_for_a_function_that_fails() {
    let gateway = start();
    for (how, expected, message) in [
        ("error", "500", "Internal Server Error"),
        ("panic", "500", "Internal Server Error"),
        ("header", "500", "Internal Server Error"),
        ("hang", "503", "Service Unavailable"),
        ("status", "999", ""),
    ] {
        let answer = send(&gateway, &format!("GET /fail/{how}"), "\r\n").await;
        let message = if message.is_empty() { String::new() } else { format!(r#"{{"message":"{message}"}}"#) };
        assert_eq!((status(&answer), body(&answer)), (expected, message.as_str()), "{how}");
    }
}

#[tokio::test]
async fn request_head_over_the_limit_is_refused() {
    let gateway = start();
    let line = "GET /echo/a";
    let others = line.len() + " HTTP/1.1".len() + "localhost".len() + "close".len();
    for (bytes, expected) in [(MAX_HEAD_BYTES, "200"), (MAX_HEAD_BYTES + 1, "431"), (100_000, "431")] {
        let header = format!("X-Filler: {}\r\n\r\n", "x".repeat(bytes - others));
        assert_eq!(status(&send(&gateway, line, &header).await), expected, "{bytes} bytes in a header");
    }
    let long = format!("GET /echo/{}", "x".repeat(MAX_HEAD_BYTES));
    let answer = send(&gateway, &long, "\r\n").await;
    assert_eq!((status(&answer), body(&answer)), ("431", r#"{"message":"Request Header Fields Too Large"}"#));
    let many = "X-Many: 0123456789012\r\n".repeat(900) + "\r\n";
    assert_eq!(status(&send(&gateway, line, &many).await), "431", "many headers");
}

#[tokio::test]
async fn body_over_the_limits_is_refused() {
    let gateway = start();
    let too_large = ("413", r#"{"message":"Request Entity Too Large"}"#);
    for (case, bytes, expected) in [
        ("over the gateway's limit", MAX_BODY_BYTES + 1, Some(too_large)),
        ("over the function's limit only", 7 * 1024 * 1024, Some(too_large)),
        ("large", 2 * 1024 * 1024, None),
    ] {
        let rest = format!("Content-Type: text/plain\r\nContent-Length: {bytes}\r\n\r\n{}", "x".repeat(bytes));
        let answer = send(&gateway, "POST /echo", &rest).await;
        match expected {
            Some(expected) => assert_eq!((status(&answer), body(&answer)), expected, "{case}"),
            None => assert_eq!(body(&answer).len(), "POST id=none q=[] body=".len() + bytes, "{case}"),
        }
    }
}

#[tokio::test]
async fn malformed_requests_get_a_response() {
    let gateway = start();
    for (target, expected) in [
        ("/echo/%zz", "200"),
        ("/echo/%00", "200"),
        ("/echo/a%3Fb", "200"),
        ("/echo/%ff%fe", "200"),
        ("/echo/é", "200"),
        ("/echo/a\"b", "200"),
        ("/echo/a?q=%zz&q=%ff&q=%00", "200"),
        ("/echo/a?q={}|\\^`'é", "200"),
        ("http://127.0.0.1/echo/a", "200"),
        ("http://elsewhere/echo/a", "403"),
        ("/echo/a?q=\"<>", "400"),
        ("/echo/a b", "400"),
        ("echo", "403"),
    ] {
        assert_eq!(status(&send(&gateway, &format!("GET {target}"), "\r\n").await), expected, "{target}");
    }
    for host in ["a b", "a/b", "", "a\"", "[::1", "a:b", "u@a", "\u{e9}"] {
        let request = format!("GET /echo/a HTTP/1.1\r\nConnection: close\r\nHost: {host}\r\n\r\n");
        assert_eq!(status(&exchange(&gateway, request.as_bytes()).await), "400", "{host:?}");
    }
    let answer = exchange(&gateway, b"GET /echo/a HTTP/1.0\r\n\r\n").await;
    assert_eq!(status(&answer), "200", "no host in HTTP/1.0");
    let answer = exchange(&gateway, b"GET /echo/\xff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    assert_eq!(status(&answer), "400", "a target that is not UTF-8");
}

#[tokio::test]
async fn invocations_run_concurrently() {
    // Each request uses two sockets of this process, and some systems allow only 256.
    const REQUESTS: usize = 64;
    let waiting = Arc::new(AtomicUsize::new(0));
    let all_arrived = Arc::new(tokio::sync::Notify::new());
    let function = LocalFunction::new("wait", move |_| {
        let (waiting, all_arrived) = (Arc::clone(&waiting), Arc::clone(&all_arrived));
        async move {
            // Answers only when all requests have arrived, so sequential invocations would never end.
            let notified = all_arrived.notified();
            if waiting.fetch_add(1, Ordering::SeqCst) + 1 == REQUESTS {
                all_arrived.notify_waiters();
            } else {
                notified.await;
            }
            FunctionResult::Ok(Response::new(LambdaBody::Empty))
        }
    });
    let function = function.with_timeout(Duration::from_mins(1));
    let gateway = Gateway::start(0, vec![("GET /".to_owned(), function)], Router::new(), None).expect("starts");
    let requests = (0..REQUESTS).map(|_| send(&gateway, "GET /", "\r\n"));
    let answers = futures::future::join_all(requests).await;
    assert!(answers.iter().all(|answer| status(answer) == "200"));
}

#[tokio::test]
async fn stop_waits_for_running_requests_and_frees_the_port() {
    let slow = LocalFunction::new("slow", |_| async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        FunctionResult::Ok(Response::new(LambdaBody::from("done")))
    });
    let gateway = Gateway::start(0, vec![("GET /".to_owned(), slow)], Router::new(), None).expect("starts");
    let port = gateway.addr().port();
    let error = Gateway::start(port, Vec::new(), Router::new(), None).expect_err("the port is taken");
    let hint = "another program uses the port; --port 0 picks a free one";
    assert_eq!(error.to_string(), format!("cannot listen on 127.0.0.1:{port} for the gateway: {hint}"));
    let mut socket = TcpStream::connect(gateway.addr()).await.expect("connects");
    socket.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("sends");
    tokio::time::sleep(Duration::from_millis(30)).await;
    gateway.stop().await;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.expect("receives");
    assert_eq!(body(&answer), "done");
    Gateway::start(port, Vec::new(), Router::new(), None).expect("the port is free again");
}

#[tokio::test]
async fn function_runs_to_its_end_when_the_client_disconnects() {
    let done = Arc::new(tokio::sync::Notify::new());
    let finished = Arc::clone(&done);
    let function = LocalFunction::new("slow", move |_| {
        let done = Arc::clone(&done);
        async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            done.notify_one();
            FunctionResult::Ok(Response::new(LambdaBody::Empty))
        }
    });
    let gateway = Gateway::start(0, vec![("GET /".to_owned(), function)], Router::new(), None).expect("starts");
    let mut socket = TcpStream::connect(gateway.addr()).await.expect("connects");
    socket.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("sends");
    tokio::time::sleep(Duration::from_millis(30)).await;
    drop(socket);
    tokio::time::timeout(Duration::from_secs(5), finished.notified()).await.expect("the function finishes");
}

#[tokio::test]
async fn error_names_the_invalid_route_key() {
    let function = LocalFunction::new("echo", echo);
    let error = Gateway::start(0, vec![("GET".to_owned(), function)], Router::new(), None).expect_err("not a route");
    assert_eq!(error.to_string(), "cannot read the route `GET`");
}

#[tokio::test]
async fn requests_to_the_api_are_kept_without_secrets_and_those_to_pages_are_not() {
    let history = Arc::new(RequestHistory::default());
    let routes = vec![("ANY /echo/{proxy+}".to_owned(), LocalFunction::new("echo", echo))];
    let pages = Router::new().route("/page", get(|| async { "page" }));
    let gateway = Gateway::start(0, routes, pages, Some(Arc::clone(&history))).expect("the gateway starts");
    let key = "pk_Canary0000000000000000000000000000000";
    send(&gateway, "GET /page", "\r\n").await;
    let head = format!("X-Api-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n");
    let answer =
        send(&gateway, &format!("POST /echo/x?token=canary-token&q={key}"), &(head + r#"{"password":"canary-word"}"#))
            .await;
    assert!(answer.contains("canary-word"), "the function gets the whole request: {answer}");
    send(&gateway, &format!("GET /nothing/{key}"), "\r\n").await;
    let (kept, count) = history.after(0);
    let targets: Vec<_> = kept.iter().map(|(number, one)| (*number, one.status, one.target.as_str())).collect();
    let expected = [(1, 200, "/echo/x?token=[cut out]&q=[cut out]"), (2, 404, "/nothing/[cut out]")];
    assert_eq!((&targets[..], count), (&expected[..], 2));
    let text = format!("{kept:?}");
    assert!(!text.to_lowercase().contains("canary"), "{text}");
    let event = kept[0].1.event.as_ref().expect("the event of the function");
    assert_eq!(event["routeKey"], "ANY /echo/{proxy+}");
}
