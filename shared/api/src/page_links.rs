//! Links to other pages of a search, in the header `Link` (RFC 8288).

use std::fmt::Write as _;

use lambda_http::Request;
use lambda_http::http::header::HOST;
use lambda_http::http::uri::Authority;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::request_ids::gateway_context;

/// Maximum size of the header, in bytes. Servers and proxies take few headers that are larger.
const MAX_BYTES: usize = 4096;
/// Name of the parameter with the number of the page.
const PAGE: &str = "page";
/// Header with the scheme that the client used. The gateway sets it.
const FORWARDED_PROTO: &str = "x-forwarded-proto";
/// Bytes that are escaped in a query: all but the unreserved ones of RFC 3986. So no `,`, `;` or `>` can confuse a reader of the header.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Host that a client called, if it differs from the gateway's: that of the edge.
#[derive(Clone, Debug)]
pub(crate) struct CalledHost(pub(crate) String);

/// Address of a search: scheme, host and path, without the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SearchUrl(String);

impl SearchUrl {
    /// Returns the address that the client called; `None` if the event does not tell it.
    pub(crate) fn of(request: &Request) -> Option<Self> {
        Some(Self(format!("{}{}", called_origin(request)?, request.uri().path())))
    }

    /// Returns the value of the header `Link` for a page; `None` if it would be too large.
    ///
    /// `query` has the parameters of the request, decoded and without the key. They keep their order, and `page` its place.
    pub(crate) fn links(&self, query: &[(String, String)], page: u64, max_page: u64) -> Option<String> {
        let previous = (page > 1).then(|| (page - 1).min(max_page));
        let next = (page < max_page).then(|| page + 1);
        let pages = [("first", Some(1)), ("prev", previous), ("next", next), ("last", Some(max_page))];
        let mut links = String::new();
        for (relation, page) in pages.into_iter().filter_map(|(relation, page)| Some((relation, page?))) {
            let separator = if links.is_empty() { "" } else { ", " };
            let url = self.with_page(query, page);
            write!(links, "{separator}<{url}>; rel=\"{relation}\"").expect("memory takes every byte");
            if links.len() > MAX_BYTES {
                return None;
            }
        }
        Some(links)
    }

    fn with_page(&self, query: &[(String, String)], page: u64) -> String {
        let number = page.to_string();
        let has_page = query.iter().any(|(name, _)| name == PAGE);
        let pairs =
            query.iter().map(|(name, value)| (name.as_str(), if name == PAGE { &number } else { value.as_str() }));
        let pairs = pairs.chain((!has_page).then_some((PAGE, number.as_str())));
        let pairs: Vec<_> = pairs.map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
        format!("{}?{}", self.0, pairs.join("&"))
    }
}

/// Returns the address that the client called, without a path; `None` if the event does not tell it.
pub(crate) fn called_origin(request: &Request) -> Option<String> {
    let (scheme, host) = origin(request)?;
    host.parse::<Authority>().ok()?;
    Some(format!("{scheme}://{host}"))
}

/// Returns the scheme and the host that the client called. Only the local gateway speaks HTTP: its host has a port.
fn origin(request: &Request) -> Option<(&'static str, &str)> {
    if let Some(CalledHost(host)) = request.extensions().get() {
        return Some(("https", host));
    }
    if !is_https(request) {
        return Some(("http", request.headers().get(HOST)?.to_str().ok()?));
    }
    Some(("https", gateway_context(request)?.domain_name.as_deref()?))
}

/// True unless the client came without encryption, as to the local gateway.
pub(crate) fn is_https(request: &Request) -> bool {
    let is_http = request.headers().get(FORWARDED_PROTO).is_some_and(|proto| proto == "http");
    !is_http || request.extensions().get::<CalledHost>().is_some()
}

fn escaped(text: &str) -> impl std::fmt::Display + '_ {
    utf8_percent_encode(text, ESCAPED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query;
    use proptest::prelude::*;

    const URL: &str = "https://api.example.com/api/v2/reviews";

    fn pairs(query: &str) -> Vec<(String, String)> {
        query::parse(query).expect("a valid query")
    }

    fn links(query: &str, page: u64, max_page: u64) -> String {
        SearchUrl(URL.to_owned()).links(&pairs(query), page, max_page).expect("a short header")
    }

    /// Returns the relations of a header, each with the query of its address.
    fn parsed(header: &str) -> Vec<(String, String)> {
        let link = |link: &str| {
            let (url, relation) = link.strip_prefix('<')?.split_once(">; rel=\"")?;
            let query = url.strip_prefix(URL)?.strip_prefix('?')?;
            Some((relation.strip_suffix('"')?.to_owned(), query.to_owned()))
        };
        header.split(", ").map(|text| link(text).unwrap_or_else(|| panic!("{text}"))).collect()
    }

    #[test]
    fn only_pages_that_exist_are_linked() {
        for (page, max_page, expected) in [
            (1, 1, &[("first", "1"), ("last", "1")][..]),
            (1, 3, &[("first", "1"), ("next", "2"), ("last", "3")]),
            (2, 3, &[("first", "1"), ("prev", "1"), ("next", "3"), ("last", "3")]),
            (3, 3, &[("first", "1"), ("prev", "2"), ("last", "3")]),
            (4, 3, &[("first", "1"), ("prev", "3"), ("last", "3")]),
            (9_007_199_254_740_991, 3, &[("first", "1"), ("prev", "3"), ("last", "3")]),
        ] {
            let expected: Vec<_> =
                expected.iter().map(|(relation, page)| ((*relation).to_owned(), format!("page={page}"))).collect();
            assert_eq!(parsed(&links("", page, max_page)), expected, "page {page} of {max_page}");
        }
    }

    #[test]
    fn page_keeps_its_place_and_is_last_if_the_request_has_none() {
        let next = |query| parsed(&links(query, 1, 2)).swap_remove(1).1;
        assert_eq!(next("a=1&page=1&b=2"), "a=1&page=2&b=2");
        assert_eq!(next("a=1&b=2"), "a=1&b=2&page=2");
        assert_eq!(next("per_page=7&page="), "per_page=7&page=2");
        assert_eq!(next("q=a+b%2B,c%3E%22&n=%C3%A9"), "q=a%20b%2B%2Cc%3E%22&n=%C3%A9&page=2");
    }

    #[test]
    fn header_above_4_kb_is_left_out() {
        let url = SearchUrl(URL.to_owned());
        let header = |length: usize| url.links(&pairs(&format!("a={}", "x".repeat(length))), 1, 1);
        let length_of_rest = header(0).expect("a short header").len();
        let longest = (MAX_BYTES - length_of_rest) / 2;
        assert!(header(longest).is_some_and(|header| header.len() > MAX_BYTES - 2));
        assert_eq!(header(longest + 1), None);
    }

    proptest! {
        #[test]
        fn links_lead_back_to_the_parameters_of_the_request(
            query in proptest::collection::vec((any::<String>(), any::<String>()), 0..6),
            page in 1_u64..20,
            max_page in 1_u64..20,
        ) {
            let Some(header) = SearchUrl(URL.to_owned()).links(&query, page, max_page) else { return Ok(()) };
            prop_assert!(header.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
            let without_page = |query: Vec<(String, String)>| query.into_iter().filter(|(name, _)| name != PAGE).collect::<Vec<_>>();
            for (_, link) in parsed(&header) {
                prop_assert_eq!(without_page(pairs(&link)), without_page(query.clone()));
            }
        }
    }
}
