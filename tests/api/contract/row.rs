//! One row of the contract table: a request, its whole answer, and what is stored afterwards.
//!
//! Texts may name things that are known only when the row is played: `<admin_1>` is the id of that person of the fixtures,
//! `<admin_1.key>` a key of it, `<admin_1.email>` its address, and `<new>` an address that nobody has.

use serde_json::{Value, json};

/// What the answer must be, besides its status.
#[derive(Clone, Debug)]
pub(crate) enum Expected {
    /// These bytes.
    Text(String),
    /// A page of a search with these people, by name, in this order.
    Page { page: u64, max_page: u64, count: usize, people: Vec<String> },
}

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The rule that the row shows.
    pub(crate) why: &'static str,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// Whose key is sent in `x-api-key`; nobody's when empty.
    pub(crate) by: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Sent as `application/json` unless the headers say otherwise (an empty `content-type` is none at all).
    pub(crate) body: Option<Vec<u8>>,
    /// How far the clock is moved on before the request, in milliseconds.
    pub(crate) later: i64,
    pub(crate) status: u16,
    pub(crate) expected: Expected,
    /// Headers that only such answers have.
    pub(crate) answer_headers: Vec<(&'static str, String)>,
    /// How later texts call the user that the answer names.
    pub(crate) name: Option<&'static str>,
    /// People by name, and `fact=value` of each, separated by blanks: see `facts.rs`.
    pub(crate) facts: Vec<(&'static str, String)>,
}

/// A request by `admin_1` without a body, that gives 200 and nothing.
pub(crate) fn call(why: &'static str, method: &'static str, path: &str) -> Row {
    Row {
        why,
        method,
        path: path.to_owned(),
        by: "admin_1",
        headers: Vec::new(),
        body: None,
        later: 0,
        status: 200,
        expected: Expected::Text(String::new()),
        answer_headers: Vec::new(),
        name: None,
        facts: Vec::new(),
    }
}

pub(crate) fn get(why: &'static str, path: &str) -> Row {
    call(why, "GET", path)
}

pub(crate) fn post(why: &'static str, path: &str, body: impl Into<Vec<u8>>) -> Row {
    Row { body: Some(body.into()), ..call(why, "POST", path) }
}

pub(crate) fn delete(why: &'static str, path: &str) -> Row {
    call(why, "DELETE", path)
}

/// Creates the user of this text over the fields that every user needs; [`ABSENT`] leaves one out.
pub(crate) fn create(why: &'static str, changes: &str) -> Row {
    let mut body = json!({"email": "<new>", "first_name": "Ada", "last_name": "Lovelace"});
    let changes: Value = serde_json::from_str(changes).expect("a row's body is JSON");
    for (field, value) in changes.as_object().expect("a row's body is an object") {
        body[field] = value.clone();
    }
    let fields = body.as_object_mut().expect("an object");
    fields.retain(|_, value| *value != json!({"absent": true}));
    post(why, "/user", body.to_string())
}

/// In a body of [`create`]: this field is not sent.
pub(crate) const ABSENT: &str = r#"{"absent":true}"#;

impl Row {
    pub(crate) fn by(self, by: &'static str) -> Self {
        Self { by, ..self }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn at(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    pub(crate) fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: Some(body.into()), ..self }
    }

    /// With these fields too: `"role":"ORG_ADMIN"`.
    pub(crate) fn with_body(self, fields: &str) -> Self {
        let body = String::from_utf8(self.body.clone().unwrap_or_default()).expect("a row's body is text");
        let body = body.strip_suffix('}').expect("a row's body is an object").to_owned();
        self.body(format!("{body},{fields}}}"))
    }

    pub(crate) fn later(self, later: i64) -> Self {
        Self { later, ..self }
    }

    /// The status and the bytes of the answer.
    pub(crate) fn gives(self, status: u16, text: &str) -> Self {
        Self { status, expected: Expected::Text(text.to_owned()), ..self }
    }

    /// Success of create, update and delete.
    pub(crate) fn done(self, who: &str) -> Self {
        self.gives(200, &format!(r#"{{"status":"success","id":"<{who}>"}}"#))
    }

    /// Success of a create; `name` is what the user is called from now on.
    pub(crate) fn makes(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self.done(name) }
    }

    /// Success of a re-invite.
    pub(crate) fn invites(self) -> Self {
        self.gives(200, r#"{"status":"success"}"#)
    }

    /// 400 with the bad fields as a JSON object.
    pub(crate) fn bad(self, fields: &str) -> Self {
        self.gives(400, &format!(r#"{{"errors":{{"json":{fields}}}}}"#))
    }

    /// Another status with a text about the request as a whole.
    pub(crate) fn whole(self, status: u16, text: &str) -> Self {
        self.gives(status, &json!({"errors": {"json": text}}).to_string())
    }

    pub(crate) fn forbidden(self, text: &str) -> Self {
        self.gives(403, &json!({"errors": {"authorization": text}}).to_string())
    }

    /// The 404 of everything that is not there.
    pub(crate) fn not_found(self) -> Self {
        self.gives(404, r#"{"errors":{"json":"not found"}}"#)
    }

    /// The 401 of every key that gives no access.
    pub(crate) fn unauthenticated(self) -> Self {
        let row = self.gives(401, r#"{"errors":{"authentication":"a valid API key is required"}}"#);
        row.with("www-authenticate", r#"Bearer realm="presence""#)
    }

    pub(crate) fn not_allowed(self, allow: &str) -> Self {
        self.gives(405, r#"{"errors":{"json":"method not allowed"}}"#).with("allow", allow)
    }

    /// The 429 of a re-invite.
    pub(crate) fn too_soon(self, seconds: u32) -> Self {
        let row = self.whole(429, "an invitation can be sent once every 5 minutes");
        row.with("retry-after", &seconds.to_string())
    }

    /// All of these people and nobody else, on one page.
    pub(crate) fn finds(self, people: &str) -> Self {
        let people: Vec<String> = people.split_whitespace().map(str::to_owned).collect();
        let count = people.len();
        self.page(1, 1, count, people)
    }

    pub(crate) fn page(self, page: u64, max_page: u64, count: usize, people: Vec<String>) -> Self {
        Self { status: 200, expected: Expected::Page { page, max_page, count, people }, ..self }
    }

    pub(crate) fn facts(mut self, who: &'static str, facts: &str) -> Self {
        self.facts.push((who, facts.to_owned()));
        self
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.answer_headers.push((name, value.to_owned()));
        self
    }
}

/// `{"<field>":{"explanation":…,"choices":[…]}}`, as [`Row::bad`] takes it.
pub(crate) fn choice(field: &str, choices: &[&str]) -> String {
    let choices = serde_json::to_string(choices).expect("texts are JSON");
    format!(r#"{{"{field}":{{"explanation":"is not one of the choices","choices":{choices}}}}}"#)
}
