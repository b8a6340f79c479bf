//! Resolution of a client's language to a language of the directory.

use super::Country;

/// Table of languages: ISO 639 code, and the countries whose people read it, the country of origin first.
///
/// A language stands for its countries. A country stands for all countries that read its languages. A country with several languages
/// stands for the first of them in this table. A country is left out if its code is better known as a language: `SV` is Swedish, not
/// El Salvador.
const LANGUAGES: [(&str, &[&[u8; 2]]); 27] = [
    (
        "EN",
        &[
            b"GB", b"UK", b"US", b"IE", b"AU", b"NZ", b"CA", b"ZA", b"IN", b"SG", b"HK", b"MT", b"NG", b"KE", b"GH",
            b"PH", b"JM",
        ],
    ),
    ("FR", &[b"FR", b"BE", b"LU", b"MC", b"SN", b"CI", b"CM", b"MG", b"RE", b"GP", b"MQ", b"GF", b"YT"]),
    ("DE", &[b"DE", b"AT", b"CH", b"LI"]),
    (
        "ES",
        &[
            b"ES", b"MX", b"AR", b"CO", b"CL", b"PE", b"VE", b"EC", b"GT", b"CU", b"BO", b"DO", b"HN", b"PY", b"NI",
            b"CR", b"PA", b"UY", b"PR", b"AD",
        ],
    ),
    ("IT", &[b"IT", b"SM", b"VA"]),
    ("PT", &[b"PT", b"BR", b"AO", b"MZ", b"CV"]),
    ("NL", &[b"NL", b"SR", b"AW", b"CW"]),
    ("PL", &[b"PL"]),
    ("JA", &[b"JP"]),
    ("DA", &[b"DK", b"GL", b"FO"]),
    ("SV", &[b"SE", b"AX"]),
    ("NB", &[b"NO"]),
    ("NN", &[b"NO"]),
    ("FI", &[b"FI"]),
    ("CS", &[b"CZ"]),
    ("SK", &[b"SK"]),
    ("SL", &[b"SI"]),
    ("HU", &[b"HU"]),
    ("RO", &[b"RO", b"MD"]),
    ("EL", &[b"GR", b"CY"]),
    ("TR", &[b"TR"]),
    ("UK", &[b"UA"]),
    ("RU", &[b"RU", b"BY", b"KZ"]),
    ("ZH", &[b"CN", b"TW", b"SG", b"HK", b"MO"]),
    ("KO", &[b"KR"]),
    ("HE", &[b"IL"]),
    ("AR", &[b"SA", b"AE", b"EG", b"MA", b"DZ", b"TN", b"QA", b"KW", b"LB", b"JO"]),
];

/// Returns the language that a text means, if the directory has it. The text is a country, a language, or both as in `PT-BR`, in any
/// case, with `-` or `_`.
pub(super) fn resolve(text: &str, has: impl Fn(Country) -> bool) -> Option<Country> {
    let tag = text.trim().to_ascii_uppercase().replace('_', "-");
    let mut candidates: Vec<Country> = Vec::new();
    match tag.split_once('-') {
        None => {
            candidates.extend(Country::parse(&tag));
            candidates.extend(countries_sharing_language(&tag));
            candidates.extend(countries_of(&tag));
        }
        Some((language, rest)) => {
            let region = region(rest)?;
            let countries = countries_of(language);
            candidates.extend(countries.iter().filter(|country| country.to_string() == region));
            candidates.extend(countries);
        }
    }
    candidates.into_iter().find(|country| has(*country))
}

/// Returns the region of a tag, without its script (`HANT-TW`): a country, or the number of a part of the world (`419`).
fn region(rest: &str) -> Option<&str> {
    let region = match rest.split_once('-') {
        Some((script, region)) if script.len() == 4 && script.bytes().all(|byte| byte.is_ascii_uppercase()) => region,
        Some(_) => return None,
        None => rest,
    };
    let is_number = region.len() == 3 && region.bytes().all(|byte| byte.is_ascii_digit());
    (is_number || Country::parse(region).is_some()).then_some(region)
}

/// Returns the countries of a language.
fn countries_of(language: &str) -> Vec<Country> {
    let countries = LANGUAGES.iter().find(|(code, _)| *code == language).map_or(&[][..], |(_, countries)| *countries);
    countries.iter().map(|country| Country(**country)).collect()
}

/// Returns the countries that share a language with this one.
fn countries_sharing_language(country: &str) -> Vec<Country> {
    let shared = LANGUAGES.iter().filter(|(_, all)| all.iter().any(|one| one.as_slice() == country.as_bytes()));
    shared.flat_map(|(_, countries)| countries.iter().map(|country| Country(**country))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str, keys: &str) -> String {
        let keys: Vec<_> = keys.split(' ').filter_map(Country::parse).collect();
        resolve(text, |country| keys.contains(&country)).map_or_else(String::new, |country| country.to_string())
    }

    #[test]
    fn languages_and_countries_are_recognised_in_many_spellings() {
        let all = "BR DE ES FR GB IT JP NL PL PT";
        let cases = [
            ("GB", "GB"),
            ("gb", "GB"),
            (" Fr ", "FR"),
            ("EN", "GB"),
            ("UK", "GB"),
            ("US", "GB"),
            ("en-US", "GB"),
            ("en_GB", "GB"),
            ("EN-150", "GB"),
            ("en-SE", "GB"),
            ("FR-FR", "FR"),
            ("fr_CA", "FR"),
            ("CA", "GB"),
            ("BE", "FR"),
            ("PT", "PT"),
            ("PT-BR", "BR"),
            ("pt_br", "BR"),
            ("PT-AO", "PT"),
            ("BR", "BR"),
            ("ES-MX", "ES"),
            ("es-419", "ES"),
            ("MX", "ES"),
            ("AR", "ES"),
            ("DE-AT", "DE"),
            ("AT", "DE"),
            ("CH", "DE"),
            ("fr-CH", "FR"),
            ("JA", "JP"),
            ("ja-Jpan-JP", "JP"),
            ("NL-BE", "NL"),
            ("pl", "PL"),
        ];
        for (text, expected) in cases {
            assert_eq!(resolved(text, all), expected, "{text}");
        }
    }

    #[test]
    fn language_is_found_under_any_of_its_countries() {
        for (text, keys, expected) in [
            ("PT", "BR", "BR"),
            ("PT-PT", "BR", "BR"),
            ("GB", "US", "US"),
            ("EN-GB", "IE US", "US"),
            ("SV", "ES SE", "SE"),
            ("UK", "UA", "UA"),
            ("ZH-Hant-TW", "CN TW", "TW"),
            ("SG", "CN", "CN"),
        ] {
            assert_eq!(resolved(text, keys), expected, "{text}");
        }
    }

    #[test]
    fn text_that_is_no_language_is_refused() {
        for wrong in [
            "",
            "E",
            "ENG",
            "XX",
            "XX-GB",
            "EN-",
            "-GB",
            "EN-U",
            "EN-USA",
            "EN-41",
            "EN-US-x",
            "EN-HAN1-US",
            "EN-HANTT-US",
            "EN US",
            "É",
            "英",
        ] {
            assert_eq!(resolved(wrong, "FR GB"), "", "{wrong:?}");
        }
        assert_eq!(resolved("IT", "FR GB"), "", "the directory does not have the language");
        assert_eq!(resolved("GB", ""), "", "the directory has no languages");
    }

    #[test]
    fn every_row_of_the_table_is_well_formed_and_unique() {
        let mut codes = std::collections::HashSet::new();
        for (code, countries) in LANGUAGES {
            assert!(codes.insert(code) && code.len() == 2 && !countries.is_empty(), "{code}");
            for country in countries {
                assert!(country.iter().all(u8::is_ascii_uppercase), "{code}");
            }
        }
    }
}
