//! E-mail addresses, and the keys by which they are compared.

use std::fmt;

use caseless::Caseless;
use email_address::Options;
use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longest address in bytes, as typed: the longest path of SMTP without its brackets (RFC 5321, erratum 1690).
pub const MAX_BYTES: usize = 254;

/// Longest local part in bytes, as typed and as a key (RFC 5321, 4.5.3.1.1).
const LOCAL_PART_MAX_BYTES: usize = 64;

const INVALID: &str = "is not a valid e-mail address";
const TOO_LONG: &str = "must be at most 254 bytes long";
const NOT_ASCII: &str = "must have ASCII characters only before the @: no mail can be sent to others";

/// Valid e-mail address, as typed without the spaces around it, with its comparison key.
///
/// It has no display name and no IP address for a domain, and it has a top-level domain. Local parts may have letters, digits and
/// marks of any script. Domains may be internationalised. Quoted local parts (`"a b"@example.com`) are refused. No provider hands
/// them out, and `"a"@example.com` and `a@example.com` would be one mailbox with two keys.
///
/// `==` compares the spelling, too. Two addresses are the same mailbox if their [`key`](Self::key)s are equal.
#[derive(Clone, PartialEq, Eq)]
pub struct EmailAddress {
    typed: String,
    key: String,
}

impl EmailAddress {
    /// Parses an address as typed; spaces around it are ignored. The client reads the error.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let typed = text.trim();
        if typed.len() > MAX_BYTES {
            return Err(TOO_LONG);
        }
        let (local, domain) = typed.rsplit_once('@').ok_or(INVALID)?;
        let folded: String = local.nfd().default_case_fold().nfkd().default_case_fold().nfkc().collect();
        let key = format!("{folded}@{}", ascii_domain(domain).ok_or(INVALID)?);
        // Both forms must be valid: folding turns some harmless characters (`⒈`, `⑴`) into dots and brackets.
        if is_valid_local_part(local) && is_valid(&key) {
            Ok(Self { typed: typed.to_owned(), key })
        } else {
            Err(INVALID)
        }
    }

    /// Checks that mail can be sent to the address: Amazon SES delivers to ASCII local parts only. Addresses that were stored before
    /// this rule may have others. The client reads the error.
    pub fn check_deliverable(&self) -> Result<(), &'static str> {
        let (local, _) = self.typed.rsplit_once('@').unwrap_or_default();
        if local.is_ascii() { Ok(()) } else { Err(NOT_ASCII) }
    }

    /// Returns the address as typed, trimmed, for people to read.
    pub fn as_str(&self) -> &str {
        &self.typed
    }

    /// Returns the address for a mail: as typed, with the domain in ASCII. Not every server takes another domain.
    pub fn for_delivery(&self) -> String {
        let local = self.typed.rsplit_once('@').map_or("", |(local, _)| local);
        format!("{local}@{}", self.domain())
    }

    /// Returns the domain of the comparison key.
    pub fn domain(&self) -> &str {
        self.key.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// Returns the comparison key. The local part is NFKC and case folded, with its dots and plus tags. The domain is in lower-case
    /// ASCII (IDNA). A key is an address, too, and its own key.
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl fmt::Debug for EmailAddress {
    /// Never prints the address: it would end up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress(..)")
    }
}

/// Returns the domain in IDNA's ASCII form. `None` if it cannot be mapped, is no DNS name, has no top-level domain, or is an IPv4
/// address. Hyphens in third and fourth place are allowed: real domains have them.
fn ascii_domain(domain: &str) -> Option<String> {
    let ascii = Uts46::new()
        .to_ascii(domain.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::Verify)
        .ok()?;
    let (_, top_level) = ascii.rsplit_once('.')?;
    (!top_level.bytes().all(|digit| digit.is_ascii_digit())).then(|| ascii.into_owned())
}

fn is_valid(address: &str) -> bool {
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let options = Options::default().without_display_text().without_domain_literal().with_required_tld();
    let address = format!("{}@{domain}", without_marks(local));
    is_valid_local_part(local) && email_address::EmailAddress::parse_with_options(&address, options).is_ok()
}

fn is_valid_local_part(local: &str) -> bool {
    local.len() <= LOCAL_PART_MAX_BYTES
        && !local.starts_with(['"', '<'])
        && !local.starts_with(is_combining_mark)
        && email_address::EmailAddress::is_valid_local_part(&without_marks(local))
}

/// Returns the local part without marks. The crate takes letters and digits of every script, but not the marks that many
/// scripts write them with.
fn without_marks(local: &str) -> String {
    local.chars().filter(|&c| !is_combining_mark(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(text: &str) -> String {
        EmailAddress::parse(text).unwrap_or_else(|error| panic!("{text} {error}")).key().to_owned()
    }

    #[test]
    fn keys_ignore_case_and_width_and_spell_the_domain_in_ascii() {
        let cases = [
            ("plain", "ana@example.com", "ana@example.com"),
            ("case", "Ana.LOPEZ@Example.COM", "ana.lopez@example.com"),
            ("dots and plus tags are kept", "a.n.a+shop@example.com", "a.n.a+shop@example.com"),
            ("spaces around", "  ana@example.com\t", "ana@example.com"),
            ("full width", "ＡＮＡ@ｅｘａｍｐｌｅ．ｃｏｍ", "ana@example.com"),
            ("sharp s in the local part", "STRAßE@example.com", "strasse@example.com"),
            ("accents differ", "Zoë@example.com", "zoë@example.com"),
            ("accents typed as combining marks", "zoe\u{308}@example.com", "zoë@example.com"),
            ("internationalised domain", "info@Bücher.example", "info@xn--bcher-kva.example"),
            ("the same domain in ASCII", "info@XN--BCHER-KVA.example", "info@xn--bcher-kva.example"),
            ("a script with vowel signs", "संपर्क@डाटामेल.भारत", "संपर्क@xn--c2bd4bq1db8d.xn--h2brj9c"),
            ("Chinese", "用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v"),
            ("every special of RFC 5322", "!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"),
            ("hyphens in third and fourth place", "a@r3---sn.example", "a@r3---sn.example"),
        ];
        for (what, text, expected) in cases {
            assert_eq!(key(text), expected, "{what}");
        }
    }

    #[test]
    fn the_typed_spelling_is_kept() {
        let address = EmailAddress::parse(" Ana@Example.com ").expect("a valid address");
        assert_eq!(address.as_str(), "Ana@Example.com");
    }

    #[test]
    fn text_that_is_no_plain_address_is_refused() {
        let cases = [
            ("empty", ""),
            ("no at", "example.com"),
            ("no local part", "@example.com"),
            ("no domain", "ana@"),
            ("two ats", "ana@home@example.com"),
            ("an at of full width", "ana＠home@example.com"),
            ("display name", "Ana <ana@example.com>"),
            ("brackets", "<ana@example.com>"),
            ("no top-level domain", "ana@localhost"),
            ("IPv4 literal", "ana@[192.0.2.1]"),
            ("IPv6 literal", "ana@[IPv6:2001:db8::1]"),
            ("bare IPv4 address", "ana@192.0.2.1"),
            ("bare IPv4 address of full width", "ana@１９２.0.2.１"),
            ("quoted local part", "\"ana lopez\"@example.com"),
            ("quoted local part without need", "\"ana\"@example.com"),
            ("comment", "ana(work)@example.com"),
            ("space inside", "ana lopez@example.com"),
            ("no-break space inside", "ana\u{A0}lopez@example.com"),
            ("line break", "ana@example.com\r\nBcc: x@example.com"),
            ("NUL", "ana\0@example.com"),
            ("dot first", ".ana@example.com"),
            ("dot last", "ana.@example.com"),
            ("two dots", "a..a@example.com"),
            ("two dots after folding", "a‥a@example.com"),
            ("brackets after folding", "⑴@example.com"),
            ("dot last after folding", "ana⒈@example.com"),
            ("zero-width joiner", "an\u{200D}a@example.com"),
            ("mark without a letter", "\u{301}ana@example.com"),
            ("domain ends with a dot", "ana@example.com."),
            ("hyphen first in the domain", "ana@-example.com"),
            ("underscore in the domain", "ana@ex_ample.com"),
            ("character that IDNA refuses", "ana@exa\u{2FF0}mple.com"),
            ("broken punycode", "ana@xn--a.com"),
        ];
        for (what, text) in cases {
            assert_eq!(EmailAddress::parse(text), Err(INVALID), "{what}");
        }
    }

    #[test]
    fn lengths_are_bounded() {
        let local = "a".repeat(LOCAL_PART_MAX_BYTES);
        let label = "b".repeat(60);
        let longest = format!("{local}@{label}.{label}.{label}.abcdef");
        assert_eq!(longest.len(), MAX_BYTES);
        assert!(EmailAddress::parse(&longest).is_ok());
        assert_eq!(EmailAddress::parse(&format!("{longest}g")), Err(TOO_LONG));
        assert_eq!(EmailAddress::parse(&format!("a{local}@example.com")), Err(INVALID));
        assert_eq!(EmailAddress::parse(&format!("ana@{}.com", "b".repeat(64))), Err(INVALID));
    }

    #[test]
    fn mail_can_be_sent_to_ascii_local_parts_only() {
        let check = |text: &str| EmailAddress::parse(text).expect(text).check_deliverable();
        for fine in ["ana.lopez+shop@example.com", "!#$%&'*+-/=?^_`{|}~@example.com", "info@Bücher.example"] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
        for not in ["zoë@example.com", "ＡＮＡ@example.com", "用户@例子.广告", "zoe\u{308}@example.com"] {
            assert_eq!(check(not), Err(NOT_ASCII), "{not}");
        }
    }

    #[test]
    fn debug_output_is_silent() {
        let address = EmailAddress::parse("ana@example.com").expect("a valid address");
        assert_eq!(format!("{address:?}"), "EmailAddress(..)");
    }

    /// Returns addresses of letters whose cases fold together. `ı` is none: its upper case is `I`, which folds to another letter.
    fn any_address() -> impl Strategy<Value = String> {
        ("[a-zA-Z0-9à-þА-яα-ρß字é+_.-]{1,12}", "[a-zA-Z0-9à-þа-я]{1,12}", "[a-zA-Z]{2,6}")
            .prop_map(|(local, domain, top_level)| format!("{local}@{domain}.{top_level}"))
    }

    proptest! {
        #[test]
        fn keys_survive_case_changes(typed in any_address()) {
            if let Ok(address) = EmailAddress::parse(&typed) {
                let (local, domain) = typed.rsplit_once('@').expect("has an at");
                for changed in [local.to_uppercase(), local.to_lowercase()] {
                    prop_assert_eq!(&key(&format!("{changed}@{domain}")), address.key());
                    prop_assert_eq!(&key(&format!("{changed}@{}", domain.to_ascii_uppercase())), address.key());
                    prop_assert_eq!(&key(&format!("{changed}@{}", domain.to_lowercase())), address.key());
                }
            }
        }

        #[test]
        fn a_key_is_an_address_with_itself_as_its_key(local in "\\PC{1,20}|\\w{1,10}", domain in "[\\w-]{1,10}") {
            if let Ok(address) = EmailAddress::parse(&format!("{local}@{domain}.example")) {
                prop_assert_eq!(&key(address.key()), address.key());
            }
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in any::<String>(), domain in any::<String>()) {
            let _ = EmailAddress::parse(&text);
            let _ = EmailAddress::parse(&format!("{text}@{domain}"));
        }
    }
}
