//! Frame of the pages for developers: head, navigation, files and security policy. All pages share one style sheet.
//!
//! A page loads nothing from outside and has no inline script or style: its scripts and styles are files of this program.

use axum::Router;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use http::HeaderName;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};

/// Policy of every page: scripts, styles, data and frames of this program, and nothing from anywhere else.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Path below which the files of the pages are served.
const FILES_PATH: &str = "/pages";

/// Pages of the navigation: path and name.
pub(crate) const NAVIGATION: [(&str, &str); 10] = [
    ("/", "Home"),
    ("/docs", "API"),
    ("/requests", "Requests"),
    ("/tables", "Tables"),
    ("/mailbox", "Mailbox"),
    ("/events", "Events"),
    ("/webhooks", "Webhooks"),
    ("/reviews", "Reviews"),
    ("/stats", "Statistics"),
    ("/guide", "Guide"),
];

/// Files that every page may use: path below [`FILES_PATH`] and content.
const SHARED_FILES: [(&str, &str); 6] = [
    ("page.css", include_str!("../pages/page.css")),
    ("page.js", include_str!("../pages/page.js")),
    ("request.js", include_str!("../pages/request.js")),
    ("filters.js", include_str!("../pages/filters.js")),
    ("search.css", include_str!("../pages/search.css")),
    ("search.js", include_str!("../pages/search.js")),
];

/// Page for developers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    /// Path of the page.
    pub(crate) path: &'static str,
    /// Title, which is also its first heading.
    pub(crate) title: &'a str,
    /// HTML below the heading, inside `main`.
    pub(crate) body: &'a str,
    /// Own files of the page: path below `/pages` and content. Styles and scripts among them are loaded in this order.
    /// A script is a module. It imports the shared functions from `/pages/page.js`.
    pub(crate) files: &'a [(&'static str, &'static str)],
}

impl Page<'_> {
    /// Builds the routes of the page and of its own files, for GET and HEAD.
    pub(crate) fn router(&self) -> Router {
        let html = self.html();
        self.files().route(self.path, get(move || async move { answer(html) }))
    }

    /// Builds the routes of the page's own files.
    pub(crate) fn files(&self) -> Router {
        files_router(self.files)
    }

    /// Returns the whole document.
    pub(crate) fn html(&self) -> String {
        let Self { path, title, body, files } = self;
        let links: String = files.iter().map(|(name, _)| link_to(name)).collect();
        let navigation: String = NAVIGATION.iter().map(|(other, name)| navigation_link(other, name, path)).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
            <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
            <meta name=\"description\" content=\"{title} of the local stack of presence\">\n\
            <title>{title} · presence</title>\n<link rel=\"icon\" href=\"data:,\">\n{shared}{links}</head>\n<body>\n\
            <a class=\"skip\" href=\"#main\">Skip to the content</a>\n\
            <header class=\"top\"><div><strong>presence</strong><nav aria-label=\"Pages\">{navigation}</nav></div></header>\n\
            <main id=\"main\">\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n",
            shared = [link_to("page.css"), link_to("search.css"), link_to("search.js")].concat(),
        )
    }
}

/// Returns the answer with a document, under the policy of all pages.
pub(crate) fn answer(html: String) -> Response {
    let headers = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    (headers, Html(html)).into_response()
}

/// Builds the routes of the files that all pages share.
pub(crate) fn shared_files() -> Router {
    files_router(&SHARED_FILES)
}

fn files_router(files: &[(&'static str, &'static str)]) -> Router {
    files.iter().fold(Router::new(), |router, &(name, content)| {
        let headers =
            [(CONTENT_TYPE, content_type(name)), (CACHE_CONTROL, "no-cache"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
        router.route(&format!("{FILES_PATH}/{name}"), get(move || async move { (headers, content) }))
    })
}

/// Returns the element that loads a style or a script.
fn link_to(name: &str) -> String {
    if is_of_type(name, "css") {
        format!("<link rel=\"stylesheet\" href=\"{FILES_PATH}/{name}\">\n")
    } else {
        format!("<script type=\"module\" src=\"{FILES_PATH}/{name}\"></script>\n")
    }
}

fn navigation_link(path: &str, name: &str, current: &str) -> String {
    let mark = if path == current { " aria-current=\"page\"" } else { "" };
    format!("<a href=\"{path}\"{mark}>{name}</a>")
}

fn content_type(name: &str) -> &'static str {
    if is_of_type(name, "css") { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" }
}

fn is_of_type(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| end == extension)
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use http::{Method, Request, Response};
    use lambda_http::Service as _;

    use super::*;

    const PAGE: Page<'_> = Page {
        path: "/events",
        title: "Events",
        body: "<p>body</p>",
        files: &[("events/page.css", "a{}"), ("events/page.js", "run()")],
    };

    async fn ask(method: Method, path: &str) -> (Response<()>, String) {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).expect("a request");
        let mut router = PAGE.router().merge(shared_files());
        let (head, body) = router.call(request).await.expect("an answer").into_parts();
        let body = to_bytes(body, 100_000).await.expect("a body");
        (Response::from_parts(head, ()), String::from_utf8(body.to_vec()).expect("text"))
    }

    fn header<'a>(head: &'a Response<()>, name: &HeaderName) -> &'a str {
        head.headers()[name].to_str().expect("text")
    }

    #[tokio::test]
    async fn page_has_the_frame_its_files_and_the_strict_policy() {
        let (head, html) = ask(Method::GET, "/events").await;
        assert_eq!((head.status().as_u16(), header(&head, &CONTENT_SECURITY_POLICY)), (200, POLICY));
        for part in [
            "<title>Events · presence</title>",
            "<link rel=\"stylesheet\" href=\"/pages/page.css\">\n<link rel=\"stylesheet\" href=\"/pages/search.css\">",
            "<script type=\"module\" src=\"/pages/events/page.js\"></script>",
            "<a href=\"/\">Home</a>",
            "<a href=\"/events\" aria-current=\"page\">Events</a>",
            "<h1>Events</h1>\n<p>body</p>\n</main>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("style=") && !html.contains("<style"), "the policy forbids inline styles: {html}");
        assert!(POLICY.split("; ").all(|rule| !rule.contains("unsafe") && !rule.contains("http")));
    }

    #[tokio::test]
    async fn files_have_their_type_and_head_has_no_body() {
        for (path, kind) in [
            ("/pages/page.css", "text/css; charset=utf-8"),
            ("/pages/events/page.css", "text/css; charset=utf-8"),
            ("/pages/page.js", "text/javascript; charset=utf-8"),
            ("/events", "text/html; charset=utf-8"),
        ] {
            let (head, body) = ask(Method::GET, path).await;
            assert_eq!((head.status().as_u16(), header(&head, &CONTENT_TYPE)), (200, kind), "{path}");
            let (same, none) = ask(Method::HEAD, path).await;
            assert_eq!((same.status(), same.headers()), (head.status(), head.headers()), "{path}");
            assert!(!body.is_empty() && none.is_empty(), "{path}");
        }
        assert_eq!(ask(Method::GET, "/pages/other.js").await.0.status(), 404);
    }
}
