//! Events of the folder `events/`, their order, and their answers in the form of `events/expected/`.

mod background;
mod difference;

use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

pub use self::background::{KeptWakes, answer_in_background, deliver, publish};
pub use self::difference::differences;
use crate::gateway::{InvokeError, LocalFunction};

/// Functions in the order of a replay: the mailer needs the outbox that the users function has filled.
pub const FUNCTIONS: [&str; 9] =
    ["categories", "feed", "reviews", "users", "mailer", "auditor", "publisher", "deliverer", "ingest"];

/// Trace header like those of AWS.
const TRACE: &str = "Root=1-69a42a40-0123456789abcdef01234567";

/// Event of the folder.
#[derive(Clone, Debug)]
pub struct Event {
    /// Name of its function, which is that of its folder.
    pub function: &'static str,
    /// Name of its file, without the ending.
    pub name: String,
    /// Event as AWS passes it.
    pub document: Value,
}

/// Returns the events of a function in the order of a replay: those that read, those that write, and deletions, by name.
///
/// # Errors
/// Returns an error if the folder or a file of it cannot be read.
pub fn events_of(events: &Path, function: &'static str) -> anyhow::Result<Vec<Event>> {
    let folder = events.join(function);
    let read = |name: String| {
        let file = folder.join(format!("{name}.json"));
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let document = serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))?;
        Ok(Event { function, name, document })
    };
    let mut events: Vec<_> = names(&folder, "json")?.into_iter().map(read).collect::<anyhow::Result<_>>()?;
    events.sort_by_key(|event| match event.document["requestContext"]["http"]["method"].as_str() {
        Some("GET" | "HEAD") | None => 0,
        Some("DELETE") => 2,
        Some(_) => 1,
    });
    Ok(events)
}

/// Returns the names of the files in a folder with an ending, without it, in order.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn names(folder: &Path, ending: &str) -> anyhow::Result<Vec<String>> {
    let files = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for file in files {
        let path = file?.path();
        if path.extension().is_some_and(|found| found == ending) {
            names.extend(path.file_stem().and_then(|name| name.to_str()).map(str::to_owned));
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Invokes a function of the API, and returns status, headers and body of its answer; the body as JSON if it is.
///
/// # Errors
/// Returns an error if the function has no answer.
pub async fn answer(function: &LocalFunction, event: &Value) -> Result<Value, InvokeError> {
    let answer = function.invoke(event.to_string().into_bytes(), TRACE).await?;
    let answer = serde_json::to_value(answer).map_err(|_| InvokeError::Failed)?;
    let body = answer["body"].as_str().unwrap_or_default();
    Ok(json!({
        "status": answer["statusCode"],
        "headers": answer["headers"],
        "body": serde_json::from_str(body).unwrap_or_else(|_| json!(body)),
    }))
}

/// Returns the answer that `events/expected/` has for an event.
///
/// # Errors
/// Returns an error if there is no such file, or if it has another form.
pub fn expected(events: &Path, function: &str, name: &str) -> anyhow::Result<Value> {
    let file = events.join(format!("expected/{function}/{name}.snap"));
    let hint = "a new event has none until `INSTA_UPDATE=always cargo test --test acceptance deploy::replay` wrote it";
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read the expected answer, {} ({hint})", file.display()))?;
    let answer = text.splitn(3, "---\n").nth(2).unwrap_or_default();
    serde_json::from_str(answer).with_context(|| format!("{} has no JSON below its head", file.display()))
}

/// Returns an answer of a function of the API without what is random or long: the ids of the request and of a new user, a new key with its
/// id, the description of the API, and the style of a page. What has another form than these stays.
pub fn comparable(function: &str, name: &str, mut answer: Value) -> Value {
    let is_long = |length: usize| move |value: &Value| value.as_str().is_some_and(|text| text.len() == length);
    replace(&mut answer, "/headers/x-request-id", "<id of the request>", is_long(36));
    // The place of the guide is that of the stack. The code of the error says the same.
    if answer["headers"]["link"].as_str().is_some_and(|link| link.ends_with("rel=\"help\""))
        && let Some(headers) = answer["headers"].as_object_mut()
    {
        headers.remove("link");
    }
    if name == "get_openapi" {
        let is_committed =
            |body: &Value| serde_json::from_str(presence_categories::OPENAPI).is_ok_and(|known: Value| known == *body);
        replace(&mut answer, "/body", "<shared/docs/openapi.json>", is_committed);
        let is_weak = |tag: &Value| tag.as_str().is_some_and(|tag| tag.starts_with("W/\""));
        replace(&mut answer, "/headers/etag", "<digest of the description>", is_weak);
    }
    if function == "users" && name.starts_with("create_user") {
        let is_id = |id: &Value| id.as_str().is_some_and(|id| id.parse::<u64>().is_ok());
        replace(&mut answer, "/body/id", "<id of the user>", is_id);
    }
    if ["create_key", "rotate_key"].contains(&name) {
        replace(&mut answer, "/body/id", "<id>", is_long(17));
        replace(&mut answer, "/body/key", "<key>", is_long(39));
    }
    if ["create_webhook", "rotate_webhook"].contains(&name) {
        replace(&mut answer, "/body/id", "<id>", is_long(15));
        replace(&mut answer, "/body/secret", "<secret>", is_long(50));
    }
    if name == "test_webhook" {
        // Nobody is at the address.
        let has_no_answer = |attempts: &Value| attempts[0]["status"].is_null() && !attempts[0].is_null();
        replace(&mut answer, "/body/event_id", "<id of the event>", Value::is_string);
        replace(&mut answer, "/body/attempts", "<one attempt>", has_no_answer);
    }
    remove_style(&mut answer);
    answer
}

/// Replaces a member of an answer, if it is there and has the form.
fn replace(answer: &mut Value, member: &str, text: &str, has_form: impl Fn(&Value) -> bool) {
    if let Some(value) = answer.pointer_mut(member).filter(|value| has_form(value)) {
        *value = json!(text);
    }
}

/// Removes the style of a page, and its digest.
fn remove_style(answer: &mut Value) {
    let page = answer["body"].as_str().filter(|body| body.starts_with("<!doctype html>"));
    let Some((_, content)) = page.and_then(|page| page.split_once("<body>")) else { return };
    let content = json!(content);
    let policy = answer["headers"]["content-security-policy"].as_str().unwrap_or_default();
    let policy = policy.split_once("'sha256-").and_then(|(before, digest)| {
        let (_, after) = digest.split_once('\'')?;
        Some(format!("{before}'<digest of the style>'{after}"))
    });
    answer["body"] = content;
    if let Some(policy) = policy {
        answer["headers"]["content-security-policy"] = json!(policy);
    }
}
