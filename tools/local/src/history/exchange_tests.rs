use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::*;
use crate::history::redaction::CUT;

const KEY: &str = "pk_ExampleKeyOfTheOrgAdmin00000001gBpoe";

fn received(target: &str) -> ReceivedRequest {
    ReceivedRequest::new("POST".to_owned(), target.to_owned(), Timestamp::UNIX_EPOCH)
}

fn answer(value: Value) -> ApiGatewayV2httpResponse {
    serde_json::from_value(value).expect("an answer")
}

fn event(body: &str, content_type: &str, is_base64: bool) -> Vec<u8> {
    let body = if is_base64 { BASE64_STANDARD.encode(body) } else { body.to_owned() };
    let event = json!({
        "routeKey": "POST /api/v2/user",
        "rawQueryString": format!("api_key={KEY}&page=1"),
        "queryStringParameters": {"api_key": KEY, "page": "1"},
        "headers": {"x-api-key": KEY, "content-type": content_type, "referer": format!("http://localhost/?k={KEY}")},
        "cookies": ["session=abcdefgh"],
        "body": body,
        "isBase64Encoded": is_base64,
    });
    event.to_string().into_bytes()
}

/// Checks that nothing of an exchange has one of these texts.
fn assert_without(exchange: &Exchange, secrets: &[&str]) {
    let text = serde_json::to_string(exchange).expect("JSON");
    for secret in secrets {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn json_is_kept_without_keys_passwords_and_tokens() {
    let body = json!({"email": "ada@example.org", "password": "hunter42!", "note": "hunter42!"}).to_string();
    let answer = answer(json!({
        "statusCode": 400,
        "headers": {"content-type": "application/json", "set-cookie": "session=ijklmnop"},
        "cookies": [],
        "body": json!({"errors": {"password": "x", "other": "not hunter42!"}, "token": "tok-1234567"}).to_string(),
    }));
    let target = format!("/api/v2/user?api_key={KEY}&page=1");
    let exchange = received(&target).answered(&event(&body, "application/json", false), None, 400, Some(&answer));
    assert_without(&exchange, &[KEY, "hunter42!", "abcdefgh", "ijklmnop", "tok-1234567"]);
    assert_eq!(exchange.target, format!("/api/v2/user?api_key={CUT}&page=1"));
    let event = exchange.event.expect("the event");
    assert_eq!(event["queryStringParameters"], json!({"api_key": CUT, "page": "1"}));
    assert_eq!(event["headers"]["referer"], format!("http://localhost/?k={CUT}"));
    assert_eq!(exchange.request_body.expect("a body")["email"], "ada@example.org", "what is no secret stays");
    assert_eq!(exchange.answer_body.expect("a body")["errors"]["other"], format!("not {CUT}"));
    assert_eq!((exchange.status, exchange.at.as_str()), (400, "1970-01-01T00:00:00Z"));
}

#[test]
fn form_is_kept_without_its_token_and_passwords() {
    let form = "user=7&token=tok-1234567&password=hunter42%21&confirmation=hunter42%21";
    let event = event(form, "application/x-www-form-urlencoded", true);
    let answer = answer(json!({"statusCode": 200, "headers": {"content-type": "text/html"}, "cookies": [],
        "body": "<input value=tok-1234567>"}));
    let exchange = received("/invitation?user=7&token=tok-1234567").answered(&event, None, 200, Some(&answer));
    assert_without(&exchange, &["tok-1234567", "hunter42"]);
    let kept = format!("user=7&token={CUT}&password={CUT}&confirmation={CUT}");
    assert_eq!(exchange.request_body, Some(Value::from(kept)));
    assert_eq!(exchange.answer_body, Some(Value::from("[25 bytes of text/html: not kept]")));
}

#[test]
fn body_that_cannot_be_read_is_not_kept() {
    for (body, content_type, kept) in [
        (r#"{"password":"hunter42!"#, "application/json", "[22 bytes of application/json: not kept]"),
        ("password=hunter42!", "", "[18 bytes of no type: not kept]"),
        ("hunter42!", "text/plain", "[9 bytes of text/plain: not kept]"),
        (
            &format!("[\"hunter42!{}\"]", "x".repeat(MAX_BODY_BYTES)),
            "application/json",
            "[65549 bytes: too many to keep]",
        ),
    ] {
        let exchange = received("/").answered(&event(body, content_type, false), None, 400, None);
        assert_without(&exchange, &["hunter42!"]);
        assert_eq!(exchange.request_body, Some(Value::from(kept)), "{content_type}");
    }
}

#[test]
fn compressed_answer_is_kept_as_its_json() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(br#"{"id":"7","token":"tok-1234567"}"#).expect("memory");
    let answer = answer(json!({
        "statusCode": 200,
        "headers": {"content-type": "application/json", "content-encoding": "gzip"},
        "cookies": [],
        "body": BASE64_STANDARD.encode(gzip.finish().expect("memory")),
        "isBase64Encoded": true,
    }));
    let exchange = received("/").answered(b"{}", None, 200, Some(&answer));
    assert_eq!(exchange.answer_body, Some(json!({"id": "7", "token": CUT})));
}

#[test]
fn request_without_a_function_has_neither_event_nor_secrets() {
    let exchange = received(&format!("/{KEY}?token=tok-1234567&x=1")).without_function(404);
    assert_eq!((exchange.target.as_str(), exchange.status), (format!("/{CUT}?token={CUT}&x=1").as_str(), 404));
    assert_eq!((exchange.event, exchange.answer_body), (None, None));
}
