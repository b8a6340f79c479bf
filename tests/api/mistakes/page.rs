//! Page of the mistakes, in Markdown.

use std::fmt::Write as _;

use super::Mistake;

/// Headers that say more than the body.
const TELLING_HEADERS: [&str; 4] = ["x-error-code", "www-authenticate", "allow", "retry-after"];

const INTRODUCTION: &str = r"# Typical mistakes and their answers

For clients: typical mistakes, their answers, and what to send instead. The acceptance tests wrote this page: `tests/api/mistakes` sends each request
to the local stack and compares the answer, byte by byte. `PRESENCE_BLESS=1 cargo test --test acceptance api::mistakes` writes it again.

The requests run as they stand, against `cargo run`. `$BASE` is the base URL that it prints, `$KEY` the key of the ORG_ADMIN, `$MANAGER` that of
the BUSINESS_MANAGER, and `$PROVIDER` that of the PROVIDER:

```sh
BASE=http://127.0.0.1:3000/api/v2
```

An answer names every wrong field at once. Where a name is not known, it says what was probably meant: names with up to two typing errors, in
another spelling, or as other APIs call them.

A deployment without [`Replies`](deploy.md), `Events` or `Webhooks` answers what needs them with 400: `replies are not set up`, for example. Nothing
that a client sends changes that.
";

/// Answer to a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// Status code.
    pub(super) status: u16,
    /// Headers of [`TELLING_HEADERS`], as `name: value`.
    pub(super) headers: Vec<String>,
    /// Body.
    pub(super) body: String,
}

impl Answer {
    /// Reads what `curl --include` prints: head, empty line, body.
    pub(super) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.to_lowercase(), value));
        let telling = headers.filter(|(name, _)| TELLING_HEADERS.contains(&name.as_str()));
        let headers = telling.map(|(name, value)| format!("{name}: {value}")).collect();
        Self { status: status.expect("a status"), headers, body: body.to_owned() }
    }
}

/// Returns the page: a table for each topic, with a row for each mistake.
pub(super) fn page(mistakes: &[Mistake], answers: &[Answer]) -> String {
    let mut text = INTRODUCTION.to_owned();
    let mut topic = "";
    for (number, (mistake, answer)) in mistakes.iter().zip(answers).enumerate() {
        if mistake.topic != topic {
            topic = mistake.topic;
            write!(text, "\n## {topic}\n\n| number | mistake | request | answer | instead |\n|---|---|---|---|---|\n")
                .expect("a text");
        }
        text.push_str(&row(number + 1, mistake, answer));
    }
    text
}

fn row(number: usize, mistake: &Mistake, answer: &Answer) -> String {
    let Mistake { summary, first, request, instead, .. } = mistake;
    let first = first.map(|first| format!("after {}: ", code(first))).unwrap_or_default();
    let headers = answer.headers.iter().map(|header| format!("<br>{}", code(header))).collect::<Vec<_>>().concat();
    let Answer { status, body, .. } = answer;
    format!("| {number} | {summary} | {first}{} | {status}{headers}<br>{} | {instead} |\n", code(request), code(body))
}

/// Returns a text as code in a cell of a table, where a bar would end the cell.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}
