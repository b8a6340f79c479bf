//! Cut of secrets from what is kept of a request: keys, passwords and tokens, by the names of their fields and by their form.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Text in the place of a secret.
pub(super) const CUT: &str = "[cut out]";
/// Parts of the names of secret fields, parameters and headers, in lower case and without `-` and `_`.
const SECRET_NAMES: [&str; 9] =
    ["apikey", "pass", "pwd", "confirmation", "token", "secret", "authorization", "cookie", "credential"];
/// First characters of every API key.
const KEY_PREFIX: &str = "pk_";
/// Characters of a secret that make it certain enough to look for in other texts.
const MIN_SECRET_CHARACTERS: usize = 6;

/// Secrets of one request, which its event and its answer must not have.
#[derive(Debug, Default)]
pub(super) struct Secrets(BTreeSet<String>);

/// True if a field, a parameter or a header of this name holds a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|secret| letters.contains(secret))
}

impl Secrets {
    /// Cuts out the values of secret fields, and remembers them.
    pub(super) fn cut_fields(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    if is_secret(name) {
                        self.remember(value);
                        *value = Value::from(CUT);
                    } else {
                        self.cut_fields(value);
                    }
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.cut_fields(value)),
            _ => {}
        }
    }

    /// Returns a query or a form without the values of its secret parameters, and remembers them.
    pub(super) fn cut_query(&mut self, query: &str) -> String {
        let pairs = query.split('&').map(|pair| {
            let Some((name, value)) = pair.split_once('=') else { return pair.to_owned() };
            if !is_secret(&decoded(name)) {
                return pair.to_owned();
            }
            self.remember_text(value);
            self.remember_text(&decoded(value));
            format!("{name}={CUT}")
        });
        pairs.collect::<Vec<_>>().join("&")
    }

    /// Cuts all remembered secrets, and whatever looks like an API key, out of the texts of a value.
    pub(super) fn cut_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.cut_text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.cut_texts(value)),
            Value::Object(fields) => {
                let whole = std::mem::take(fields).into_iter().map(|(name, mut value)| {
                    self.cut_texts(&mut value);
                    (self.cut_text(&name), value)
                });
                *fields = whole.collect();
            }
            _ => {}
        }
    }

    /// Cuts all remembered secrets, and whatever looks like an API key, out of a text.
    pub(super) fn cut_text(&self, text: &str) -> String {
        let known = self.0.iter().rev().fold(text.to_owned(), |text, secret| text.replace(secret, CUT));
        cut_keys(&known)
    }

    fn remember(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.remember_text(text),
            Value::Number(number) => self.remember_text(&number.to_string()),
            Value::Array(values) => values.iter().for_each(|value| self.remember(value)),
            Value::Object(fields) => fields.values().for_each(|value| self.remember(value)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn remember_text(&mut self, text: &str) {
        if text.chars().count() >= MIN_SECRET_CHARACTERS {
            self.0.insert(text.to_owned());
        }
    }
}

/// Decodes a part of a query or a form.
fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// Cuts out every word that begins as an API key does.
fn cut_keys(text: &str) -> String {
    let mut parts = text.split(KEY_PREFIX);
    let mut cut = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(part.len());
        cut.push_str(CUT);
        cut.push_str(&part[end..]);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_of_secrets_are_recognised_in_every_spelling() {
        for name in [
            "x-api-key",
            "X-ApiKey",
            "api_key",
            "apiKey",
            "password",
            "Password2",
            "passwort",
            "confirmation",
            "token",
            "activation_token",
            "Authorization",
            "cookie",
            "set-cookie",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["email", "key", "keys", "idempotency-key", "partner_id", "routeKey", "accept", "user-agent"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn secrets_are_cut_from_fields_of_every_type_and_then_from_all_texts() {
        let mut secrets = Secrets::default();
        let mut body =
            json!({"email": "a@b", "Password": 12_345_678, "more": [{"token": ["tok-123456"], "pass": "ab"}]});
        secrets.cut_fields(&mut body);
        assert_eq!(body, json!({"email": "a@b", "Password": CUT, "more": [{"token": CUT, "pass": CUT}]}));
        let mut answer = json!({"text": "12345678 and tok-123456?", "tok-123456": "ab"});
        secrets.cut_texts(&mut answer);
        assert_eq!(answer, json!({"text": format!("{CUT} and {CUT}?"), CUT: "ab"}));
    }

    #[test]
    fn secrets_are_cut_from_queries_and_forms_however_they_are_encoded() {
        let mut secrets = Secrets::default();
        let query = secrets.cut_query("page=1&%61pi_key=pk_a&token=ab%63defg&flag&password=my+secret+word");
        assert_eq!(query, format!("page=1&%61pi_key={CUT}&token={CUT}&flag&password={CUT}"));
        assert_eq!(secrets.cut_text("abcdefg ab%63defg, my secret word."), format!("{CUT} {CUT}, {CUT}."));
    }

    #[test]
    fn whatever_looks_like_a_key_is_cut_out_of_every_text() {
        let secrets = Secrets::default();
        assert_eq!(secrets.cut_text("/user/pk_Abc123/x?a=pk_9"), format!("/user/{CUT}/x?a={CUT}"));
        assert_eq!(secrets.cut_text("no key: pink"), "no key: pink");
    }
}
