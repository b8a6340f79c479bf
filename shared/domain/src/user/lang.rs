//! Languages of mails and pages.

crate::listed_enum! {
    /// Language of mails and pages, spelled as its ISO 639-1 code. Clients read the choices in this order.
    #[derive(Default)]
    pub enum Lang {
        /// English, the default.
        #[default]
        En => "en",
        /// French.
        Fr => "fr",
        /// Spanish.
        Es => "es",
        /// Italian.
        It => "it",
        /// German.
        De => "de",
        /// Portuguese.
        Pt => "pt",
    }
}

impl Lang {
    /// Returns the language of a tag in any case, with or without a region: `pt-BR` and `FR_fr` are `pt` and `fr`.
    pub fn from_tag(text: &str) -> Option<Self> {
        let (language, region) = text.split_once(['-', '_']).unwrap_or((text, "XX"));
        let region_fits = (2..=8).contains(&region.len()) && region.bytes().all(|byte| byte.is_ascii_alphanumeric());
        Self::ALL.into_iter().find(|lang| region_fits && lang.as_str().eq_ignore_ascii_case(language))
    }

    /// Returns the language that the header `Accept-Language` prefers: `de-AT;q=0.8, fr` is French. `None` if it names no
    /// supported one.
    pub fn preferred(accept_language: &str) -> Option<Self> {
        let ranked = accept_language.split(',').filter_map(parse_language_range);
        // The first of equals wins: `max_by` would take the last.
        ranked.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, lang)| lang)
    }
}

/// Parses one item of `Accept-Language` into its quality and language; `None` if it is refused or not supported.
fn parse_language_range(item: &str) -> Option<(f32, Lang)> {
    let (range, parameters) = item.split_once(';').unwrap_or((item, ""));
    let quality = match parameters.trim().strip_prefix("q=") {
        Some(quality) => quality.trim().parse().ok().filter(|quality| (0.0..=1.0).contains(quality))?,
        None => 1.0,
    };
    // `zh-Hant-TW` has more than a region: the first subtag is the language.
    let language = range.trim().split('-').next()?;
    Some((quality, Lang::from_tag(language)?)).filter(|(quality, _)| *quality > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_ignores_case_and_region() {
        assert_eq!(Lang::from_tag("pt-BR"), Some(Lang::Pt));
        assert_eq!(Lang::from_tag("FR"), Some(Lang::Fr));
        for wrong in ["", "nl", "en-", "english", "en-U S", "-fr"] {
            assert_eq!(Lang::from_tag(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_reader_gets_the_preferred_one_of_the_supported_languages() {
        let cases = [
            ("fr", Some(Lang::Fr)),
            ("nl, de-AT;q=0.8, it;q=0.9", Some(Lang::It)),
            ("pt-BR,pt;q=0.9,en;q=0.8", Some(Lang::Pt)),
            ("es;q=0.5,fr;q=0.5", Some(Lang::Es)),
            ("fr;q=0, en;q=0.1", Some(Lang::En)),
            ("fr;q=0", None),
            ("ES-419 ; q=1.0", Some(Lang::Es)),
            ("de-Latn-DE-1996", Some(Lang::De)),
            ("*", None),
            ("", None),
            ("nl,zh-Hant-TW", None),
            ("fr;q=2, ;;,=,en;q=x", None),
        ];
        for (accept_language, lang) in cases {
            assert_eq!(Lang::preferred(accept_language), lang, "{accept_language}");
        }
    }
}
