//! Headers that help a client with an error: its code, and a link to the page that explains it.

use std::borrow::Cow;

use lambda_http::Request;
use lambda_http::http::header::LINK;
use lambda_http::http::{HeaderName, HeaderValue};

use crate::page_links::called_origin;

/// Header with the code of an error: its kind, as the log has it.
pub(crate) const ERROR_CODE: HeaderName = HeaderName::from_static("x-error-code");
/// Path of the page that explains each code, below the address of the documentation.
const PAGE: &str = "/guide/errors";

/// Place of the documentation, in which a page explains each code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guide {
    /// No place is known.
    #[default]
    Nowhere,
    /// The host that the client called, as on the local stack.
    CalledHost,
    /// An address without a slash at its end.
    At(&'static str),
}

impl Guide {
    /// Returns the address of the documentation for a request; `None` if there is none.
    pub(crate) fn address(self, request: &Request) -> Option<Cow<'static, str>> {
        match self {
            Self::Nowhere => None,
            Self::CalledHost => called_origin(request).map(Cow::Owned),
            Self::At(address) => Some(Cow::Borrowed(address)),
        }
    }
}

/// Returns the headers of an error with this code. The link needs the address of the documentation.
pub(crate) fn headers(code: &'static str, address: Option<&str>) -> Vec<(HeaderName, HeaderValue)> {
    let link = address.and_then(|address| format!("<{address}{PAGE}#{code}>; rel=\"help\"").try_into().ok());
    let code = (ERROR_CODE, HeaderValue::from_static(code));
    std::iter::once(code).chain(link.map(|link| (LINK, link))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_leads_to_the_address_of_the_documentation_or_to_the_called_host_or_is_left_out() {
        let request = Request::new(lambda_http::Body::Empty);
        let link = |guide: Guide| {
            let headers = headers("not_found", guide.address(&request).as_deref());
            assert_eq!(headers[0], (ERROR_CODE, HeaderValue::from_static("not_found")));
            headers.get(1).map(|(name, value)| (name.clone(), value.to_str().expect("a text").to_owned()))
        };
        let expected = "<https://docs.example.com/guide/errors#not_found>; rel=\"help\"".to_owned();
        assert_eq!(link(Guide::At("https://docs.example.com")), Some((LINK, expected)));
        assert_eq!(link(Guide::CalledHost), None, "the event tells no host");
        assert_eq!(link(Guide::Nowhere), None);
    }
}
