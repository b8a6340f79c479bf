//! The query string, read strictly: what is mistyped is never passed over.

use percent_encoding::percent_decode_str;

use presence_domain::error::Error;

/// Splits and decodes a query string. `+` is a blank. An invalid percent sequence or invalid UTF-8 is refused
/// ([`Error::Invalid`]) with the name of the parameter.
pub(super) fn parse(raw: &str) -> Result<Vec<(String, String)>, Error> {
    let pairs = raw.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(decode_pair).collect()
}

fn decode_pair((name, value): (&str, &str)) -> Result<(String, String), Error> {
    let bad_name = || Error::invalid("the query string has a parameter name that is not valid percent-encoded UTF-8");
    let name = decode(name).ok_or_else(bad_name)?;
    if name == "api_key" && decode(value).is_none() {
        // Said without the value, as every text about a key.
        return Err(Error::invalid("query parameter api_key is not valid percent-encoded UTF-8"));
    }
    let value = decode(value).ok_or_else(|| Error::invalid_field(&name, "is not valid percent-encoded UTF-8"))?;
    Ok((name, value))
}

/// Decodes one name or value; `None` for an invalid percent sequence or invalid UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    let hex = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = text.as_bytes();
    let sound = |at: usize| bytes[at] != b'%' || (hex(bytes.get(at + 1)) && hex(bytes.get(at + 2)));
    if !(0..bytes.len()).all(sound) {
        return None;
    }
    let blanks = text.replace('+', " ");
    percent_decode_str(&blanks).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_decoded_in_order_with_repeats() {
        let pairs = parse("a=1&&b=x+y%2B&a=%C3%A9&c").expect("a valid query");
        let expected = [("a", "1"), ("b", "x y+"), ("a", "é"), ("c", "")];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn what_cannot_be_decoded_is_refused() {
        for wrong in ["a=%", "a=%4", "a=%zz", "a=%ff", "%zz=1", "a=%C3", "a=%+1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
