//! Headers that help a client with an error: its code, and a link to the page that explains it.

use std::borrow::Cow;

use lambda_http::Request;
use lambda_http::http::header::LINK;
use lambda_http::http::{HeaderName, HeaderValue};

use crate::page_links::called_origin;

/// Header with the code of an error: its kind, as the log has it.
pub(crate) const ERROR_CODE: HeaderName = HeaderName::from_static("x-error-code");
/// Path of the page that explains each code, below the URL of the documentation.
const PAGE: &str = "/guide/errors";

/// URL below which the documentation is, with a page that explains each code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocsUrl {
    /// The documentation is not published.
    #[default]
    None,
    /// The host that the client called, as on the local stack.
    CalledHost,
    /// A URL without a slash at its end.
    Fixed(&'static str),
}

impl DocsUrl {
    /// Returns the URL for a request; `None` if there is none.
    pub(crate) fn of(self, request: &Request) -> Option<Cow<'static, str>> {
        match self {
            Self::None => None,
            Self::CalledHost => called_origin(request).map(Cow::Owned),
            Self::Fixed(url) => Some(Cow::Borrowed(url)),
        }
    }
}

/// Returns the headers of an error with this code. The link needs the URL of the documentation.
pub(crate) fn headers(code: &'static str, docs_url: Option<&str>) -> Vec<(HeaderName, HeaderValue)> {
    let link = docs_url.and_then(|url| format!("<{url}{PAGE}#{code}>; rel=\"help\"").try_into().ok());
    let code = (ERROR_CODE, HeaderValue::from_static(code));
    std::iter::once(code).chain(link.map(|link| (LINK, link))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_leads_to_the_url_of_the_documentation_or_to_the_called_host_or_is_left_out() {
        let request = Request::new(lambda_http::Body::Empty);
        let link = |docs_url: DocsUrl| {
            let headers = headers("not_found", docs_url.of(&request).as_deref());
            assert_eq!(headers[0], (ERROR_CODE, HeaderValue::from_static("not_found")));
            headers.get(1).map(|(name, value)| (name.clone(), value.to_str().expect("a text").to_owned()))
        };
        let expected = "<https://docs.example.com/guide/errors#not_found>; rel=\"help\"".to_owned();
        assert_eq!(link(DocsUrl::Fixed("https://docs.example.com")), Some((LINK, expected)));
        assert_eq!(link(DocsUrl::CalledHost), None, "the event tells no host");
        assert_eq!(link(DocsUrl::None), None);
    }
}
