//! Pages: one for each status of a link and each error.

use askama::Template;
use lambda_http::http::StatusCode;
use lambda_http::http::header::{ALLOW, RETRY_AFTER};
use presence_api::HtmlPage;
use presence_domain::display::display_name;
use presence_domain::error::Error;
use presence_domain::invitation::LinkStatus;
use presence_domain::password::{MAX_CHARACTERS, MIN_CHARACTERS};
use presence_domain::user::User;
use presence_runtime::sign_in_url::SignInUrl;
use presence_texts::{Notice, Texts};

use super::password_form::PasswordFormError;
use super::request::{Link, RefusalReason};

const STYLE: &str = include_str!("../../templates/style.css");
/// Methods that the page answers.
const METHODS: &str = "GET, HEAD, POST";
/// Number of seconds after which a browser may try again, if a dependency did not answer.
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
    errors: FormErrors,
}

#[derive(Template)]
#[template(path = "notice.html")]
struct NoticePage<'a> {
    texts: &'a Texts,
    style: &'static str,
    tone: &'static str,
    notice: Notice,
    /// Address of the page where the person signs in.
    sign_in_url: Option<&'a str>,
}

/// Errors of a form by field.
struct FormErrors {
    password: Option<String>,
    confirmation: Option<String>,
}

impl FormErrors {
    fn any(&self) -> bool {
        self.password.is_some() || self.confirmation.is_some()
    }

    /// Returns the names of the fields with an error.
    fn names(&self) -> Vec<&'static str> {
        let fields = [("confirmation", &self.confirmation), ("password", &self.password)];
        fields.into_iter().filter_map(|(name, error)| error.as_ref().map(|_| name)).collect()
    }
}

/// Returns the form: 200, or 400 with the errors. Only the holder of an open link sees it. It has the user's address, so that a
/// password manager knows the account.
pub(super) fn form(texts: &Texts, user: &User, link: &Link, errors: &[PasswordFormError]) -> HtmlPage {
    let names = [display_name(user.first_name.as_str()), display_name(user.last_name.as_str())].join(" ");
    let of_password = errors.iter().find(|error| **error != PasswordFormError::Mismatch);
    let of_confirmation = errors.iter().find(|error| **error == PasswordFormError::Mismatch);
    let page = FormPage {
        texts,
        style: STYLE,
        name: names.trim(),
        email: user.email.as_str(),
        user: user.id.to_string(),
        token: link.token.expose(),
        hint: (texts.page.hint)(MIN_CHARACTERS, MAX_CHARACTERS),
        least: MIN_CHARACTERS,
        errors: FormErrors {
            password: of_password.map(|error| error_text(texts, *error)),
            confirmation: of_confirmation.map(|error| error_text(texts, *error)),
        },
    };
    let bad_fields = page.errors.names();
    let html = page.render().expect("text renders into memory");
    if errors.is_empty() {
        return HtmlPage::new(StatusCode::OK, html, STYLE).with_secret();
    }
    let page = HtmlPage::new(StatusCode::BAD_REQUEST, html, STYLE).with_secret();
    page.of_error("invalid").with_bad_fields(bad_fields)
}

fn error_text(texts: &Texts, error: PasswordFormError) -> String {
    match error {
        PasswordFormError::TooShort => (texts.page.too_short)(MIN_CHARACTERS),
        PasswordFormError::TooLong => (texts.page.too_long)(MAX_CHARACTERS),
        PasswordFormError::ControlCharacter => texts.page.control.to_owned(),
        PasswordFormError::Mismatch => texts.page.mismatch.to_owned(),
    }
}

/// Returns the page after the password was set. It promises a way to sign in only if there is one.
pub(super) fn done(texts: &Texts, sign_in_url: Option<&SignInUrl>) -> HtmlPage {
    let done = texts.page.done;
    let notice = sign_in_url.map_or(done, |_| Notice { text: texts.page.ready_to_sign_in, ..done });
    let sign_in_url = sign_in_url.map(SignInUrl::as_str);
    let page = NoticePage { texts, style: STYLE, tone: "good", notice, sign_in_url };
    HtmlPage::new(StatusCode::OK, page.render().expect("text renders into memory"), STYLE)
}

/// Returns the page of a link that does not work any more; `None` for an open link.
pub(super) fn terminal_page(texts: &Texts, status: LinkStatus) -> Option<HtmlPage> {
    let (text, kind) = match status {
        LinkStatus::Open => return None,
        LinkStatus::Expired => (texts.page.expired, "link_expired"),
        LinkStatus::Used => (texts.page.used, "link_used"),
        LinkStatus::Replaced => (texts.page.replaced, "link_replaced"),
        LinkStatus::Unknown => return Some(unknown(texts)),
    };
    Some(notice(texts, StatusCode::GONE, text, "bad").of_error(kind))
}

/// Returns the page of a link that does not exist. It is the same for every reason, to the byte.
pub(super) fn unknown(texts: &Texts) -> HtmlPage {
    notice(texts, StatusCode::NOT_FOUND, texts.page.unknown, "bad").of_error("link_unknown")
}

/// Returns the page of a refused request.
pub(super) fn refused(texts: &Texts, reason: RefusalReason) -> HtmlPage {
    let rejected = |status, kind| notice(texts, status, texts.page.rejected, "bad").of_error(kind);
    match reason {
        RefusalReason::Method => rejected(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed").with(ALLOW, METHODS),
        RefusalReason::TooLarge => rejected(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
        RefusalReason::MediaType => rejected(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type"),
        RefusalReason::CrossSite => {
            notice(texts, StatusCode::FORBIDDEN, texts.page.foreign, "bad").of_error("cross_site")
        }
    }
}

/// Returns the page of a request that failed.
pub(super) fn failed(texts: &Texts, error: &Error) -> HtmlPage {
    let unavailable = |status| notice(texts, status, texts.page.unavailable, "bad");
    match error {
        Error::Unavailable(_) => unavailable(StatusCode::SERVICE_UNAVAILABLE).with(RETRY_AFTER, RETRY_AFTER_SECONDS),
        Error::Conflict => unavailable(StatusCode::CONFLICT).with(RETRY_AFTER, RETRY_AFTER_SECONDS),
        _ => unavailable(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn notice(texts: &Texts, status: StatusCode, notice: Notice, tone: &'static str) -> HtmlPage {
    let page = NoticePage { texts, style: STYLE, tone, notice, sign_in_url: None };
    HtmlPage::new(status, page.render().expect("text renders into memory"), STYLE)
}
