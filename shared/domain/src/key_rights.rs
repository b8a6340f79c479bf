//! Rights of an API key beyond those of its owner: what it may do, from where, and until when. A key makes no key with more of them.

use std::net::IpAddr;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use crate::error::{Error, FieldError, FieldErrors};
use crate::network::Network;
use crate::rate_limit::KeyLimit;

/// Largest number of live keys of a user to whom another one is issued.
pub const MAX_LIVE_KEYS: usize = 5;
/// Largest number of live keys after a rotation: each of five keys may be replaced while the one before it still gives access.
pub const MAX_KEYS_WITH_OVERLAP: usize = 2 * MAX_LIVE_KEYS;
/// Longest time for which a key that is replaced still gives access: that of an operator.
pub const LONGEST_OVERLAP: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Time for which a key that has ended is listed.
pub const LISTED_AFTER_END: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Largest number of networks of a key. With them its record stays far below 4 KB, which are one read unit.
pub const MAX_NETWORKS: usize = 20;
/// Largest number of characters of a label.
pub const MAX_LABEL_CHARS: usize = 100;
/// Years after which a key ends if no end is asked for.
const DEFAULT_YEARS: i32 = 1;
/// Largest number of years that a key may be asked to last.
const MAX_YEARS: i32 = 2;
/// Largest overlap of a rotation, in seconds: a week.
pub const MAX_OVERLAP_SECONDS: i64 = 7 * 24 * 3_600;
/// Overlap of a rotation that asks for none: a day.
pub const DEFAULT_OVERLAP_SECONDS: i64 = 24 * 3_600;

crate::listed_enum! {
    /// Operations that a key may call.
    #[derive(Default)]
    pub enum KeyAccess {
        /// Every operation that its owner may.
        #[default]
        All = 1 => "all",
        /// GET and HEAD.
        Read = 0 => "read",
    }
}

/// Networks from which a key may be called. Without any, it may be called from everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedNetworks(Vec<Network>);

impl AllowedNetworks {
    /// Parses networks, in order, without duplicates.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, FieldError> {
        let mut networks = Vec::new();
        for text in texts {
            let network = Network::parse(text).map_err(|error| error.to_string())?;
            if !networks.contains(&network) {
                networks.push(network);
            }
        }
        if networks.len() > MAX_NETWORKS {
            return Err(format!("must have at most {MAX_NETWORKS} networks").into());
        }
        Ok(Self(networks))
    }

    /// True if a call from this address is admitted. An unknown address is admitted only if every address is.
    pub fn admit(&self, source: Option<IpAddr>) -> bool {
        self.0.is_empty() || source.is_some_and(|source| self.0.iter().any(|network| network.contains(source)))
    }

    /// True if these networks have no address that the others lack.
    pub fn is_within(&self, others: &Self) -> bool {
        let is_covered = |network: &Network| others.0.iter().any(|other| other.covers(network));
        others.0.is_empty() || (!self.0.is_empty() && self.0.iter().all(is_covered))
    }

    /// Returns the spellings of the networks.
    pub fn to_texts(&self) -> Vec<String> {
        self.0.iter().map(Network::to_string).collect()
    }
}

/// Rights of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRights {
    /// Operations that it may call.
    pub access: KeyAccess,
    /// Networks from which it may be called.
    pub networks: AllowedNetworks,
    /// Instant from which it gives no access; `None` for a key of an operator that never ends.
    pub expires_at: Option<Timestamp>,
    /// Limit that an operator gave to it.
    pub limit: KeyLimit,
}

/// Rights that are asked for a new key. Those that are left out depend on the key that asks.
#[derive(Clone, Debug, Default)]
pub struct AskedRights {
    /// Operations.
    pub access: Option<KeyAccess>,
    /// Networks.
    pub networks: Option<AllowedNetworks>,
    /// End.
    pub expires_at: Option<Timestamp>,
    /// Limit: that of the key that is replaced, or the default.
    pub limit: KeyLimit,
}

impl KeyRights {
    /// Allows or refuses ([`Error::Forbidden`]) a change by a key with these rights.
    pub fn check_change(&self) -> Result<(), Error> {
        match self.access {
            KeyAccess::All => Ok(()),
            KeyAccess::Read => Err(Error::Forbidden("this key may only read".to_owned())),
        }
    }

    /// Returns the rights of a key that a key with these rights makes. What it does not ask for ends in a year, or with this key, and has
    /// the networks of this key.
    ///
    /// Returns [`Error::Forbidden`] if the new key would have a right that this one lacks, and [`Error::Invalid`] for an end that no key
    /// may have. `mistakes` has those of the request so far.
    pub fn of_new_key(&self, requested: AskedRights, mut mistakes: FieldErrors, now: Timestamp) -> Result<Self, Error> {
        let access = requested.access.unwrap_or(self.access);
        let networks = requested.networks.unwrap_or_else(|| self.networks.clone());
        let ends_later = |at: Timestamp| self.expires_at.is_some_and(|own_end| at > own_end);
        let more = if access > self.access {
            Some("with more access")
        } else if !networks.is_within(&self.networks) {
            Some("for more networks")
        } else if requested.expires_at.is_some_and(ends_later) {
            Some("that ends later")
        } else {
            None
        };
        if let Some(more) = more {
            return Err(Error::Forbidden(format!("this key may not make a key {more} than itself")));
        }
        if let Some(error) = requested.expires_at.and_then(|at| expiry_error(at, now)) {
            mistakes.add("expires_at", error);
        }
        mistakes.into_result()?;
        let default_end = in_years(now, DEFAULT_YEARS);
        let default_end = self.expires_at.map_or(default_end, |own_end| own_end.min(default_end));
        let expires_at = Some(requested.expires_at.unwrap_or(default_end));
        Ok(Self { access, networks, expires_at, limit: requested.limit.of_key_made_by(self.limit) })
    }
}

fn expiry_error(at: Timestamp, now: Timestamp) -> Option<FieldError> {
    if at <= now {
        return Some("must be in the future".into());
    }
    (at > in_years(now, MAX_YEARS)).then(|| format!("must be at most {MAX_YEARS} years ahead").into())
}

/// Returns the instant some years later by the calendar, in whole seconds as answers have them.
fn in_years(now: Timestamp, years: i32) -> Timestamp {
    let later =
        now.to_zoned(TimeZone::UTC).checked_add(years.years()).map_or(Timestamp::MAX, |later| later.timestamp());
    Timestamp::from_second(later.as_second()).unwrap_or(later)
}

/// Parses a label: 1 to [`MAX_LABEL_CHARS`] characters once control characters are dropped and blanks around it are trimmed.
pub fn parse_label(text: &str) -> Result<String, FieldError> {
    parse_optional_label(text)?.ok_or_else(|| "is required".into())
}

/// Parses a label as [`parse_label`] does; `None` for a blank one.
pub fn parse_optional_label(text: &str) -> Result<Option<String>, FieldError> {
    let printable: String = text.chars().filter(|character| !character.is_control()).collect();
    let label = printable.trim();
    match label.chars().count() {
        0 => Ok(None),
        1..=MAX_LABEL_CHARS => Ok(Some(label.to_owned())),
        _ => Err(format!("must have at most {MAX_LABEL_CHARS} characters").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ValidationError;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    fn networks(texts: &[&str]) -> AllowedNetworks {
        AllowedNetworks::parse(texts.iter().copied()).expect("networks")
    }

    fn key(access: KeyAccess, allowed: &[&str], expires_at: Option<&str>) -> KeyRights {
        KeyRights { access, networks: networks(allowed), expires_at: expires_at.map(at), ..KeyRights::default() }
    }

    fn requested(access: Option<KeyAccess>, allowed: Option<&[&str]>, expires_at: Option<&str>) -> AskedRights {
        AskedRights {
            access,
            networks: allowed.map(networks),
            expires_at: expires_at.map(at),
            ..AskedRights::default()
        }
    }

    /// Returns the rights as text, or the error.
    fn outcome(own: &KeyRights, requested: AskedRights) -> String {
        match own.of_new_key(requested, FieldErrors::default(), at("2026-02-28T12:00:00.5Z")) {
            Ok(KeyRights { access, networks, expires_at, .. }) => {
                format!("{} {:?} {}", access.as_str(), networks.to_texts(), expires_at.expect("an end"))
            }
            Err(Error::Forbidden(text)) => text,
            Err(Error::Invalid(ValidationError::Fields(fields))) => format!("{:?}", fields.iter().collect::<Vec<_>>()),
            Err(error) => panic!("{error:?}"),
        }
    }

    #[test]
    fn a_key_makes_no_key_that_may_more_than_itself() {
        use KeyAccess::{All, Read};
        let (free, office) =
            (key(All, &[], None), key(All, &["203.0.113.0/24", "2001:db8::/32"], Some("2026-06-01T00:00:00Z")));
        let reader = key(Read, &[], None);
        let more = |what: &str| format!("this key may not make a key {what} than itself");
        let wrong_end = |text: &str| format!("[(\"expires_at\", Text(\"{text}\"))]");
        for (own, requested, expected) in [
            (&free, requested(None, None, None), "all [] 2027-02-28T12:00:00Z".to_owned()),
            (
                &free,
                requested(Some(Read), Some(&["203.0.113.0/24"]), Some("2026-03-01T00:00:00Z")),
                "read [\"203.0.113.0/24\"] 2026-03-01T00:00:00Z".to_owned(),
            ),
            (
                &office,
                requested(None, None, None),
                "all [\"203.0.113.0/24\", \"2001:db8::/32\"] 2026-06-01T00:00:00Z".to_owned(),
            ),
            (
                &office,
                requested(None, Some(&["203.0.113.8/29"]), Some("2026-06-01T00:00:00Z")),
                "all [\"203.0.113.8/29\"] 2026-06-01T00:00:00Z".to_owned(),
            ),
            (&office, requested(None, Some(&[]), None), more("for more networks")),
            (&office, requested(None, Some(&["203.0.113.0/24", "203.0.112.0/24"]), None), more("for more networks")),
            (&office, requested(None, Some(&["203.0.112.0/23"]), None), more("for more networks")),
            (&office, requested(None, None, Some("2026-06-01T00:00:00.001Z")), more("that ends later")),
            (&reader, requested(Some(All), None, None), more("with more access")),
            (&reader, requested(None, None, None), "read [] 2027-02-28T12:00:00Z".to_owned()),
            (&free, requested(None, None, Some("2026-02-28T12:00:00.5Z")), wrong_end("must be in the future")),
            (&free, requested(None, None, Some("2028-02-28T12:00:00Z")), "all [] 2028-02-28T12:00:00Z".to_owned()),
            (&free, requested(None, None, Some("2028-02-28T12:00:01Z")), wrong_end("must be at most 2 years ahead")),
        ] {
            assert_eq!(outcome(own, requested), expected);
        }
    }

    #[test]
    fn a_right_too_many_counts_before_mistakes_and_every_mistake_is_named() {
        let office = key(KeyAccess::All, &["203.0.113.0/24"], None);
        let mistakes = FieldErrors::one("label", "is required");
        let past = requested(None, None, Some("2020-01-01T00:00:00Z"));
        let Err(Error::Invalid(ValidationError::Fields(fields))) =
            office.of_new_key(past.clone(), mistakes.clone(), at("2026-02-28T12:00:00Z"))
        else {
            panic!("two mistakes")
        };
        assert_eq!(fields.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["expires_at", "label"]);
        let everywhere = AskedRights { networks: Some(networks(&[])), ..past };
        let refused = office.of_new_key(everywhere, mistakes, at("2026-02-28T12:00:00Z"));
        assert!(matches!(refused, Err(Error::Forbidden(_))));
    }

    #[test]
    fn a_call_is_admitted_from_the_networks_or_from_everywhere() {
        let office = networks(&["203.0.113.0/24", "2001:db8::/32"]);
        let from = |text: &str| Some(text.parse().expect("an address"));
        for (source, expected) in [
            (from("203.0.113.9"), true),
            (from("::ffff:203.0.113.9"), true),
            (from("2001:db8::9"), true),
            (from("198.51.100.9"), false),
            (None, false),
        ] {
            assert_eq!(office.admit(source), expected, "{source:?}");
            assert!(networks(&[]).admit(source));
        }
    }

    #[test]
    fn networks_have_no_duplicates_and_a_bound() {
        assert_eq!(networks(&["10.0.0.0/8", "::ffff:10.0.0.0/104"]).to_texts(), ["10.0.0.0/8"]);
        let many = |count: usize| (0..count).map(|number| format!("10.0.{number}.0/24")).collect::<Vec<_>>();
        assert!(AllowedNetworks::parse(many(MAX_NETWORKS).iter().map(String::as_str)).is_ok());
        assert!(AllowedNetworks::parse(many(MAX_NETWORKS + 1).iter().map(String::as_str)).is_err());
    }

    #[test]
    fn a_label_has_1_to_100_characters_without_control_characters() {
        assert_eq!(parse_label(" CI\u{0}\n bot\u{85} "), Ok("CI bot".to_owned()));
        assert_eq!(parse_label(&"é".repeat(100)).map(|label| label.chars().count()), Ok(100));
        for text in ["", " ", "\u{7f}", &"é".repeat(101)] {
            assert!(parse_label(text).is_err(), "{text:?}");
        }
        assert_eq!(parse_optional_label(" \n"), Ok(None));
    }

    #[test]
    fn only_a_key_with_all_access_changes_anything() {
        assert!(key(KeyAccess::All, &[], None).check_change().is_ok());
        assert!(matches!(key(KeyAccess::Read, &[], None).check_change(), Err(Error::Forbidden(_))));
    }
}
