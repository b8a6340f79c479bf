//! Rule of the addresses of pages that settings name.

use std::str::FromStr as _;

use http::Uri;
use http::uri::Scheme;

/// Largest number of bytes of an address, as browsers and mail programs take them.
pub(crate) const MAX_ADDRESS_BYTES: usize = 2_048;
/// Hosts of this machine, on which an address may lack TLS.
const LOCAL_HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// True if the text is an absolute URL: `https`, or `http` on this machine, without a user name.
pub(crate) fn is_web_address(text: &str) -> bool {
    // `Uri` drops the part behind `#`, which pages of one file use.
    let Some(uri) = text.split('#').next().and_then(|start| Uri::from_str(start).ok()) else { return false };
    let Some(authority) = uri.authority().filter(|authority| !authority.as_str().contains('@')) else { return false };
    let is_encrypted = uri.scheme() == Some(&Scheme::HTTPS);
    let is_local = uri.scheme() == Some(&Scheme::HTTP) && LOCAL_HOSTS.contains(&authority.host());
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte));
    (is_encrypted || is_local) && is_plain && !authority.host().is_empty() && text.len() <= MAX_ADDRESS_BYTES
}
