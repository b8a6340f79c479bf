//! POST `/invitation`: sets the password, activates the user and uses up the link, in one conditional write.

use presence_api::HtmlPage;
use presence_api::form::Form;
use presence_domain::error::Error;
use presence_domain::user::{Lang, User};
use presence_store::{Decision, UpdateOutcome};
use presence_texts::Texts;

use super::password_form::read_password;
use super::request::Link;
use super::{texts_for, view};
use crate::App;
use crate::password_hashing::HashOnce;

pub(super) async fn run(app: &App, link: Option<&Link>, form: &Form, preferred: Lang) -> Result<HtmlPage, Error> {
    let Some(link) = link else { return Ok(view::unknown(Texts::of(preferred))) };
    // Only an open link is worth the hash.
    let hash = HashOnce::default();
    let accept = |user: &User| {
        let (texts, now) = (texts_for(user, preferred), app.clock.now());
        if let Some(page) = view::terminal_page(texts, user.links.status_at(link.token.hash(), now)) {
            return Ok(Decision::Stop(page));
        }
        Ok(match read_password(form) {
            Ok(password) => Decision::Write(Box::new(user.activate(hash.get(&password), now))),
            Err(errors) => Decision::Stop(view::form(texts, user, link, &errors)),
        })
    };
    match app.users.update(link.scope(), link.user_id, accept).await {
        Ok(UpdateOutcome::Written(user)) => Ok(view::done(texts_for(&user, preferred), app.sign_in_url.as_ref())),
        Ok(UpdateOutcome::Stopped(page)) => Ok(page),
        Err(Error::NotFound) => Ok(view::unknown(Texts::of(preferred))),
        Err(error) => Err(error),
    }
}
