//! Page of the API: its operations, each with a form that sends it, from the OpenAPI description and the tested examples.

use std::sync::LazyLock;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use axum::routing::get;
use pulldown_cmark::{Options, Parser, html};
use serde_json::{Value, json};

use crate::page::Page;
use crate::sample::DemoKeys;

/// Path of the page.
pub(crate) const DOCS_PATH: &str = "/docs";

const BODY: &str = include_str!("../pages/docs/page.html");
/// Placeholder of the keys in the page. They are inserted as JSON; no character of a key needs escaping in HTML.
const KEYS_PLACEHOLDER: &str = "{{keys}}";

/// Examples of the description, a list in each file. The tests send each of them.
const EXAMPLES: [&str; 7] = [
    include_str!("../../docs/examples/users.json"),
    include_str!("../../docs/examples/keys.json"),
    include_str!("../../docs/examples/categories.json"),
    include_str!("../../docs/examples/businesses.json"),
    include_str!("../../docs/examples/reviews.json"),
    include_str!("../../docs/examples/feed.json"),
    include_str!("../../docs/examples/webhooks.json"),
];

/// Body of the description. It is the same for all stacks of a process, and most of them are never asked for it.
static DESCRIPTION_JSON: LazyLock<String> = LazyLock::new(|| description().to_string());
/// Body of the examples.
static EXAMPLES_JSON: LazyLock<String> = LazyLock::new(|| examples().to_string());

/// Builds the routes of the page and of its data. The page offers these keys for trying calls.
pub(crate) fn router(keys: &DemoKeys) -> Router {
    let body = BODY.replace(KEYS_PLACEHOLDER, &json!(keys).to_string());
    let page = Page {
        path: DOCS_PATH,
        title: "API",
        body: &body,
        files: &[
            ("docs/docs.css", include_str!("../pages/docs/docs.css")),
            ("docs/docs.js", include_str!("../pages/docs/docs.js")),
            ("docs/operation.js", include_str!("../pages/docs/operation.js")),
            ("docs/packages.js", include_str!("../pages/docs/packages.js")),
            ("docs/samples.js", include_str!("../pages/docs/samples.js")),
            ("docs/schema.js", include_str!("../pages/docs/schema.js")),
        ],
    };
    page.router()
        .route(&format!("{DOCS_PATH}/openapi.json"), serve_json(&DESCRIPTION_JSON))
        .route(&format!("{DOCS_PATH}/examples.json"), serve_json(&EXAMPLES_JSON))
}

fn serve_json(text: &'static LazyLock<String>) -> axum::routing::MethodRouter {
    get(move || async move { ([(CONTENT_TYPE, "application/json")], text.as_str()).into_response() })
}

/// Returns the description of the API, with each text as HTML.
fn description() -> Value {
    let mut document = serde_json::from_str(presence_categories::OPENAPI).unwrap_or_default();
    render_texts(&mut document);
    document
}

/// Replaces the Markdown of each `description` by HTML. A field of that name has an object there, and stays.
fn render_texts(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" => *text = to_html(text),
                    other => render_texts(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(render_texts),
        _ => {}
    }
}

fn to_html(markdown: &str) -> String {
    let mut made = String::new();
    html::push_html(&mut made, Parser::new_ext(markdown, Options::ENABLE_TABLES));
    made
}

/// Returns the examples of all files as one list.
fn examples() -> Value {
    let lists = EXAMPLES.map(|file| serde_json::from_str::<Vec<Value>>(file).unwrap_or_default());
    lists.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_operation_has_an_example_that_succeeds() {
        let (document, examples) = (description(), examples());
        let paths = document["paths"].as_object().expect("paths");
        let operations = paths.values().flat_map(|methods| methods.as_object().expect("methods").values());
        let operations: BTreeSet<&str> =
            operations.map(|operation| operation["operationId"].as_str().expect("an id")).collect();
        let succeed = examples.as_array().expect("a list").iter().filter(|example| example["status"] == 200);
        let succeed: BTreeSet<&str> = succeed.map(|example| example["operation"].as_str().expect("a name")).collect();
        assert_eq!(succeed, operations);
    }

    #[test]
    fn texts_are_rendered_and_values_are_not() {
        let mut value = json!({
            "description": "**Keys** are `pk_…`.",
            "properties": { "description": { "description": "A | B" } },
            "example": "**as it is**",
        });
        render_texts(&mut value);
        let expected = json!({
            "description": "<p><strong>Keys</strong> are <code>pk_…</code>.</p>\n",
            "properties": { "description": { "description": "<p>A | B</p>\n" } },
            "example": "**as it is**",
        });
        assert_eq!(value, expected);
    }
}
