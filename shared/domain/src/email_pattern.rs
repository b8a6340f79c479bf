//! Patterns of e-mail addresses, by which operators search users.

use super::email::EmailAddress;

/// Stand-ins for the other half of an address while one half is parsed.
const ANY_LOCAL_PART: &str = "a";
const ANY_DOMAIN: &str = "example.org";

const INVALID: &str = "must be an address, LOCAL-PART@* or *@DOMAIN";

/// Pattern of one address, or of all with a half in common. Folded as the keys of addresses are.
#[derive(Clone, PartialEq, Eq)]
pub enum EmailPattern {
    /// One address, by its key.
    Address(String),
    /// All addresses with this local part: `ada@*`.
    LocalPart(String),
    /// All addresses of this domain: `*@example.org`.
    Domain(String),
}

impl EmailPattern {
    /// Parses a pattern as typed; spaces around it are ignored. The operator reads the error.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        match text.trim().rsplit_once('@').ok_or(INVALID)? {
            ("*", domain) => Ok(Self::Domain(halves(ANY_LOCAL_PART, domain)?.1)),
            (local, "*") => Ok(Self::LocalPart(halves(local, ANY_DOMAIN)?.0)),
            _ => Ok(Self::Address(EmailAddress::parse(text).map_err(|_| INVALID)?.key().to_owned())),
        }
    }

    /// True if the address with this key matches.
    pub fn admits(&self, email_key: &str) -> bool {
        let halves = email_key.rsplit_once('@');
        match self {
            Self::Address(key) => key == email_key,
            Self::LocalPart(local) => halves.is_some_and(|halves| halves.0 == local),
            Self::Domain(domain) => halves.is_some_and(|halves| halves.1 == domain),
        }
    }
}

impl std::fmt::Debug for EmailPattern {
    /// Never prints the pattern: it would end up in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EmailPattern(..)")
    }
}

/// Returns both halves of the key of an address.
fn halves(local: &str, domain: &str) -> Result<(String, String), &'static str> {
    let address = EmailAddress::parse(&format!("{local}@{domain}")).map_err(|_| INVALID)?;
    let (local, domain) = address.key().rsplit_once('@').ok_or(INVALID)?;
    Ok((local.to_owned(), domain.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_admits_addresses_by_their_keys() {
        let cases = [
            ("Ada@Example.ORG", "ada@example.org", "ada@example.com"),
            (" ADA@* ", "ada@example.com", "adam@example.com"),
            ("STRAßE@*", "strasse@example.com", "strase@example.com"),
            ("a.n.a+shop@*", "a.n.a+shop@example.com", "ana@example.com"),
            ("*@BÜCHER.example", "info@xn--bcher-kva.example", "info@bucher.example"),
            ("*@example.org", "\u{2a}@example.org", "ada@mail.example.org"),
            ("*a@example.org", "*a@example.org", "aa@example.org"),
        ];
        for (pattern, matching, other) in cases {
            let read = EmailPattern::parse(pattern).unwrap_or_else(|error| panic!("{pattern} {error}"));
            assert!(read.admits(matching), "{pattern} {matching}");
            assert!(!read.admits(other), "{pattern} {other}");
            assert_eq!(format!("{read:?}"), "EmailPattern(..)");
        }
    }

    #[test]
    fn text_that_is_no_pattern_is_refused() {
        for text in
            ["", "*", "*@*", "ada", "@", "@*", "*@", "*@localhost", "*@exa*.org", "ada@ *", "a b@*", "ada@*.org"]
        {
            assert_eq!(EmailPattern::parse(text), Err(INVALID), "{text}");
        }
    }
}
