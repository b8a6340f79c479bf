//! Query string, read strictly: a parameter that cannot be decoded is an error.

use percent_encoding::percent_decode_str;

use super::credential::API_KEY;
use presence_domain::error::Error;

/// Splits and decodes a query string. A `+` is a blank. An invalid percent sequence or invalid UTF-8 is an [`Error::Invalid`] that
/// names the parameter.
pub(super) fn parse(raw: &str) -> Result<Vec<(String, String)>, Error> {
    let pairs = raw.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(decode_pair).collect()
}

fn decode_pair((name, value): (&str, &str)) -> Result<(String, String), Error> {
    let name = decode(name).ok_or_else(|| {
        Error::invalid("the query string has a parameter name that is not valid percent-encoded UTF-8")
    })?;
    match decode(value) {
        Some(value) => Ok((name, value)),
        // The text does not repeat the value, like every text about a key.
        None if name == API_KEY => Err(Error::invalid("query parameter api_key is not valid percent-encoded UTF-8")),
        None => Err(Error::invalid_field(name, "is not valid percent-encoded UTF-8")),
    }
}

/// Decodes a name or a value. Returns `None` for an invalid percent sequence and for invalid UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    if !has_valid_escapes(text.as_bytes()) {
        return None;
    }
    let blanks = text.replace('+', " ");
    percent_decode_str(&blanks).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// True if two hexadecimal digits follow each percent sign. The decoder would keep an invalid sequence as it is.
fn has_valid_escapes(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%').all(|(position, _)| {
        bytes.get(position + 1..position + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_is_decoded_in_order_with_repeats() {
        let pairs = parse("a=1&&b=x+y%2B&a=%C3%A9&c").expect("a valid query");
        let expected = [("a", "1"), ("b", "x y+"), ("a", "é"), ("c", "")];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn query_that_cannot_be_decoded_is_refused() {
        for wrong in ["a=%", "a=%4", "a=%zz", "a=%ff", "%zz=1", "a=%C3", "a=%+1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
