//! Page `/invitation`: an invited person sets a password there.

mod accept;
mod password_form;
mod request;
mod view;

use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::http::header::ACCEPT_LANGUAGE;
use lambda_http::{Body, Request};
use presence_api::{HtmlPage, serve_page};
use presence_domain::error::Error;
use presence_domain::user::{Lang, User};
use presence_texts::Texts;

use crate::App;
use request::{InvitationRequest, Link};

/// Path of the page. The links in mails lead to it.
pub const PATH: &str = "/invitation";

/// Serves one request for the page, of any method.
pub(crate) async fn serve(app: &Arc<App>, request: &Request) -> Response<Body> {
    let accept_language = request.headers().get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let preferred = accept_language.and_then(Lang::preferred).unwrap_or_default();
    let parsed = InvitationRequest::parse(request);
    let operation = parsed.operation();
    let page = answer(app, parsed, preferred);
    serve_page(request, operation, page, |error| view::failed(Texts::of(preferred), error)).await
}

async fn answer(app: &App, request: InvitationRequest, preferred: Lang) -> Result<HtmlPage, Error> {
    match request {
        InvitationRequest::Refused(reason) => Ok(view::refused(Texts::of(preferred), reason)),
        InvitationRequest::Show(Some(link)) => show(app, &link, preferred).await,
        InvitationRequest::Show(None) => Ok(view::unknown(Texts::of(preferred))),
        InvitationRequest::Accept(link, form) => accept::run(app, link.as_ref(), &form, preferred).await,
    }
}

/// Shows the form of an open link, or the reason for which the link does not work. Changes nothing: mail scanners follow links, too.
async fn show(app: &App, link: &Link, preferred: Lang) -> Result<HtmlPage, Error> {
    let Some(user) = app.users.get(link.scope(), link.user_id).await? else {
        return Ok(view::unknown(Texts::of(preferred)));
    };
    let texts = texts_for(&user, preferred);
    let status = user.links.status_at(link.token.hash(), app.clock.now());
    Ok(view::terminal_page(texts, status).unwrap_or_else(|| view::form(texts, &user, link, &[])))
}

/// Returns the texts in the user's language, or in that of the browser if the user chose none.
fn texts_for(user: &User, preferred: Lang) -> &'static Texts {
    Texts::of(user.lang.unwrap_or(preferred))
}
