//! Host of a request, as the client wrote it.

use http::HeaderMap;
use http::header::HOST;
use url::Url;

/// Valid host, with an optional port. Together with any path it forms a valid URL.
///
/// AWS forwards only the hosts of an API, so `lambda_http` panics on any that is not valid in a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiHost {
    authority: String,
    name: String,
    port: u16,
}

/// Error: the `Host` header is not valid in a URL, or is sent twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host header is not a host")]
pub struct InvalidHostError;

/// Host of a request without one, which HTTP/1.0 allows.
const DEFAULT_HOST: &str = "localhost";

/// Port of a host without one.
const DEFAULT_PORT: u16 = 80;

impl ApiHost {
    /// Reads the host from the headers of a request. Returns `localhost` if they have none.
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, InvalidHostError> {
        let mut values = headers.get_all(HOST).iter();
        let Some(first) = values.next() else { return Self::parse(DEFAULT_HOST) };
        if values.next().is_some() {
            return Err(InvalidHostError);
        }
        Self::parse(first.to_str().map_err(|_| InvalidHostError)?)
    }

    /// Reads `host` or `host:port`.
    pub fn parse(text: &str) -> Result<Self, InvalidHostError> {
        let url = Url::parse(&format!("http://{text}/")).map_err(|_| InvalidHostError)?;
        let is_only_host = url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
            && !text.contains(['@', '\\', '/', '\t']);
        // A function's request is parsed by both crates, and `url` accepts some characters that `http` refuses.
        if !is_only_host || url.as_str().parse::<http::Uri>().is_err() || text.parse::<http::uri::Authority>().is_err()
        {
            return Err(InvalidHostError);
        }
        let name = url.host_str().ok_or(InvalidHostError)?.to_owned();
        Ok(Self { authority: text.to_owned(), name, port: url.port().unwrap_or(DEFAULT_PORT) })
    }

    /// Returns the host as the client wrote it, such as `127.0.0.1:3000`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the host without the port.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the port, or 80 if the client wrote none.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the first label of a name, or the whole address.
    pub fn prefix(&self) -> &str {
        let is_address = self.name.starts_with('[') || self.name.parse::<std::net::Ipv4Addr>().is_ok();
        if is_address { &self.name } else { self.name.split('.').next().unwrap_or(&self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn hosts_of_common_clients_are_parsed() {
        for (text, name, prefix, port) in [
            ("127.0.0.1:3000", "127.0.0.1", "127.0.0.1", 3000),
            ("localhost", "localhost", "localhost", 80),
            ("api.example.com", "api.example.com", "api", 80),
            ("[::1]:8080", "[::1]", "[::1]", 8080),
        ] {
            let host = ApiHost::parse(text).expect(text);
            assert_eq!((host.authority(), host.name(), host.prefix(), host.port()), (text, name, prefix, port));
        }
    }

    #[test]
    fn invalid_hosts_are_refused() {
        for text in
            ["", " ", "a b", "a/b", "a?b", "a#b", "u@a", "@a", "a:b", "a:99999", "[::1", "a\"b", "a<b", "a\\b", "%zz"]
        {
            assert_eq!(ApiHost::parse(text), Err(InvalidHostError), "{text:?}");
        }
    }

    #[test]
    fn two_hosts_are_refused_and_a_missing_host_is_localhost() {
        let mut headers = HeaderMap::new();
        assert_eq!(ApiHost::from_headers(&headers).expect("none is allowed").name(), "localhost");
        headers.append(HOST, HeaderValue::from_static("a"));
        headers.append(HOST, HeaderValue::from_static("b"));
        assert_eq!(ApiHost::from_headers(&headers), Err(InvalidHostError));
    }
}
