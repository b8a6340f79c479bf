//! Header `Accept-Encoding`, and the coding of an answer that follows from it (RFC 9110, 12.5.3).

use lambda_http::http::HeaderMap;
use lambda_http::http::header::ACCEPT_ENCODING;

/// Coding of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ContentCoding {
    /// The body as it is. Also for a client that accepts neither coding: it gets an answer that it may be able to read.
    #[default]
    Identity,
    /// Gzip, unless the body is small.
    Gzip,
    /// Gzip, however small the body is: the client refuses bodies without a coding.
    OnlyGzip,
}

/// Weights of the two codings that the service has, from 0 to 1000. A weight of 0 refuses the coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CodingPreferences {
    gzip: u16,
    /// `None` if the header does not name it: then it is accepted, and gzip is preferred.
    identity: Option<u16>,
}

impl ContentCoding {
    /// Chooses the coding for the headers of a request. The gateway joins repeated headers with commas.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let value = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        value.map_or(Self::Identity, |value| Self::choose(CodingPreferences::parse(value)))
    }

    fn choose(weights: CodingPreferences) -> Self {
        match weights.identity {
            _ if weights.gzip == 0 => Self::Identity,
            Some(0) => Self::OnlyGzip,
            Some(identity) if identity > weights.gzip => Self::Identity,
            _ => Self::Gzip,
        }
    }
}

impl CodingPreferences {
    /// Reads the weights of a header. An element that is malformed is ignored. Of repeated ones the first counts.
    fn parse(value: &str) -> Self {
        let elements: Vec<_> = value.split(',').filter_map(parse_element).collect();
        let weight = |names: &[&str]| {
            let found = elements.iter().find(|(name, _)| names.iter().any(|other| name.eq_ignore_ascii_case(other)));
            found.map(|(_, weight)| *weight)
        };
        let others = weight(&["*"]);
        // The header refuses identity by name, or by a `*` with the weight 0. Another weight of `*` does not make it preferred.
        let identity = weight(&["identity"]).or(others.filter(|weight| *weight == 0));
        Self { gzip: weight(&["gzip", "x-gzip"]).or(others).unwrap_or(0), identity }
    }
}

/// Returns the name and the weight of an element such as `gzip;q=0.5`; `None` if it is malformed.
fn parse_element(element: &str) -> Option<(&str, u16)> {
    let (name, parameter) = match element.split_once(';') {
        Some((name, parameter)) => (name.trim(), Some(parameter.trim())),
        None => (element.trim(), None),
    };
    if name.is_empty() {
        return None;
    }
    let Some(parameter) = parameter else { return Some((name, 1000)) };
    let (key, weight) = parameter.split_once('=')?;
    if !key.trim_end().eq_ignore_ascii_case("q") {
        return None;
    }
    Some((name, parse_weight(weight.trim_start())?))
}

/// Returns a weight in thousandths: `0` to `1` with at most three decimals.
fn parse_weight(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let thousandths: u16 = format!("{decimals:0<3}").parse().ok().filter(|_| is_number)?;
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::ContentCoding::{Gzip, Identity, OnlyGzip};
    use super::*;
    use lambda_http::http::HeaderValue;
    use proptest::prelude::*;

    fn coding(value: &str) -> ContentCoding {
        let value = HeaderValue::from_str(value).expect("a header value");
        ContentCoding::from_headers(&HeaderMap::from_iter([(ACCEPT_ENCODING, value)]))
    }

    #[test]
    fn coding_follows_the_weights_of_the_header() {
        for (value, expected) in [
            ("gzip", Gzip),
            ("gzip, deflate, br, zstd", Gzip),
            ("GZip", Gzip),
            ("x-gzip", Gzip),
            ("br;q=1.0, gzip;q=0.8, *;q=0.1", Gzip),
            ("*", Gzip),
            ("gzip;q=0.001", Gzip),
            ("gzip ; q=1.000", Gzip),
            ("gzip;q=0.5, identity;q=0.5", Gzip),
            ("deflate, *;q=0.5", Gzip),
            ("*;q=0, gzip", OnlyGzip),
            ("gzip, identity;q=0", OnlyGzip),
            ("gzip, br, zstd, identity;q=0", OnlyGzip),
            ("*, identity;q=0.0", OnlyGzip),
            ("", Identity),
            ("identity", Identity),
            ("br", Identity),
            ("gzip;q=0", Identity),
            ("gzip;q=0.000, *", Identity),
            ("*;q=0", Identity),
            ("identity;q=0", Identity),
            ("gzip;q=0.5, identity", Identity),
            ("gzip;q=2", Identity),
            ("gzip;q=1.001", Identity),
            ("gzip;q=0.0001", Identity),
            ("gzip;q=", Identity),
            ("gzip;q=-1", Identity),
            ("gzip;level=9", Identity),
            ("gzip;q=0, gzip", Identity),
            ("not gzip", Identity),
        ] {
            assert_eq!(coding(value), expected, "{value:?}");
        }
        assert_eq!(ContentCoding::from_headers(&HeaderMap::new()), Identity);
    }

    #[test]
    fn bytes_that_are_no_text_count_as_no_header() {
        let value = HeaderValue::from_bytes(b"gzip, \xff").expect("a header value");
        assert_eq!(ContentCoding::from_headers(&HeaderMap::from_iter([(ACCEPT_ENCODING, value)])), Identity);
    }

    /// Writes a weight as a client may: with one to three decimals, or without any.
    fn written(weight: u16) -> String {
        match weight {
            1000 => "1".to_owned(),
            weight => format!("0.{weight:03}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        }
    }

    proptest! {
        #[test]
        fn any_weights_are_read_as_they_were_written(
            gzip in 0_u16..=1000,
            identity in proptest::option::of(0_u16..=1000),
            others in proptest::collection::vec("(br|zstd|deflate)(;q=0\\.[0-9]{1,3})?", 0..4),
            comma in "[ \t]{0,2},[ \t]{0,2}",
        ) {
            let own = [Some(format!("gzip;q={}", written(gzip))), identity.map(|weight| format!("identity; q={}", written(weight)))];
            let header = others.into_iter().chain(own.into_iter().flatten()).collect::<Vec<_>>().join(&comma);
            prop_assert_eq!(CodingPreferences::parse(&header), CodingPreferences { gzip, identity });
        }

        #[test]
        fn gzip_is_never_sent_to_a_client_that_does_not_name_it(value in "[ -~]{0,40}") {
            let named = value.to_ascii_lowercase().contains("gzip") || value.contains('*');
            prop_assert!(named || coding(&value) == Identity);
        }
    }
}
