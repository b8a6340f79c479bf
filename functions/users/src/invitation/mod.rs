//! `/invitation`: where an invited person chooses a password.

mod accept;
mod ask;
mod view;

use std::sync::Arc;

use crate::App;
use lambda_http::http::Response;
use lambda_http::http::header::ACCEPT_LANGUAGE;
use lambda_http::{Body, Request};
use presence_api::{HtmlPage, serve_page};
use presence_domain::error::Error;
use presence_domain::invitation::LinkStatus;
use presence_domain::user::{Lang, User};
use presence_store::UserRecord;
use presence_texts::Texts;

use ask::{Ask, Link};

/// The path of the page, which links in mails lead to.
pub const PATH: &str = "/invitation";

/// Serves one request for the page, whatever its method.
pub(crate) async fn serve(app: &Arc<App>, request: &Request) -> Response<Body> {
    let accepted = request.headers().get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let preferred = accepted.and_then(Lang::preferred).unwrap_or_default();
    let ask = Ask::of(request);
    let name = ask.name();
    serve_page(request, name, answer(app, ask, preferred), |error| view::failed(Texts::of(preferred), error)).await
}

async fn answer(app: &App, ask: Ask, preferred: Lang) -> Result<HtmlPage, Error> {
    let texts = Texts::of(preferred);
    match ask {
        Ask::Refused(reason) => Ok(view::refused(texts, reason)),
        Ask::Show(link) => match recipient(app, link.as_ref()).await? {
            Some((record, link, standing)) => {
                let texts = texts_for(&record.user, preferred);
                Ok(view::closed(texts, standing).unwrap_or_else(|| view::form(texts, &record.user, link, &[])))
            }
            None => Ok(view::unknown(texts)),
        },
        Ask::Accept(link, chosen) => accept::run(app, link.as_ref(), &chosen, preferred).await,
    }
}

/// The user that the link was sent to, and where the link stands. `None` for every link that was not sent to anybody.
async fn recipient<'a>(app: &App, link: Option<&'a Link>) -> Result<Option<(UserRecord, &'a Link, LinkStatus)>, Error> {
    let Some(link) = link else { return Ok(None) };
    let record = app.users.get_record_by_link(link.user, link.token.hash()).await?;
    Ok(record.map(|record| {
        let standing = record.user.links.status_at(link.token.hash(), app.clock.now());
        (record, link, standing)
    }))
}

/// In the user's language; where it chose none, in that of the browser.
fn texts_for(user: &User, preferred: Lang) -> &'static Texts {
    Texts::of(user.lang.unwrap_or(preferred))
}
