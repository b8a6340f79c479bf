//! Verification of the messages of webhooks: Standard Webhooks 1.0.0.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use sha2::Sha256;

use crate::types::Event;

/// Greatest difference between the time of a message and now, in seconds.
const TOLERANCE: u64 = 300;

/// Error of a message of a webhook. But for `Secret`, answer it with 400 or 401, and do not read the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WebhookVerificationError {
    /// There is no secret, or one that is not `whsec_` and base64: a mistake of the caller.
    #[error("a secret is whsec_ and base64")]
    Secret,
    /// A header of the signature is missing.
    #[error("a header of the signature is missing")]
    Header,
    /// The timestamp is too far from now, or none.
    #[error("the timestamp is too far from now, or none")]
    Timestamp,
    /// No signature is that of a secret.
    #[error("no signature is that of the secret")]
    Signature,
    /// The body is no event.
    #[error("the body is no event")]
    Body,
}

use WebhookVerificationError as Wrong;

/// Body of a message.
#[derive(Deserialize)]
struct Message {
    r#type: String,
    timestamp: String,
    data: serde_json::Value,
}

/// Returns the event of a webhook's message, if one of the secrets signed it within the last five minutes.
///
/// `body` is the body as it came, not JSON that was parsed and written again. While a secret is replaced, pass both.
pub fn verify_webhook(headers: &HeaderMap, body: &[u8], secrets: &[&str]) -> Result<Event, WebhookVerificationError> {
    verify_at(headers, body, secrets, Timestamp::now())
}

fn verify_at(headers: &HeaderMap, body: &[u8], secrets: &[&str], now: Timestamp) -> Result<Event, Wrong> {
    let codes = secrets.iter().map(|secret| code_of(secret)).collect::<Option<Vec<_>>>();
    let codes = codes.filter(|codes| !codes.is_empty()).ok_or(Wrong::Secret)?;
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty());
    let id = header("webhook-id").ok_or(Wrong::Header)?;
    let timestamp = header("webhook-timestamp").ok_or(Wrong::Header)?;
    let is_number = timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let second: i64 = timestamp.parse().ok().filter(|_| is_number).ok_or(Wrong::Timestamp)?;
    if now.as_second().abs_diff(second) > TOLERANCE {
        return Err(Wrong::Timestamp);
    }
    // Several headers are as good as one with several signatures.
    let given = headers.get_all("webhook-signature").iter().filter_map(|value| value.to_str().ok());
    let mut given =
        given.flat_map(str::split_whitespace).filter_map(|one| STANDARD.decode(one.strip_prefix("v1,")?).ok());
    let is_genuine = given.any(|one| {
        codes.iter().any(|code| {
            let code = code.clone().chain_update(format!("{id}.{timestamp}.")).chain_update(body);
            // It compares in a time that tells nothing about the place of a difference.
            code.verify_slice(&one).is_ok()
        })
    });
    if is_genuine { event_of(id, body) } else { Err(Wrong::Signature) }
}

/// Returns the code of a secret, which is base64 after `whsec_`.
fn code_of(secret: &str) -> Option<Hmac<Sha256>> {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap_or(secret)).ok().filter(|key| !key.is_empty())?;
    Hmac::new_from_slice(&key).ok()
}

/// Returns the event in the form of the feed: `timestamp` is its `at` there.
fn event_of(id: &str, body: &[u8]) -> Result<Event, Wrong> {
    let Message { r#type, timestamp, data } = serde_json::from_slice(body).map_err(|_| Wrong::Body)?;
    let event = json!({ "id": id, "type": r#type, "at": timestamp, "data": data });
    serde_json::from_value(event).map_err(|_| Wrong::Body)
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const OTHER: &str = "whsec_HxweHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgE=";
    const SECOND: i64 = 1_772_366_402;
    const BODY: &str = r#"{"type":"review.updated","timestamp":"2026-03-01T12:00:00.123Z","data":{"id":"Zoé","org_id":42,"at":"2026-03-01T12:00:00.123Z"}}"#;
    /// Signature of `BODY` by the package `standardwebhooks` of Python.
    const SIGNATURE: &str = "v1,DH1KvOk22oyiFvnlvuyQEpAmZV3jqBksU1uIhHvxnfs=";

    fn headers(signature: &str) -> HeaderMap {
        let timestamp = SECOND.to_string();
        let pairs =
            [("Webhook-Id", "evt_1"), ("webhook-timestamp", timestamp.as_str()), ("WEBHOOK-SIGNATURE", signature)];
        let read = |(name, value): (&str, &str)| {
            (name.parse::<HeaderName>().expect("a name"), HeaderValue::from_str(value).expect("a value"))
        };
        pairs.map(read).into_iter().collect()
    }

    fn verify(headers: &HeaderMap, body: &str, secrets: &[&str], later: i64) -> Result<Event, Wrong> {
        verify_at(headers, body.as_bytes(), secrets, Timestamp::from_second(SECOND + later).expect("an instant"))
    }

    #[test]
    fn a_message_that_the_public_package_signs_is_its_event_in_whatever_form_it_comes() {
        let mut several = headers("v1,AAAA v1a,AAAA");
        several.append("webhook-signature", SIGNATURE.parse().expect("a value"));
        for (headers, secrets) in [
            (headers(SIGNATURE), &[SECRET][..]),
            (headers(&format!("v1,AAAA {SIGNATURE}")), &[&SECRET["whsec_".len()..]]),
            (several, &[OTHER, SECRET]),
        ] {
            for later in [-300, 0, 300] {
                let event = verify(&headers, BODY, secrets, later).expect("an event");
                assert_eq!((event.id.as_str(), event.type_.as_str()), ("evt_1", "review.updated"));
                assert_eq!(event.at, "2026-03-01T12:00:00.123Z");
                assert_eq!((event.data.id.as_deref(), event.data.org_id), (Some("Zoé"), Some(42)));
            }
        }
    }

    #[test]
    fn a_message_that_was_changed_is_too_old_or_has_another_secret_is_refused() {
        let good = headers(SIGNATURE);
        let refused = |headers: &HeaderMap, body: &str, secrets: &[&str], later| {
            verify(headers, body, secrets, later).expect_err("refused")
        };
        assert_eq!(refused(&good, BODY, &[OTHER], 0), Wrong::Signature);
        assert_eq!(refused(&good, &BODY.replace('é', "e"), &[SECRET], 0), Wrong::Signature);
        assert_eq!(refused(&headers(&SIGNATURE.replace("v1,", "v1a,")), BODY, &[SECRET], 0), Wrong::Signature);
        for (name, value, wrong) in [
            ("webhook-id", "evt_2", Wrong::Signature),
            ("webhook-timestamp", "1772366403", Wrong::Signature),
            ("webhook-timestamp", "+1772366402", Wrong::Timestamp),
            ("webhook-timestamp", "soon", Wrong::Timestamp),
            ("webhook-timestamp", "", Wrong::Header),
        ] {
            let mut changed = good.clone();
            changed.insert(name, HeaderValue::from_static(value));
            assert_eq!(refused(&changed, BODY, &[SECRET], 0), wrong, "{name} {value}");
        }
        for (name, wrong) in [
            ("webhook-id", Wrong::Header),
            ("webhook-timestamp", Wrong::Header),
            ("webhook-signature", Wrong::Signature),
        ] {
            let mut changed = good.clone();
            changed.remove(name);
            assert_eq!(refused(&changed, BODY, &[SECRET], 0), wrong, "without {name}");
        }
        assert_eq!([-301, 301].map(|later| refused(&good, BODY, &[SECRET], later)), [Wrong::Timestamp; 2]);
        for secrets in [&[][..], &[""], &["whsec_"], &["whsec_é"], &[SECRET, "whsec_!"]] {
            assert_eq!(refused(&good, BODY, secrets, 0), Wrong::Secret, "{secrets:?}");
        }
        for body in ["", "[]", "null", "{}", r#"{"type":"a","timestamp":"b","data":{}}"#] {
            assert_eq!(event_of("evt_1", body.as_bytes()).expect_err("refused"), Wrong::Body, "{body}");
        }
    }
}
