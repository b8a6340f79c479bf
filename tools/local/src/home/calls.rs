//! Calls to try, for the start page and for the terminal.

use serde_json::{Value, json};

/// Call of the API that succeeds with the key of an `ORG_ADMIN` and the sample data.
#[derive(Clone, Copy, Debug)]
pub struct SampleCall {
    /// Task of the call, in words.
    pub title: &'static str,
    /// Method.
    pub method: &'static str,
    /// Path and query below the base URL.
    pub path: &'static str,
    /// JSON body; `None` for a call without one.
    pub body: Option<&'static str>,
}

/// Calls to try.
pub const SAMPLE_CALLS: [SampleCall; 5] = [
    call("Who am I", "/user/me"),
    call("Find users by name", "/user/search?query=martin"),
    call("Find categories in French", "/category/search?lang=FR&name=boul"),
    call(
        "Bad reviews of a city that nobody has treated",
        "/reviews?business_city=saint-etienne&rating__in=1,2&state=not_treated&content__isnull=false&page=1",
    ),
    SampleCall {
        title: "Invite a user, whose mail lands in the mailbox",
        method: "POST",
        path: "/user",
        body: Some(r#"{"email":"lea@maison-verte.example","first_name":"Léa","last_name":"Roy","status":"invited"}"#),
    },
];

const fn call(title: &'static str, path: &'static str) -> SampleCall {
    SampleCall { title, method: "GET", path, body: None }
}

impl SampleCall {
    /// Returns the command line for `curl` below a base URL. `key` is the text of the key, such as `$KEY`.
    pub fn curl(&self, base_url: &str, key: &str) -> String {
        let url = format!("{base_url}{}", self.path);
        let needs_quotes = self.path.contains(['?', '&']);
        let url = if needs_quotes { format!("'{url}'") } else { url };
        match self.body {
            None => format!("curl -H \"x-api-key: {key}\" {url}"),
            // Before version 7.82, `curl` has no `--json`.
            Some(body) => {
                format!("curl -H \"x-api-key: {key}\" -H 'content-type: application/json' {url} -d '{body}'")
            }
        }
    }

    /// Returns the call as the page needs it.
    pub(super) fn json(&self) -> Value {
        json!({"title": self.title, "method": self.method, "path": self.path, "body": self.body})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_a_body_is_written_for_every_version_of_curl() {
        let invitation = SAMPLE_CALLS.iter().find(|call| call.body.is_some()).expect("a call");
        let line = invitation.curl("http://base", "$KEY");
        let start = "curl -H \"x-api-key: $KEY\" -H 'content-type: application/json' http://base/user -d '{";
        assert!(line.starts_with(start), "{line}");
    }
}
