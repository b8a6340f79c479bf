//! Networks of source addresses, in CIDR notation.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Number of leading bits of an IPv6 address that holds an IPv4 address.
const MAPPED_PREFIX: u8 = 96;

/// Network: an address whose bits beyond the prefix are zero, and the length of the prefix. An IPv4 address inside an IPv6 one counts as
/// IPv4, so that each network has one spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// Error of a text that is no network, as a phrase for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The text is not an address, a slash and the length of a prefix.
    NoCidr,
    /// The address has bits beyond the prefix. Holds the network that was probably meant.
    HasHostBits(Network),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCidr => f.write_str(
                "must have networks in CIDR notation only, such as 203.0.113.0/24, 203.0.113.7/32 or 2001:db8::/32",
            ),
            Self::HasHostBits(meant) => write!(f, "has an address with bits beyond its prefix: the network is {meant}"),
        }
    }
}

impl Network {
    /// Parses a network. An address with bits beyond the prefix is refused: it may mean that one address, or all of its network.
    pub fn parse(text: &str) -> Result<Self, NetworkError> {
        let (address, prefix) = text.trim().split_once('/').ok_or(NetworkError::NoCidr)?;
        let address: IpAddr = address.parse().map_err(|_| NetworkError::NoCidr)?;
        let is_number = (1..=3).contains(&prefix.len()) && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let has_one_spelling = prefix == "0" || !prefix.starts_with('0');
        let prefix: u8 = Some(prefix)
            .filter(|_| is_number && has_one_spelling)
            .and_then(|digits| digits.parse().ok())
            .ok_or(NetworkError::NoCidr)?;
        if prefix > width(address) {
            return Err(NetworkError::NoCidr);
        }
        let network = Self { address: masked(address, prefix), prefix }.canonical();
        if masked(address, prefix) == address { Ok(network) } else { Err(NetworkError::HasHostBits(network)) }
    }

    /// True if the address is in the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4() && masked(address, self.prefix) == self.address
    }

    /// True if every address of the other network is in this one.
    pub fn covers(&self, other: &Self) -> bool {
        self.prefix <= other.prefix && self.contains(other.address)
    }

    /// Returns the network as IPv4 if all of its addresses are.
    fn canonical(self) -> Self {
        match self.address.to_canonical() {
            address @ IpAddr::V4(_) if self.prefix >= MAPPED_PREFIX => {
                Self { address, prefix: self.prefix - MAPPED_PREFIX }
            }
            _ => self,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

/// Returns the number of bits of an address.
fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// Returns the address with zeros beyond the prefix.
fn masked(address: IpAddr, prefix: u8) -> IpAddr {
    let host_bits = u32::from(width(address) - prefix);
    match address {
        IpAddr::V4(address) => {
            Ipv4Addr::from_bits(address.to_bits() & u32::MAX.checked_shl(host_bits).unwrap_or(0)).into()
        }
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() & u128::MAX.checked_shl(host_bits).unwrap_or(0)).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        Network::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn networks_have_one_spelling() {
        for (text, spelling) in [
            ("203.0.113.0/24", "203.0.113.0/24"),
            (" 203.0.113.7/32 ", "203.0.113.7/32"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("2001:DB8:0::/32", "2001:db8::/32"),
            ("::/0", "::/0"),
            ("::ffff:203.0.113.0/120", "203.0.113.0/24"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
        ] {
            assert_eq!(network(text).to_string(), spelling);
            assert_eq!(Network::parse(spelling), Ok(network(text)));
        }
    }

    #[test]
    fn text_that_is_no_network_is_refused_and_one_with_host_bits_is_told_its_network() {
        for text in [
            "",
            " ",
            "/",
            "203.0.113.7",
            "203.0.113.0/",
            "203.0.113.0/33",
            "203.0.113.0/-1",
            "203.0.113.0/+8",
            "203.0.113.0/08",
            "203.0.113.0/24/8",
            "203.0.113/24",
            "0203.0.113.0/24",
            "2001:db8::/129",
            "2001:db8::",
            "fe80::%eth0/64",
            "example.org/24",
            "203.0.113.0/255.255.255.0",
            "203.0.113.0 /24",
            "203.0.113.0/٢٤",
            "*",
        ] {
            assert_eq!(Network::parse(text), Err(NetworkError::NoCidr), "{text}");
        }
        for (text, meant) in [
            ("203.0.113.5/24", "203.0.113.0/24"),
            ("10.0.0.1/0", "0.0.0.0/0"),
            ("2001:db8::1/32", "2001:db8::/32"),
            ("::ffff:203.0.113.5/120", "203.0.113.0/24"),
            ("::ffff:0:0/90", "::ffc0:0:0/90"),
        ] {
            assert_eq!(Network::parse(text), Err(NetworkError::HasHostBits(network(meant))), "{text}");
        }
    }

    #[test]
    fn an_address_is_in_its_networks_and_a_network_in_those_that_cover_it() {
        for (of, address, expected) in [
            ("203.0.113.0/24", "203.0.113.0", true),
            ("203.0.113.0/24", "203.0.113.255", true),
            ("203.0.113.0/24", "203.0.114.0", false),
            ("203.0.113.0/24", "::ffff:203.0.113.9", true),
            ("203.0.113.0/24", "::203.0.113.9", false),
            ("203.0.113.7/32", "203.0.113.8", false),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "203.0.113.9", false),
            ("::/0", "::ffff:203.0.113.9", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/33", "2001:db8:ffff::1", false),
        ] {
            assert_eq!(network(of).contains(address.parse().expect("an address")), expected, "{address} in {of}");
        }
        for (outer, inner, expected) in [
            ("203.0.113.0/24", "203.0.113.0/24", true),
            ("203.0.113.0/24", "203.0.113.128/25", true),
            ("203.0.113.128/25", "203.0.113.0/24", false),
            ("203.0.113.0/25", "203.0.113.0/24", false),
            ("203.0.112.0/24", "203.0.113.0/25", false),
            ("0.0.0.0/0", "::/0", false),
            ("::/0", "2001:db8::/32", true),
        ] {
            assert_eq!(network(outer).covers(&network(inner)), expected, "{inner} in {outer}");
        }
    }
}
