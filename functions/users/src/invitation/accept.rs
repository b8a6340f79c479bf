//! POST /invitation: sets the password, activates the user and uses the link up, in one conditional write.

use crate::App;
use jiff::Timestamp;
use presence_api::HtmlPage;
use presence_api::form::Form;
use presence_domain::error::Error;
use presence_domain::password::{MIN_CHARACTERS, Password, PasswordHash};
use presence_domain::text::has_control;
use presence_domain::user::{Lang, Status, User};
use presence_store::{MailChange, Refused, UserChange};
use presence_texts::Texts;

use super::ask::Link;
use super::{recipient, texts_for, view};
use crate::password_hashing;
use crate::wire::WRITE_ATTEMPTS;

/// What is wrong with the passwords of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    TooShort,
    TooLong,
    Control,
    Mismatch,
}

pub(super) async fn run(app: &App, link: Option<&Link>, form: &Form, preferred: Lang) -> Result<HtmlPage, Error> {
    // Hashing is slow on purpose: once, however often the write is tried, and only for an open link.
    let mut hashed = None;
    for _ in 0..WRITE_ATTEMPTS {
        let Some((record, link, standing)) = recipient(app, link).await? else {
            return Ok(view::unknown(Texts::of(preferred)));
        };
        let texts = texts_for(&record.user, preferred);
        if let Some(page) = view::closed(texts, standing) {
            return Ok(page);
        }
        let password = match chosen(form) {
            Ok(password) => password,
            Err(faults) => return Ok(view::form(texts, &record.user, link, &faults)),
        };
        let now = app.clock.now();
        let after = activated(&record.user, hashed.get_or_insert_with(|| password_hashing::hash(&password)), now);
        let (before, after, mail) = (Some(&record), Some(&after), MailChange::Cancel);
        match app.users.write(UserChange { before, after, mail, keep_an_admin: false, now }).await {
            Ok(()) => return Ok(view::done(texts)),
            Err(Refused::Failed(error)) => return Err(error),
            Err(Refused::Stale | Refused::EmailTaken | Refused::LastAdmin) => {}
        }
    }
    Err(Error::Conflict)
}

fn activated(before: &User, password: &PasswordHash, now: Timestamp) -> User {
    let mut after = User { status: Status::Active, password: Some(password.clone()), ..before.clone() };
    after.links.use_up();
    after.set_pace(before.pace().call_off(now));
    after
}

/// The password, by the rules of every password; or all that is wrong with it.
fn chosen(form: &Form) -> Result<Password, Vec<Fault>> {
    let (text, again) = (form.get("password").unwrap_or_default(), form.get("confirmation").unwrap_or_default());
    let password = if has_control(text) {
        Err(Fault::Control)
    } else {
        let too_short = text.chars().count() < MIN_CHARACTERS;
        Password::parse(text).map_err(|_| if too_short { Fault::TooShort } else { Fault::TooLong })
    };
    let mismatch = (text != again).then_some(Fault::Mismatch);
    match (password, mismatch) {
        (Ok(password), None) => Ok(password),
        (password, mismatch) => Err(password.err().into_iter().chain(mismatch).collect()),
    }
}
