//! What a request asks of the page.

use lambda_http::Request;
use lambda_http::http::Method;
use presence_api::form::{Form, FormError};
use presence_domain::ids::UserId;
use presence_domain::invitation::ActivationToken;

/// A link, as far as it has the form of one.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) user: UserId,
    pub(super) token: ActivationToken,
}

/// A request, read.
#[derive(Debug)]
pub(super) enum Ask {
    /// To see where the link stands. `None`: it is no link.
    Show(Option<Link>),
    /// To set the password that the form has.
    Accept(Option<Link>, Form),
    /// Nothing that the page does.
    Refused(Reason),
}

/// Why a request is refused before anything is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Method,
    TooLarge,
    MediaType,
    /// The form stood on another site.
    Foreign,
}

impl Ask {
    pub(super) fn of(request: &Request) -> Self {
        match *request.method() {
            Method::GET | Method::HEAD => Self::Show(Link::of(&Form::of_query(request))),
            Method::POST => Self::of_form(request),
            _ => Self::Refused(Reason::Method),
        }
    }

    /// What it is called in the log.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Show(_) => "invitation_page",
            Self::Refused(Reason::Method) => "none",
            Self::Accept(..) | Self::Refused(_) => "accept_invitation",
        }
    }

    fn of_form(request: &Request) -> Self {
        // The page sends no referrer, and so a browser sends `Origin: null` with its form: that says nothing.
        let site = request.headers().get("sec-fetch-site");
        if site.is_some_and(|site| site.as_bytes() == b"cross-site") {
            return Self::Refused(Reason::Foreign);
        }
        match Form::of_body(request) {
            Ok(form) => Self::Accept(Link::of(&form), form),
            Err(FormError::TooLarge) => Self::Refused(Reason::TooLarge),
            Err(FormError::UnsupportedMediaType) => Self::Refused(Reason::MediaType),
        }
    }
}

impl Link {
    fn of(form: &Form) -> Option<Self> {
        Some(Self { user: UserId::parse(form.get("user")?)?, token: ActivationToken::parse(form.get("token")?)? })
    }
}
