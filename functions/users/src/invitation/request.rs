//! Request for the page, read.

use lambda_http::Request;
use lambda_http::http::Method;
use presence_api::form::{Form, FormError};
use presence_domain::access::Scope;
use presence_domain::ids::UserId;
use presence_domain::invitation::ActivationToken;

/// Link of an invitation, as far as it has the form of one.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) user_id: UserId,
    pub(super) token: ActivationToken,
}

/// Request for the page.
#[derive(Debug)]
pub(super) enum InvitationRequest {
    /// Shows the status of the link. `None`: the query has no link.
    Show(Option<Link>),
    /// Sets the password in the form.
    Accept(Option<Link>, Form),
    /// Is refused before anything is looked up.
    Refused(RefusalReason),
}

/// Reason for which a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefusalReason {
    Method,
    TooLarge,
    MediaType,
    /// The form was on another site.
    CrossSite,
}

impl InvitationRequest {
    pub(super) fn parse(request: &Request) -> Self {
        match *request.method() {
            Method::GET | Method::HEAD => Self::Show(Link::parse(&Form::of_query(request))),
            Method::POST => Self::parse_form(request),
            _ => Self::Refused(RefusalReason::Method),
        }
    }

    /// Returns the name of the operation in the log.
    pub(super) fn operation(&self) -> &'static str {
        match self {
            Self::Show(_) => "invitation_page",
            Self::Refused(RefusalReason::Method) => "none",
            Self::Accept(..) | Self::Refused(_) => "accept_invitation",
        }
    }

    fn parse_form(request: &Request) -> Self {
        // The page sends no referrer, so that a browser sends `Origin: null` with its form: `Origin` decides nothing.
        let site = request.headers().get("sec-fetch-site");
        if site.is_some_and(|site| site.as_bytes() == b"cross-site") {
            return Self::Refused(RefusalReason::CrossSite);
        }
        match Form::of_body(request) {
            Ok(form) => Self::Accept(Link::parse(&form), form),
            Err(FormError::TooLarge) => Self::Refused(RefusalReason::TooLarge),
            Err(FormError::UnsupportedMediaType) => Self::Refused(RefusalReason::MediaType),
        }
    }
}

impl Link {
    fn parse(form: &Form) -> Option<Self> {
        Some(Self { user_id: UserId::parse(form.get("user")?)?, token: ActivationToken::parse(form.get("token")?)? })
    }

    /// Returns the scope of the anonymous reader: the recipient of the link, and nobody else.
    pub(super) fn scope(&self) -> Scope {
        Scope::of_link_holder(self.user_id, &self.token)
    }
}
