//! Forms that browsers send, and query strings of links that people follow.
//!
//! They are read less strictly than the parameters of the API. Others add parameters to a link, such as campaigns and click ids, and
//! those are ignored.

use lambda_http::Request;

use super::query::decode;

/// Media type of a form.
const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// Error of a form. Occurs when the body of a request cannot be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormError {
    /// The body is larger than the limit.
    TooLarge,
    /// The body has another media type.
    UnsupportedMediaType,
}

/// Named values, decoded. A value that is not valid UTF-8 is kept as `None`.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, Option<String>)>);

impl Form {
    /// Reads the parameters of the query string.
    pub fn of_query(request: &Request) -> Self {
        Self::parse(request.uri().query().unwrap_or_default())
    }

    /// Reads the fields of the body.
    pub fn of_body(request: &Request) -> Result<Self, FormError> {
        if super::body::check_size(request).is_err() {
            return Err(FormError::TooLarge);
        }
        if !super::body::has_media_type(request, MEDIA_TYPE) {
            return Err(FormError::UnsupportedMediaType);
        }
        let bytes: &[u8] = request.body();
        Ok(std::str::from_utf8(bytes).map(Self::parse).unwrap_or_default())
    }

    /// Returns the value of a name. Returns `None` if it is missing, cannot be decoded, or is given more than once.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_deref());
        match (values.next(), values.next()) {
            (Some(value), None) => value,
            _ => None,
        }
    }

    fn parse(raw: &str) -> Self {
        let pairs = raw.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        Self(pairs.filter_map(|(name, value)| Some((decode(name)?, decode(value)))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_found_if_it_can_be_decoded_and_is_given_once() {
        let form = Form::parse("a=1&b=x+y%2B%C3%A9&&c&d=%ff&e=1&e=1&%ff=2&utm_source=mail");
        assert_eq!(form.get("a"), Some("1"));
        assert_eq!(form.get("b"), Some("x y+é"));
        assert_eq!(form.get("c"), Some(""));
        for missing in ["d", "e", "f"] {
            assert_eq!(form.get(missing), None, "{missing}");
        }
    }
}
