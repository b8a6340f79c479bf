//! Request with an idempotency key, as digests: nothing of it can be read back, or be guessed without the key.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::IdempotencyKey;
use crate::ids::UserId;

/// Field of which only the presence counts. A digest of its value could be compared with guesses.
const PASSWORD: &str = "password";

/// Digest of caller, method, path and key: the name of a kept answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnswerId([u8; 32]);

/// Digest of a body together with the key. Without the key nobody can compare it with a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyFingerprint([u8; 32]);

/// Request with an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// Name under which its answer is kept.
    pub id: AnswerId,
    /// Fingerprint of its body.
    pub body: BodyFingerprint,
}

impl IdempotentRequest {
    /// Returns the digests of a request of a caller. `body` has the fields without the API key; it is empty for an operation without one.
    pub fn new(key: &IdempotencyKey, caller: UserId, method: &str, path: &str, body: &[(String, Value)]) -> Self {
        let id = digest([&caller.to_string(), method, path, key.as_str()]);
        let fingerprint = digest([key.as_str(), &canonical_body(body)]);
        Self { id: AnswerId(id), body: BodyFingerprint(fingerprint) }
    }
}

impl AnswerId {
    /// Returns the digest in 64 lower-case hexadecimal digits.
    pub fn as_hex(&self) -> String {
        hex::encode(self.0)
    }
}

impl BodyFingerprint {
    /// Returns the digest in 64 lower-case hexadecimal digits.
    pub fn as_hex(&self) -> String {
        hex::encode(self.0)
    }

    /// Parses 64 hexadecimal digits; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut digest = [0; 32];
        hex::decode_to_slice(text, &mut digest).ok()?;
        Some(Self(digest))
    }
}

/// Returns the digest of a list of texts. Each has its length before it, so that no two lists have the same bytes.
fn digest<const N: usize>(texts: [&str; N]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

/// Returns the body as JSON that is the same for equal bodies: fields in order, no white space, and no password.
fn canonical_body(body: &[(String, Value)]) -> String {
    let mut fields: Vec<_> = body.iter().map(|(name, value)| (name.as_str(), canonical_field(name, value))).collect();
    fields.sort_unstable();
    format!("{fields:?}")
}

fn canonical_field(name: &str, value: &Value) -> String {
    if name == PASSWORD { value.is_null().to_string() } else { canonical_value(value) }
}

/// Returns a value as JSON with the fields of its objects in order. `1.0` is the number `1`.
fn canonical_value(value: &Value) -> String {
    match value {
        Value::Array(values) => format!("[{}]", values.iter().map(canonical_value).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            let field =
                |(name, value): (&String, &Value)| format!("{}:{}", Value::from(name.as_str()), canonical_value(value));
            format!("{{{}}}", fields.into_iter().map(field).collect::<Vec<_>>().join(","))
        }
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            // A display of a float has no fraction if it is whole.
            float.to_string()
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(key: &str, caller: &str, path: &str, body: &str) -> IdempotentRequest {
        let body: serde_json::Map<String, Value> = serde_json::from_str(body).expect("JSON");
        let body: Vec<_> = body.into_iter().collect();
        let key = IdempotencyKey::parse(key).expect("a key");
        IdempotentRequest::new(&key, UserId::parse(caller).expect("an id"), "POST", path, &body)
    }

    fn with_body(body: &str) -> IdempotentRequest {
        request("k", "7", "/user", body)
    }

    #[test]
    fn caller_path_and_key_name_an_answer() {
        let one = with_body("{}");
        for (other, same_body) in [
            (request("l", "7", "/user", "{}"), false),
            (request("k", "8", "/user", "{}"), true),
            (request("k", "7", "/user/1", "{}"), true),
        ] {
            assert_ne!(one.id, other.id);
            assert_eq!(one.body == other.body, same_body);
        }
        assert_eq!(one, with_body("{}"));
    }

    #[test]
    fn equal_bodies_have_one_fingerprint_however_they_are_written() {
        let one = with_body(r#"{"a": 1, "b": ["x", {"c": null, "d": true}], "e": "é"}"#);
        assert_eq!(one, with_body(r#"{"e":"\u00e9","b":["x",{"d":true,"c":null}],"a":1.0}"#));
        assert_ne!(
            with_body(r#"{"a": 9007199254740992}"#),
            with_body(r#"{"a": 9007199254740993}"#),
            "no float has both"
        );
        for other in [
            r#"{"a": 2, "b": ["x", {"c": null, "d": true}], "e": "é"}"#,
            r#"{"a": 1, "b": [{"c": null, "d": true}, "x"], "e": "é"}"#,
            r#"{"a": "1", "b": ["x", {"c": null, "d": true}], "e": "é"}"#,
            r#"{"a": 1, "b": ["x", {"c": null, "d": true}], "e": "e"}"#,
            r#"{"a": 1, "b": ["x", {"c": null, "d": true}]}"#,
            "{}",
        ] {
            assert_ne!(one.body, with_body(other).body, "{other}");
        }
    }

    #[test]
    fn of_a_password_only_the_presence_counts() {
        let given = with_body(r#"{"password": "first-pass"}"#);
        assert_eq!(given, with_body(r#"{"password": "other-pass"}"#));
        assert_ne!(given, with_body("{}"));
        assert_ne!(given, with_body(r#"{"password": null}"#));
    }

    #[test]
    fn fingerprints_of_two_keys_cannot_be_compared() {
        let body = r#"{"email": "ada@example.org"}"#;
        assert_ne!(request("k", "7", "/user", body).body, request("l", "7", "/user", body).body);
        assert_eq!(BodyFingerprint::from_hex(&given_hex()).map(|it| it.as_hex()), Some(given_hex()));
        assert_eq!(BodyFingerprint::from_hex("0"), None);
    }

    fn given_hex() -> String {
        with_body("{}").body.as_hex()
    }
}
