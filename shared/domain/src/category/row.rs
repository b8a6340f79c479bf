//! Row of an import file of categories.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use super::{Category, CategoryId, Country, MAX_CATEGORY_BYTES, Partners};
use crate::text::has_control;

/// Maximum number of characters in a name, a code or an id of a partner.
const MAX_CHARS: usize = 255;

/// Row of a file, with fields of the right names and types. Its values are not checked yet. `ancestors` and `partners` may be missing.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoryRow {
    id: String,
    code: String,
    names: ByCountry<String>,
    #[serde(default)]
    ancestors: ByCountry<Vec<String>>,
    #[serde(default)]
    partners: Partners,
}

/// Map that refuses a repeated country. The usual map would silently keep the last value.
#[derive(Clone, Debug)]
struct ByCountry<T>(BTreeMap<Country, T>);

impl<T> Default for ByCountry<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl CategoryRow {
    /// Returns the category, with its texts trimmed except those of partners. The error names the value that breaks a rule, and the rule.
    pub fn read(self) -> Result<Category, String> {
        let id = CategoryId::parse(&self.id).ok_or("id: must have 1 to 64 letters, digits and : _ . -")?;
        let code = text("code", &self.code)?;
        let mut names = BTreeMap::new();
        for (lang, name) in self.names.0 {
            names.insert(lang, text(&format!("names.{lang}"), &name)?);
        }
        let mut ancestors = BTreeMap::new();
        for (lang, groups) in self.ancestors.0 {
            let groups = groups.iter().map(|group| text(&format!("ancestors.{lang}"), group));
            let groups: Vec<String> = groups.collect::<Result<_, _>>()?;
            // An empty list counts as missing, so that the English groups stand in for it.
            if !groups.is_empty() {
                ancestors.insert(lang, groups);
            }
        }
        for (partner, value) in self.partners.texts() {
            text(&format!("partners.{partner}"), value)?;
        }
        let category = Category { id, code, names, ancestors, partners: self.partners };
        if category.bytes() > MAX_CATEGORY_BYTES {
            return Err(format!("the category is larger than {MAX_CATEGORY_BYTES} bytes"));
        }
        Ok(category)
    }
}

/// Returns a text trimmed, or the rule that it breaks.
fn text(field: &str, value: &str) -> Result<String, String> {
    let trimmed = value.trim();
    if has_control(trimmed) {
        return Err(format!("{field}: must not contain control characters"));
    }
    match trimmed.chars().count() {
        1..=MAX_CHARS => Ok(trimmed.to_owned()),
        _ => Err(format!("{field}: must have 1 to {MAX_CHARS} characters")),
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByCountry<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ByCountryVisitor(std::marker::PhantomData))
    }
}

struct ByCountryVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ByCountryVisitor<T> {
    type Value = ByCountry<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a key for each country")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut by_country = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, T>()? {
            let country = Country::parse(&key).ok_or_else(|| {
                let shown: String = key.chars().take(20).collect();
                A::Error::custom(format!("the key `{shown}` is not an ISO 3166 code of two upper-case letters"))
            })?;
            if by_country.insert(country, value).is_some() {
                return Err(A::Error::custom(format!("duplicate key `{country}`")));
            }
        }
        Ok(ByCountry(by_country))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(row: &str) -> Result<Category, String> {
        serde_json::from_str::<CategoryRow>(row).map_err(|error| error.to_string())?.read()
    }

    #[test]
    fn texts_of_a_row_are_trimmed_and_missing_parts_are_empty() {
        let category = read(r#"{"id":"c1","code":" bank ","names":{"GB":" Bank "}}"#).expect("a category");
        assert_eq!((category.code.as_str(), category.name(Country::FALLBACK)), ("bank", "Bank"));
        assert_eq!((category.ancestors.len(), category.partners), (0, Partners::default()));
        let category = read(r#"{"id":"c1","code":"bank","names":{},"ancestors":{"FR":[]}}"#).expect("a category");
        assert!(category.ancestors.is_empty(), "an empty list counts as missing");
    }

    #[test]
    fn error_says_what_is_wrong() {
        let row = |rest: &str| format!(r#"{{"id":"c1","code":"bank","names":{{"GB":"Bank"}}{rest}}}"#);
        let long = "x".repeat(256);
        let heavy: Vec<String> = (0..200).map(|_| "x".repeat(255)).collect();
        let heavy = format!(r#","partners":{{"partner_1":{}}}"#, serde_json::json!(heavy));
        let cases = [
            ("an id with a slash", r#"{"id":"a/b","code":"a","names":{}}"#.to_owned(), "id: must have 1 to 64"),
            ("a blank code", r#"{"id":"c1","code":" ","names":{}}"#.to_owned(), "code: must have 1 to 255 characters"),
            ("no names", r#"{"id":"c1","code":"a"}"#.to_owned(), "missing field `names`"),
            ("a blank name", r#"{"id":"c1","code":"a","names":{"GB":""}}"#.to_owned(), "names.GB: must have 1 to 255"),
            (
                "a long name",
                format!(r#"{{"id":"c1","code":"a","names":{{"GB":"{long}"}}}}"#),
                "names.GB: must have 1 to 255 characters",
            ),
            (
                "a control character",
                r#"{"id":"c1","code":"a","names":{"GB":"a\u0000"}}"#.to_owned(),
                "names.GB: must not contain control characters",
            ),
            (
                "a language",
                r#"{"id":"c1","code":"a","names":{"en":"x"}}"#.to_owned(),
                "the key `en` is not an ISO 3166",
            ),
            (
                "a country twice",
                r#"{"id":"c1","code":"a","names":{"GB":"x","GB":"y"}}"#.to_owned(),
                "duplicate key `GB`",
            ),
            ("a name that is null", r#"{"id":"c1","code":"a","names":{"GB":null}}"#.to_owned(), "invalid type: null"),
            ("a group that is no list", row(r#","ancestors":{"GB":"Shop"}"#), "invalid type: string"),
            ("a blank group", row(r#","ancestors":{"GB":[""]}"#), "ancestors.GB: must have 1 to 255"),
            ("an unknown partner", row(r#","partners":{"partner_13":[]}"#), "unknown field `partner_13`"),
            ("partners that are null", row(r#","partners":null"#), "invalid type: null"),
            ("a blank id of a partner", row(r#","partners":{"partner_2":[" "]}"#), "partners.partner_2: must have"),
            ("partner_4 without names", row(r#","partners":{"partner_4":["a"]}"#), "invalid type: string"),
            ("partner_4, half", row(r#","partners":{"partner_4":[{"id":"a"}]}"#), "missing field `name`"),
            ("an unknown field", row(r#","name":"Bank""#), "unknown field `name`"),
            ("far too much", row(&heavy), "the category is larger than 32768 bytes"),
        ];
        for (what, row, start) in cases {
            let reason = read(&row).expect_err(what);
            assert!(reason.starts_with(start), "{what}: {reason}");
        }
    }
}
