//! The pages, one for each state.

use askama::Template;
use lambda_http::http::StatusCode;
use lambda_http::http::header::{ALLOW, RETRY_AFTER};
use presence_api::HtmlPage;
use presence_domain::display::display_name;
use presence_domain::error::Error;
use presence_domain::invitation::LinkStatus;
use presence_domain::password::{MAX_CHARACTERS, MIN_CHARACTERS};
use presence_domain::user::User;
use presence_texts::{Notice, Texts};

use super::accept::Fault;
use super::ask::{Link, Reason};

const STYLE: &str = include_str!("../../templates/style.css");
/// The methods that the page has.
const METHODS: &str = "GET, HEAD, POST";
/// Seconds after which a browser may try again when a dependency did not answer.
const RETRY_AFTER_SECONDS: &str = "1";

#[derive(Template)]
#[template(path = "form.html")]
struct FormPage<'a> {
    texts: &'a Texts,
    style: &'static str,
    name: &'a str,
    email: &'a str,
    user: String,
    token: &'a str,
    hint: String,
    least: usize,
    faults: Faults,
}

#[derive(Template)]
#[template(path = "notice.html")]
struct NoticePage<'a> {
    texts: &'a Texts,
    style: &'static str,
    tone: &'static str,
    notice: Notice,
}

/// What is wrong, at the field that it is wrong with.
struct Faults {
    password: Option<String>,
    confirmation: Option<String>,
}

impl Faults {
    fn any(&self) -> bool {
        self.password.is_some() || self.confirmation.is_some()
    }
}

/// The form: 200, or 400 with what is wrong. Only the holder of an open link sees it, and in it the user's address, so that
/// a password manager knows what the password is for.
pub(super) fn form(texts: &Texts, user: &User, link: &Link, faults: &[Fault]) -> HtmlPage {
    let names = [display_name(user.first_name.as_str()), display_name(user.last_name.as_str())].join(" ");
    let of_password = faults.iter().find(|fault| **fault != Fault::Mismatch);
    let of_confirmation = faults.iter().find(|fault| **fault == Fault::Mismatch);
    let page = FormPage {
        texts,
        style: STYLE,
        name: names.trim(),
        email: user.email.as_str(),
        user: user.id.to_string(),
        token: link.token.expose(),
        hint: (texts.page.hint)(MIN_CHARACTERS, MAX_CHARACTERS),
        least: MIN_CHARACTERS,
        faults: Faults {
            password: of_password.map(|fault| said(texts, *fault)),
            confirmation: of_confirmation.map(|fault| said(texts, *fault)),
        },
    };
    let status = if faults.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    HtmlPage::new(status, page.render().expect("text renders into memory"), STYLE)
}

fn said(texts: &Texts, fault: Fault) -> String {
    match fault {
        Fault::TooShort => (texts.page.too_short)(MIN_CHARACTERS),
        Fault::TooLong => (texts.page.too_long)(MAX_CHARACTERS),
        Fault::Control => texts.page.control.to_owned(),
        Fault::Mismatch => texts.page.mismatch.to_owned(),
    }
}

/// The password was set.
pub(super) fn done(texts: &Texts) -> HtmlPage {
    notice(texts, StatusCode::OK, texts.page.done, "good")
}

/// What a link leads to that does not work any more; `None` for one that does.
pub(super) fn closed(texts: &Texts, standing: LinkStatus) -> Option<HtmlPage> {
    let says = match standing {
        LinkStatus::Open => return None,
        LinkStatus::Expired => texts.page.expired,
        LinkStatus::Used => texts.page.used,
        LinkStatus::Replaced => texts.page.replaced,
        LinkStatus::Unknown => return Some(unknown(texts)),
    };
    Some(notice(texts, StatusCode::GONE, says, "bad"))
}

/// There is no such link: the same for whatever reason, to the byte.
pub(super) fn unknown(texts: &Texts) -> HtmlPage {
    notice(texts, StatusCode::NOT_FOUND, texts.page.unknown, "bad")
}

/// The request is none that the page answers.
pub(super) fn refused(texts: &Texts, reason: Reason) -> HtmlPage {
    let rejected = |status| notice(texts, status, texts.page.rejected, "bad");
    match reason {
        Reason::Method => rejected(StatusCode::METHOD_NOT_ALLOWED).with(ALLOW, METHODS),
        Reason::TooLarge => rejected(StatusCode::PAYLOAD_TOO_LARGE),
        Reason::MediaType => rejected(StatusCode::UNSUPPORTED_MEDIA_TYPE),
        Reason::Foreign => notice(texts, StatusCode::FORBIDDEN, texts.page.foreign, "bad"),
    }
}

/// The request failed.
pub(super) fn failed(texts: &Texts, error: &Error) -> HtmlPage {
    let unavailable = |status| notice(texts, status, texts.page.unavailable, "bad");
    match error {
        Error::Unavailable(_) => unavailable(StatusCode::SERVICE_UNAVAILABLE).with(RETRY_AFTER, RETRY_AFTER_SECONDS),
        Error::Conflict => unavailable(StatusCode::CONFLICT),
        _ => unavailable(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn notice(texts: &Texts, status: StatusCode, notice: Notice, tone: &'static str) -> HtmlPage {
    let page = NoticePage { texts, style: STYLE, tone, notice };
    HtmlPage::new(status, page.render().expect("text renders into memory"), STYLE)
}
