//! Addresses to which a webhook may connect: public ones, and no way inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not public, or are no single host: <https://www.iana.org/assignments/iana-ipv4-special-registry>.
const REFUSED_V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 52, 193, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast, reserved and broadcast.
    ([224, 0, 0, 0], 3),
];

/// Networks inside the global unicast addresses of IPv6 that are not public: <https://www.iana.org/assignments/iana-ipv6-special-registry>.
/// Teredo and 6to4 hold an address of IPv4, to which a router may translate.
const REFUSED_V6: [([u16; 2], u32); 5] =
    [([0x2001, 0], 23), ([0x2001, 0xdb8], 32), ([0x2002, 0], 16), ([0x2620, 0x4f], 32), ([0x3fff, 0], 20)];

/// True if the address is public: neither private, nor of this machine or network, nor one that a router may translate to such.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in = |(network, prefix): ([u8; 4], u32)| {
        (address.to_bits() ^ Ipv4Addr::from(network).to_bits()) >> (32 - prefix) == 0
    };
    !REFUSED_V4.into_iter().any(is_in)
}

/// True only inside `2000::/3`. That alone refuses loopback, mapped and compatible IPv4, NAT64, ULA, link-local and multicast.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, .., fifth, sixth, _, _] = address.segments();
    let head = u32::from(first) << 16 | u32::from(second);
    let is_in = |([first, second], prefix): ([u16; 2], u32)| {
        (head ^ (u32::from(first) << 16 | u32::from(second))) >> (32 - prefix) == 0
    };
    // ISATAP holds an address of IPv4 at its end.
    let is_isatap = fifth & !0x0200 == 0 && sixth == 0x5efe;
    head >> 29 == 1 && !is_isatap && !REFUSED_V6.into_iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: [&str; 28] = [
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2003::1",
        "2606:4700::1111",
        "2a00:1450::1",
        "3ffe::1",
        "2a00:1450::5eff:7f00:1",
    ];

    #[test]
    fn addresses_at_both_ends_of_each_refused_network_are_not_public_and_their_neighbours_are() {
        let refused = [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.0",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.0.0",
            "169.254.169.254",
            "169.254.170.2",
            "169.254.255.255",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.31.196.1",
            "192.52.193.1",
            "192.88.99.1",
            "192.168.0.0",
            "192.168.255.255",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::1",
            "100::1",
            "100:0:0:1::1",
            "2001::1",
            "2001:0:4136:e378::1",
            "2001:2::1",
            "2001:20::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2001:db8:ffff::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "2620:4f:8000::1",
            "2a00:1450::5efe:7f00:1",
            "2a00:1450::200:5efe:a00:1",
            "3fff::1",
            "3fff:fff:ffff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ];
        for text in refused {
            assert!(!is_public(text.parse().expect(text)), "{text}");
        }
        for text in PUBLIC {
            assert!(is_public(text.parse().expect(text)), "{text}");
        }
    }
}
