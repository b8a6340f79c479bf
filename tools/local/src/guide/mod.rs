//! Guide of the local stack: the documents of the repository as pages, without a network, and the data of the search over all of it.

mod mistakes;
mod render;
mod search;

use std::borrow::Cow;

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::header::CONTENT_TYPE;

use crate::home::escaped;
use crate::local_only::same_origin_only;
use crate::page::{self, Page};
use render::Rendered;

/// Path of the first page, below which the others are.
pub(crate) const GUIDE_PATH: &str = "/guide";
/// Folder of the documents in the repository.
const DOCS_FOLDER: &str = "shared/docs/";
/// Document with a section for each code of an error.
const ERRORS: &str = "shared/docs/errors.md";

/// Document of the repository.
#[derive(Clone, Copy, Debug)]
struct Document {
    /// Path in the repository.
    file: &'static str,
    /// Markdown.
    text: &'static str,
}

macro_rules! documents {
    ($($file:literal),* $(,)?) => {
        [$(Document { file: $file, text: include_str!(concat!("../../../../", $file)) }),*]
    };
}

/// Documents that have a page.
const DOCUMENTS: &[Document] = &documents![
    "README.md",
    "CONTRIBUTING.md",
    "shared/docs/README.md",
    "shared/docs/api.md",
    "shared/docs/audit-trail.md",
    "shared/docs/aws-limits.md",
    "shared/docs/benchmarks.md",
    "shared/docs/clients.md",
    "shared/docs/code-map.md",
    "shared/docs/connectors.md",
    "shared/docs/cost.md",
    "shared/docs/deploy.md",
    "shared/docs/developers.md",
    "shared/docs/directory-check.md",
    "shared/docs/errors.md",
    "shared/docs/events.md",
    "shared/docs/idempotency.md",
    "shared/docs/ingest.md",
    "shared/docs/ledger.md",
    "shared/docs/logging.md",
    "shared/docs/mistakes.md",
    "shared/docs/operators.md",
    "shared/docs/ops.md",
    "shared/docs/outbox.md",
    "shared/docs/rate-limits.md",
    "shared/docs/restore.md",
    "shared/docs/runbooks.md",
    "shared/docs/speculative-reads.md",
    "shared/docs/webhooks.md",
    "shared/docs/decisions/README.md",
    "shared/docs/decisions/code-and-tests.md",
    "shared/docs/decisions/mails-and-events.md",
    "shared/docs/decisions/requests.md",
    "shared/docs/decisions/reviews.md",
    "shared/docs/decisions/storage.md",
    "shared/docs/decisions/users.md",
    "tools/clients/python/README.md",
    "tools/clients/rust/README.md",
    "tools/clients/typescript/README.md",
];

/// Pictures in the documents: path in the repository, media type and content.
const PICTURES: [(&str, &str, &[u8]); 3] = [
    ("shared/docs/ledger.svg", "image/svg+xml", include_bytes!("../../../../shared/docs/ledger.svg")),
    (
        "shared/docs/images/architecture.svg",
        "image/svg+xml",
        include_bytes!("../../../../shared/docs/images/architecture.svg"),
    ),
    (
        "shared/docs/images/local-stack.png",
        "image/png",
        include_bytes!("../../../../shared/docs/images/local-stack.png"),
    ),
];

impl Document {
    /// Returns the path of the page: `/guide/api`, `/guide/tools/clients/rust`; `/guide` for the list of all pages.
    fn path(self) -> String {
        let name = self.file.strip_prefix(DOCS_FOLDER).map_or_else(|| self.file.to_lowercase(), ToOwned::to_owned);
        let name =
            name.trim_end_matches(".md").trim_end_matches("README").trim_end_matches("/readme").trim_end_matches('/');
        if name.is_empty() { GUIDE_PATH.to_owned() } else { format!("{GUIDE_PATH}/{name}") }
    }

    /// Returns the path of the Markdown: `/guide/api.md`.
    fn markdown_path(self) -> String {
        if self.path() == GUIDE_PATH { format!("{GUIDE_PATH}/README.md") } else { format!("{}.md", self.path()) }
    }

    /// Returns the Markdown of the page. Below each code of the errors are its typical mistakes.
    fn markdown(self) -> Cow<'static, str> {
        if self.file == ERRORS { mistakes::with_mistakes(self.text).into() } else { self.text.into() }
    }

    /// Returns the first heading.
    fn title(self) -> String {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ").replace('`', "")
    }

    /// Returns the page. It is made at each request: few are read in the life of a stack.
    fn html(self) -> String {
        let (title, Rendered { html, .. }) = (escaped(&self.title()), render::rendered(self.file, &self.markdown()));
        let body = format!(
            "<div class=\"columns\">\n<article>\n{html}</article>\n<nav aria-label=\"Guide\">\n{}\
            <p class=\"quiet\"><a href=\"{}\">This page as Markdown</a></p>\n</nav>\n</div>",
            render::navigation(&self.path()),
            self.markdown_path(),
        );
        let files = &[("guide/guide.css", include_str!("../../pages/guide/guide.css"))];
        Page { path: GUIDE_PATH, title: &title, body: &body, files }.html()
    }
}

/// Builds the routes of the pages, of their Markdown and pictures, and of the data of the search.
pub(crate) fn router() -> Router {
    let style = ("guide/guide.css", include_str!("../../pages/guide/guide.css"));
    let page = Page { path: GUIDE_PATH, title: "", body: "", files: &[style] };
    let documents = DOCUMENTS.iter().fold(page.files(), |router, &document| {
        router
            .route(&document.path(), get(move || async move { page::answer(document.html()) }))
            .route(&document.markdown_path(), get(move || async move { text("text/markdown", document.markdown()) }))
    });
    let all = PICTURES.iter().fold(documents, |router, &(file, kind, content)| {
        router.route(&picture_path(file), get(move || async move { ([(CONTENT_TYPE, kind)], content) }))
    });
    let all = all
        .route(&format!("{GUIDE_PATH}/search.json"), get(|| async { axum::Json(search::entries()) }))
        .route("/llms.txt", get(|| async { text("text/plain", render::list_for_programs()) }));
    same_origin_only(all)
}

fn text(kind: &'static str, text: impl Into<Cow<'static, str>>) -> Response {
    let text: Cow<'static, str> = text.into();
    ([(CONTENT_TYPE, format!("{kind}; charset=utf-8"))], text).into_response()
}

/// Returns the path at which a picture is served.
fn picture_path(file: &str) -> String {
    format!("{GUIDE_PATH}/{}", file.trim_start_matches(DOCS_FOLDER))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use super::*;

    #[test]
    fn each_document_of_the_repository_has_a_page_of_its_own() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let outside = ["python", "rust", "typescript"].map(|package| format!("tools/clients/{package}/README.md"));
        let mut files = BTreeSet::from(outside);
        files.extend(["README.md", "CONTRIBUTING.md"].map(ToOwned::to_owned));
        for folder in ["shared/docs", "shared/docs/decisions"] {
            let names = std::fs::read_dir(root.join(folder)).expect("a folder");
            let names = names.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
            files.extend(
                names
                    .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "md"))
                    .map(|name| format!("{folder}/{name}")),
            );
        }
        assert_eq!(DOCUMENTS.iter().map(|document| document.file.to_owned()).collect::<BTreeSet<_>>(), files);
        let paths: BTreeSet<_> = DOCUMENTS.iter().map(|document| document.path()).collect();
        assert_eq!(paths.len(), DOCUMENTS.len());
        for path in [
            "/guide",
            "/guide/api",
            "/guide/decisions",
            "/guide/decisions/users",
            "/guide/readme",
            "/guide/contributing",
            "/guide/tools/clients/rust",
        ] {
            assert!(paths.contains(path), "{path} in {paths:?}");
        }
    }

    #[test]
    fn each_link_of_a_page_leads_to_a_page_and_to_a_heading_that_exist() {
        let pages: BTreeMap<String, Rendered> = DOCUMENTS
            .iter()
            .map(|&document| (document.path(), render::rendered(document.file, &document.markdown())))
            .collect();
        let mut count = 0;
        for (page, Rendered { links, .. }) in &pages {
            for link in links.iter().filter(|link| link.starts_with(GUIDE_PATH)) {
                let (path, heading) = link.split_once('#').unwrap_or((link, ""));
                let is_picture = PICTURES.iter().any(|(file, ..)| picture_path(file) == path);
                let has =
                    |page: &Rendered| heading.is_empty() || page.sections.iter().any(|section| section.id == heading);
                assert!(is_picture || pages.get(path).is_some_and(has), "{page} leads to {link}");
                count += 1;
            }
        }
        assert!(count > 200, "only {count} links");
    }
}
