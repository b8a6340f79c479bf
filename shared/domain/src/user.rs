//! The people who run the shops.

use jiff::Timestamp;

use super::api_key::ApiKeyHash;
use super::email::EmailAddress;
use super::ids::{BusinessId, OrgId, UserId};
use super::invitation::InvitationLinks;
use super::password::PasswordHash;

/// What a user may do, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Manages the businesses that are listed for it.
    BusinessManager,
    /// Manages the users of one organisation.
    OrgAdmin,
    /// Manages every organisation.
    Provider,
}

impl Role {
    /// Every role, from most to least: the order in which clients are told the choices.
    pub const ALL: [Self; 3] = [Self::Provider, Self::OrgAdmin, Self::BusinessManager];

    /// The spelling on the wire and in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "PROVIDER",
            Self::OrgAdmin => "ORG_ADMIN",
            Self::BusinessManager => "BUSINESS_MANAGER",
        }
    }
}

/// Where a user stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Has an account in use.
    Active,
    /// Has been created, and has not yet chosen a password.
    Invited,
}

impl Status {
    /// Every status, in the order in which clients are told the choices.
    pub const ALL: [Self; 2] = [Self::Active, Self::Invited];

    /// The spelling on the wire and in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Invited => "invited",
        }
    }
}

/// The language of mails and pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English, the default.
    #[default]
    En,
    /// French.
    Fr,
    /// Spanish.
    Es,
    /// Italian.
    It,
    /// German.
    De,
    /// Portuguese.
    Pt,
}

impl Lang {
    /// Every language, in the order in which clients are told the choices.
    pub const ALL: [Self; 6] = [Self::En, Self::Fr, Self::Es, Self::It, Self::De, Self::Pt];

    /// The ISO 639-1 code, lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Fr => "fr",
            Self::Es => "es",
            Self::It => "it",
            Self::De => "de",
            Self::Pt => "pt",
        }
    }

    /// Reads a code in any case, with or without a region: `pt-BR` and `FR_fr` are `pt` and `fr`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (language, region) = text.split_once(['-', '_']).unwrap_or((text, "XX"));
        let region_fits = (2..=8).contains(&region.len()) && region.bytes().all(|byte| byte.is_ascii_alphanumeric());
        Self::ALL.into_iter().find(|lang| region_fits && lang.as_str().eq_ignore_ascii_case(language))
    }

    /// The language that a reader likes best, by the header `Accept-Language`: `de-AT;q=0.8, fr` is French. `None` where it
    /// names none of ours.
    #[must_use]
    pub fn preferred(accepted: &str) -> Option<Self> {
        let ranked = accepted.split(',').filter_map(|item| {
            let (range, parameters) = item.split_once(';').unwrap_or((item, ""));
            let quality = match parameters.trim().strip_prefix("q=") {
                Some(quality) => quality.trim().parse().ok().filter(|quality| (0.0..=1.0).contains(quality))?,
                None => 1.0,
            };
            // `zh-Hant-TW` has more than a region: the first subtag is the language.
            let language = range.trim().split('-').next()?;
            Some((quality, Self::parse(language)?)).filter(|(quality, _)| *quality > 0.0)
        });
        // The first of equals: `max_by` would take the last.
        ranked.reduce(|best: (f32, Self), next| if next.0 > best.0 { next } else { best }).map(|(_, lang)| lang)
    }
}

/// A first or last name: trimmed, 1 to 100 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonName(String);

impl PersonName {
    /// The most characters a name has.
    pub const MAX_CHARS: usize = 100;

    /// Trims and measures. The error is what the client reads.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let trimmed = text.trim();
        match trimmed.chars().count() {
            1..=Self::MAX_CHARS => Ok(Self(trimmed.to_owned())),
            _ => Err("must have 1 to 100 characters"),
        }
    }

    /// The name as shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A phone number as people write it: 1 to 32 digits, blanks and `+-.()/`, trimmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone(String);

impl Phone {
    /// Longest number, in characters.
    pub const MAX_CHARS: usize = 32;

    /// Trims and checks; blank text is no number. The error is what the client reads.
    pub fn parse(text: &str) -> Result<Option<Self>, &'static str> {
        let trimmed = text.trim();
        let allowed = |char: char| char.is_ascii_digit() || " +-.()/".contains(char);
        if trimmed.chars().count() > Self::MAX_CHARS || !trimmed.chars().all(allowed) {
            return Err("must have at most 32 characters: digits, spaces and + - . ( ) /");
        }
        Ok((!trimmed.is_empty()).then(|| Self(trimmed.to_owned())))
    }

    /// The number as shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A user with everything that the service keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// Counts the writes of this user, from 1: the guard of every update.
    pub version: u64,
    /// Where it stands.
    pub status: Status,
    /// What it may do.
    pub role: Role,
    /// The organisation that it belongs to. Only a PROVIDER may have none.
    pub org_id: Option<OrgId>,
    /// First name.
    pub first_name: PersonName,
    /// Last name.
    pub last_name: PersonName,
    /// Address, unique over all organisations by its key.
    pub email: EmailAddress,
    /// Phone number.
    pub phone: Option<Phone>,
    /// Language, if one was chosen.
    pub lang: Option<Lang>,
    /// Businesses with WRITE permission, in the order given, without duplicates.
    pub business_ids: Vec<BusinessId>,
    /// None: nobody can sign in with a password.
    pub password: Option<PasswordHash>,
    /// When the last invitation was accepted for sending and not called off: the start of the 5-minute window.
    pub invited_at: Option<Timestamp>,
    /// The first instant at which another mail may be sent, after the last one that was sent, or that may have been.
    pub quiet_until: Option<Timestamp>,
    /// The links that it was sent.
    pub links: InvitationLinks,
    /// Digests of the user's API keys, live or not.
    pub keys: Vec<ApiKeyHash>,
}

impl User {
    /// Whether this user counts as one who can administer its organisation.
    #[must_use]
    pub fn is_active_admin(&self) -> bool {
        self.role == Role::OrgAdmin && self.status == Status::Active
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_outranks_those_below_it() {
        assert!(Role::Provider > Role::OrgAdmin && Role::OrgAdmin > Role::BusinessManager);
    }

    #[test]
    fn a_language_ignores_case_and_region() {
        assert_eq!(Lang::parse("pt-BR"), Some(Lang::Pt));
        assert_eq!(Lang::parse("FR"), Some(Lang::Fr));
        for wrong in ["", "nl", "en-", "english", "en-U S", "-fr"] {
            assert_eq!(Lang::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_reader_gets_the_language_liked_best_among_ours() {
        let cases = [
            ("fr", Some(Lang::Fr)),
            ("nl, de-AT;q=0.8, it;q=0.9", Some(Lang::It)),
            ("pt-BR,pt;q=0.9,en;q=0.8", Some(Lang::Pt)),
            ("es;q=0.5,fr;q=0.5", Some(Lang::Es)),
            ("fr;q=0, en;q=0.1", Some(Lang::En)),
            ("ES-419 ; q=1.0", Some(Lang::Es)),
            ("de-Latn-DE-1996", Some(Lang::De)),
            ("*", None),
            ("", None),
            ("nl,zh-Hant-TW", None),
            ("fr;q=2, ;;,=,en;q=x", None),
        ];
        for (accepted, lang) in cases {
            assert_eq!(Lang::preferred(accepted), lang, "{accepted}");
        }
    }

    #[test]
    fn a_name_is_measured_in_characters_after_trimming() {
        assert_eq!(PersonName::parse("  Zoë ").as_ref().map(PersonName::as_str), Ok("Zoë"));
        assert!(PersonName::parse(&"é".repeat(100)).is_ok());
        assert!(PersonName::parse(&"é".repeat(101)).is_err());
        assert!(PersonName::parse("   ").is_err());
    }

    #[test]
    fn a_phone_number_keeps_its_spelling() {
        assert_eq!(Phone::parse(" +33 (0)4.77-12/34 "), Ok(Some(Phone("+33 (0)4.77-12/34".to_owned()))));
        assert_eq!(Phone::parse(""), Ok(None));
        assert!(Phone::parse("call me").is_err());
        assert!(Phone::parse(&"1".repeat(33)).is_err());
    }
}
