//! The name under which a client reached the gateway.

use http::HeaderMap;
use http::header::HOST;
use url::Url;

/// A host, with its port if there is one, from which every path makes a valid URL.
///
/// AWS never passes another on: its edge knows the API by its host. `lambda_http` relies on that and panics otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiHost {
    authority: String,
    name: String,
    port: u16,
}

/// The request names no host that a URL could have, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host header is not a host")]
pub struct InvalidHost;

/// A client of HTTP/1.0 need not name a host.
const UNNAMED: &str = "localhost";

/// Without a port in the host, HTTP means this one.
const HTTP_PORT: u16 = 80;

impl ApiHost {
    /// The host that the headers of a request name; `localhost` if they name none.
    pub fn of(headers: &HeaderMap) -> Result<Self, InvalidHost> {
        let mut values = headers.get_all(HOST).iter();
        let Some(first) = values.next() else { return Self::parse(UNNAMED) };
        if values.next().is_some() {
            return Err(InvalidHost);
        }
        Self::parse(first.to_str().map_err(|_| InvalidHost)?)
    }

    /// Reads `host` or `host:port`.
    pub fn parse(text: &str) -> Result<Self, InvalidHost> {
        let url = Url::parse(&format!("http://{text}/")).map_err(|_| InvalidHost)?;
        let only_a_host = url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
            && !text.contains(['@', '\\', '/', '\t']);
        // The URL crate takes some characters that the HTTP crate refuses; the functions' requests go through both.
        if !only_a_host || url.as_str().parse::<http::Uri>().is_err() || text.parse::<http::uri::Authority>().is_err() {
            return Err(InvalidHost);
        }
        let name = url.host_str().ok_or(InvalidHost)?.to_owned();
        Ok(Self { authority: text.to_owned(), name, port: url.port().unwrap_or(HTTP_PORT) })
    }

    /// As the client wrote it, such as `127.0.0.1:3000`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Without the port.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port, 80 when the client wrote none.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The first label of a name; an address as a whole.
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
    fn hosts_of_real_clients_are_read() {
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
    fn broken_hosts_are_refused() {
        for text in
            ["", " ", "a b", "a/b", "a?b", "a#b", "u@a", "@a", "a:b", "a:99999", "[::1", "a\"b", "a<b", "a\\b", "%zz"]
        {
            assert_eq!(ApiHost::parse(text), Err(InvalidHost), "{text:?}");
        }
    }

    #[test]
    fn two_hosts_are_refused_and_none_is_the_local_one() {
        let mut headers = HeaderMap::new();
        assert_eq!(ApiHost::of(&headers).expect("none is allowed").name(), "localhost");
        headers.append(HOST, HeaderValue::from_static("a"));
        headers.append(HOST, HeaderValue::from_static("b"));
        assert_eq!(ApiHost::of(&headers), Err(InvalidHost));
    }
}
