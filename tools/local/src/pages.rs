//! The developer's pages: the list of operations, beside the mailbox.

use std::fmt::Write as _;

use axum::Router;
use axum::http::HeaderMap;
use axum::response::Html;
use axum::routing::get;

use crate::mail::MAILBOX;

/// Path of the operations.
pub(crate) const DOCS: &str = "/docs";

const STYLE: &str = "\
    :root{color-scheme:light dark}\
    body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
    table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #8884}\
    code,pre{font:14px/1.5 ui-monospace,monospace;background:#8882;border-radius:4px}\
    code{padding:.1em .3em;overflow-wrap:anywhere}pre{padding:.8rem;overflow-x:auto}pre code{background:none;padding:0}";

/// The page's route.
pub(crate) fn router() -> Router {
    Router::new().route(DOCS, get(docs))
}

async fn docs(headers: HeaderMap) -> Html<String> {
    let host = headers.get("host").and_then(|host| host.to_str().ok()).filter(|host| is_plain(host));
    let origin = format!("http://{}", host.unwrap_or("127.0.0.1:3000"));
    let mut body = String::from(
        "<p>Every operation takes an API key: in the header <code>x-api-key</code>, or as the parameter <code>api_key</code>.</p>",
    );
    body.push_str("<table><thead><tr><th>Operation</th><th>Request</th></tr></thead><tbody>");
    let users = presence_users::ROUTES.iter().map(|route| (route.name, route.method, route.path));
    let categories = presence_categories::ROUTES.iter().map(|route| (route.name, route.method, route.path));
    let reviews = presence_reviews::ROUTES.iter().map(|route| (route.name, route.method, route.path));
    for (name, method, path) in users.chain(categories).chain(reviews) {
        let _ = write!(body, "<tr><td>{name}</td><td><code>{method} {path}</code></td></tr>");
    }
    body.push_str("</tbody></table><h2>Try it</h2><pre><code>");
    for line in examples(&origin) {
        let _ = writeln!(body, "{line}");
    }
    body.push_str("</code></pre>");
    Html(page("Operations", &body))
}

/// Requests to paste into a shell that has the key in `$KEY`.
fn examples(origin: &str) -> [String; 6] {
    let base = format!("{origin}/api/v2");
    let call = format!("curl -H \"x-api-key: $KEY\" {base}/user");
    [
        format!("{call}/me"),
        format!("{call}/stats"),
        format!("{call}/search?query=martin"),
        format!("curl -H \"x-api-key: $KEY\" '{base}/category/search?lang=FR&amp;name=boul'"),
        format!("curl -H \"x-api-key: $KEY\" '{base}/reviews?rating__in=1,2&amp;state=not_treated'"),
        format!(
            "{call} --json '{{\"email\":\"lea@maison-verte.example\",\"first_name\":\"Léa\",\"last_name\":\"Roy\",\"status\":\"invited\"}}'"
        ),
    ]
}

fn is_plain(host: &str) -> bool {
    host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".:-[]".contains(&byte))
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} · presence</title><style>{STYLE}</style></head>\
         <body><h1>{title}</h1><p><a href=\"{DOCS}\">Operations</a> · <a href=\"{MAILBOX}\">Mailbox</a></p>{body}</body></html>"
    )
}
