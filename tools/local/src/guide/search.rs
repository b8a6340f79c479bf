//! Data of the search: pages of the stack, sections of the guide, commands, operations with their parameters, and typical mistakes.

use serde::Serialize;
use serde_json::Value;

use super::mistakes::Mistake;
use super::{DOCUMENTS, Document, ERRORS, mistakes, render};
use crate::docs::DOCS_PATH;
use crate::page::NAVIGATION;

/// Result of the search.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    /// `page`, `operation`, `error`, `command` or `guide`.
    kind: &'static str,
    title: String,
    href: String,
    /// Text in which the search looks, too.
    text: String,
}

/// Returns all results that a search may find.
pub(super) fn entries() -> Vec<Entry> {
    pages()
        .chain(operations())
        .chain(DOCUMENTS.iter().flat_map(|&document| sections(document)))
        .chain(mistakes::rows().map(mistake_entry))
        .collect()
}

fn pages() -> impl Iterator<Item = Entry> {
    let entry = |(path, name): (&str, &str)| Entry {
        kind: "page",
        title: name.to_owned(),
        href: path.to_owned(),
        text: format!("{path}: a page of this stack"),
    };
    NAVIGATION.into_iter().map(entry)
}

fn operations() -> impl Iterator<Item = Entry> {
    let description: Value = serde_json::from_str(presence_categories::OPENAPI).unwrap_or_default();
    let paths = description["paths"].as_object().cloned().unwrap_or_default();
    paths.into_iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().cloned().unwrap_or_default();
        methods.into_iter().map(move |(method, operation)| operation_entry(&path, &method, &operation))
    })
}

fn operation_entry(path: &str, method: &str, operation: &Value) -> Entry {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.map(|parameter| format!("{} ", text(&parameter["name"])));
    Entry {
        kind: "operation",
        title: format!(
            "{} {} · {}",
            method.to_uppercase(),
            path.trim_start_matches("/api/v2"),
            text(&operation["summary"])
        ),
        href: format!("{DOCS_PATH}#{}", text(&operation["operationId"])),
        text: parameters.collect::<String>() + &text(&operation["description"]),
    }
}

fn sections(document: Document) -> impl Iterator<Item = Entry> {
    let page = render::rendered(document.file, document.text);
    let kind = match document.file {
        "shared/docs/ops.md" => "command",
        ERRORS => "error",
        _ => "guide",
    };
    let (title, path) = (document.title(), document.path());
    page.sections.into_iter().map(move |section| {
        let (title, href) = if section.id.is_empty() {
            (title.clone(), path.clone())
        } else {
            (format!("{title} › {}", section.title), format!("{path}#{}", section.id))
        };
        Entry { kind, title, href, text: section.text }
    })
}

/// Returns a mistake as a result, which leads to its row below its code.
fn mistake_entry(mistake: Mistake) -> Entry {
    let Mistake { title, href, text, .. } = mistake;
    Entry { kind: "error", title, href, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_parameters_pages_commands_and_mistakes_are_found() {
        let entries = entries();
        for (kind, title, text) in [
            ("page", "Webhooks", "/webhooks: a page of this stack"),
            ("guide", "presence-client for TypeScript › Methods", "reviews.iterate"),
            ("operation", "GET /reviews · Search reviews", "rating__in"),
            ("guide", "Restoring › Another region", "Global tables"),
            ("command", "The operator's command line › Restore", "ops restore plan"),
            ("error", "a key without a label", "is required"),
            ("error", "Errors › too_soon", "Status 429"),
        ] {
            let is_it = |entry: &&Entry| entry.kind == kind && entry.title == title && entry.text.contains(text);
            assert!(entries.iter().any(|entry| is_it(&entry)), "{kind} {title}");
        }
        let leads_to = |title: &str, href: &str| entries.iter().any(|entry| entry.title == title && entry.href == href);
        let form = entries.iter().find(|entry| entry.title == "a form").expect("a mistake");
        let (page, row) = form.href.split_once('#').expect("an anchor");
        let errors = DOCUMENTS.iter().find(|document| document.file == ERRORS).expect("a page").html();
        let (_, below) = errors.split_once("<h2 id=\"unsupported_media_type\">").expect("a code");
        let below = below.split("<h2").next().unwrap_or_default();
        assert_eq!((page, below.matches(&format!("<a id=\"{row}\">")).count()), ("/guide/errors", 1), "{row}");
        assert!(
            leads_to("a request line that is too long", "/guide/mistakes"),
            "the gateway's own errors have no code"
        );
        let mistakes = entries.iter().filter(|entry| entry.kind == "error").count();
        assert!(mistakes > 60, "{mistakes} mistakes");
    }
}
