//! Forms, as browsers send them, and the query strings of links that people follow.
//!
//! Read with more patience than the API's parameters: what others append to a link (campaigns, click ids) is passed over.

use lambda_http::Request;

use super::query::decode;

/// The media type of a form.
const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// Why a body is no form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormError {
    /// It is larger than any body may be.
    TooLarge,
    /// It has another media type.
    UnsupportedMediaType,
}

/// Named values, decoded. One that is no valid UTF-8 has the name and no value.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, Option<String>)>);

impl Form {
    /// The parameters of a query string.
    #[must_use]
    pub fn of_query(request: &Request) -> Self {
        Self::parse(request.uri().query().unwrap_or_default())
    }

    /// The fields of the body.
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

    /// The value of this name: `None` where it is missing, cannot be decoded, or is given more than once.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(given, _)| given == name).map(|(_, value)| value.as_deref());
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
    fn a_value_is_there_once_or_not_at_all() {
        let form = Form::parse("a=1&b=x+y%2B%C3%A9&&c&d=%ff&e=1&e=1&%ff=2&utm_source=mail");
        assert_eq!(form.get("a"), Some("1"));
        assert_eq!(form.get("b"), Some("x y+é"));
        assert_eq!(form.get("c"), Some(""));
        for missing in ["d", "e", "f"] {
            assert_eq!(form.get(missing), None, "{missing}");
        }
    }
}
