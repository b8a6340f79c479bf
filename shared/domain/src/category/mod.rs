//! Categories of businesses: a code, names by language, and the names that listing partners use.

mod directory;
mod lang;
mod row;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use super::ids::CategoryId;
pub use directory::{CategoryDirectory, NameFilter};
pub use row::CategoryRow;

/// Maximum size of a category in bytes, by [`Category::bytes`]. It is ten times the size of a real one in forty languages.
pub const MAX_CATEGORY_BYTES: usize = 32 << 10;
/// Maximum size of all categories in bytes. A function holds them, folded and sorted, within its 256 MB. A directory of 5,000
/// categories in ten languages takes a quarter of it.
pub const MAX_DIRECTORY_BYTES: usize = 32 << 20;
/// Overhead of each text in the database and in memory, in bytes.
const TEXT_OVERHEAD: usize = 8;

/// Language, named by the ISO 3166 alpha-2 code of a country: two letters in upper case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Country([u8; 2]);

impl Country {
    /// English. It stands in for texts that are missing in a language.
    pub const FALLBACK: Self = Self(*b"GB");

    /// Parses a code. Its only spelling is two upper-case ASCII letters.
    pub fn parse(text: &str) -> Option<Self> {
        let letters: [u8; 2] = text.as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_uppercase).then_some(Self(letters))
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|letter| fmt::Write::write_char(f, char::from(*letter)))
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for Country {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("must be two upper-case letters")
    }
}

impl From<Country> for String {
    fn from(country: Country) -> Self {
        country.to_string()
    }
}

/// Names of a category at the listing partners. Every partner has a list, which may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the names of partners are neutral, and say all there is")]
pub struct Partners {
    pub partner_1: Vec<String>,
    pub partner_2: Vec<String>,
    pub partner_3: Vec<String>,
    pub partner_4: Vec<PartnerCategory>,
    pub partner_5: Vec<String>,
    pub partner_6: Vec<String>,
    pub partner_7: Vec<String>,
    pub partner_8: Vec<String>,
    pub partner_9: Vec<String>,
    pub partner_10: Vec<String>,
    pub partner_11: Vec<String>,
    pub partner_12: Vec<String>,
}

/// Category of the partner whose categories have an id and a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartnerCategory {
    /// Id at the partner.
    pub id: String,
    /// Name at the partner.
    pub name: String,
}

impl Partners {
    /// Iterates over all texts, each with the name of its partner.
    fn texts(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let lists = [
            ("partner_1", &self.partner_1),
            ("partner_2", &self.partner_2),
            ("partner_3", &self.partner_3),
            ("partner_5", &self.partner_5),
            ("partner_6", &self.partner_6),
            ("partner_7", &self.partner_7),
            ("partner_8", &self.partner_8),
            ("partner_9", &self.partner_9),
            ("partner_10", &self.partner_10),
            ("partner_11", &self.partner_11),
            ("partner_12", &self.partner_12),
        ];
        let plain = lists.into_iter().flat_map(|(key, list)| list.iter().map(move |text| (key, text)));
        let named = self.partner_4.iter().flat_map(|category| [&category.id, &category.name]);
        plain.chain(named.map(|text| ("partner_4", text)))
    }
}

/// Category of businesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// Id of the category.
    pub id: CategoryId,
    /// Code, the same in every language.
    pub code: String,
    /// Names by language.
    pub names: BTreeMap<Country, String>,
    /// Names of its top-level groups by language. A list is never empty.
    pub ancestors: BTreeMap<Country, Vec<String>>,
    /// Names at the partners.
    pub partners: Partners,
}

impl Category {
    /// Returns the name in a language. A missing name is replaced by the English one, and that by the code.
    pub fn name(&self, lang: Country) -> &str {
        self.names.get(&lang).or_else(|| self.names.get(&Country::FALLBACK)).unwrap_or(&self.code)
    }

    /// Returns the top-level groups in a language. Missing groups are replaced by the English ones, or by an empty list.
    pub fn ancestors(&self, lang: Country) -> &[String] {
        self.ancestors.get(&lang).or_else(|| self.ancestors.get(&Country::FALLBACK)).map_or(&[], Vec::as_slice)
    }

    /// Returns the approximate size in the database and in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let own = [self.id.as_str(), &self.code].into_iter();
        let texts = own
            .chain(self.names.values().map(String::as_str))
            .chain(self.ancestors.values().flatten().map(String::as_str))
            .chain(self.partners.texts().map(|(_, text)| text.as_str()));
        let escapes = |text: &str| text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
        texts.map(|text| text.len() + escapes(text) + TEXT_OVERHEAD).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn country(text: &str) -> Country {
        Country::parse(text).expect("a country")
    }

    #[test]
    fn category_id_is_opaque_but_bounded() {
        for valid in ["c98c57c34311d078171539c5", "gcid:bakery", "a", "A-1_b.c", &"a".repeat(64)] {
            assert_eq!(CategoryId::parse(valid).as_ref().map(CategoryId::as_str), Some(valid));
        }
        for invalid in ["", "a b", "é", "a/b", "a%", "a\0", &"a".repeat(65)] {
            assert_eq!(CategoryId::parse(invalid), None, "{invalid:?}");
        }
    }

    #[test]
    fn country_is_two_upper_case_letters() {
        assert_eq!(country("GB").to_string(), "GB");
        for invalid in ["", "G", "gb", "GBR", "G1", "ÉÉ", "É"] {
            assert_eq!(Country::parse(invalid), None, "{invalid:?}");
        }
    }

    #[test]
    fn missing_name_falls_back_to_english_then_to_the_code() {
        let mut category = Category {
            id: CategoryId::parse("c1").expect("an id"),
            code: "shop_bakery".to_owned(),
            names: BTreeMap::from([(country("FR"), "Boulangerie".to_owned()), (country("GB"), "Bakery".to_owned())]),
            ancestors: BTreeMap::from([(country("GB"), vec!["Shop".to_owned()])]),
            partners: Partners::default(),
        };
        assert_eq!((category.name(country("FR")), category.name(country("DE"))), ("Boulangerie", "Bakery"));
        assert_eq!(category.ancestors(country("FR")), ["Shop"]);
        category.names.remove(&Country::FALLBACK);
        category.ancestors.clear();
        assert_eq!((category.name(country("FR")), category.name(country("DE"))), ("Boulangerie", "shop_bakery"));
        assert!(category.ancestors(country("FR")).is_empty());
    }
}
