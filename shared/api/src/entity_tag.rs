//! Weak entity tags, and the header `If-None-Match` (RFC 9110, 8.8.3 and 13.1.2).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lambda_http::http::HeaderMap;
use lambda_http::http::header::IF_NONE_MATCH;
use sha2::{Digest, Sha256};

/// Number of bytes of a digest that a tag has. Two representations have the same tag by chance once in 2^64 pairs.
const TAG_BYTES: usize = 16;
/// Start of a weak tag.
const WEAK: &str = "W/";

/// Weak entity tag of a representation, without `W/` and quotation marks. It is weak because the bodies with and without gzip share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityTag(String);

impl EntityTag {
    /// Returns the tag of everything that a representation depends on.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            // With its length, no part can run into the next one.
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        Self(URL_SAFE_NO_PAD.encode(&digest.finalize()[..TAG_BYTES]))
    }

    /// Returns the value of the header `ETag`.
    pub(crate) fn header(&self) -> String {
        format!("{WEAK}\"{}\"", self.0)
    }
}

/// Header `If-None-Match`: the representations that a client has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum IfNoneMatch {
    /// The client has none, or the header is malformed.
    #[default]
    Nothing,
    /// The client has any representation: `*`.
    Anything,
    /// The client has those with these tags, weak or strong.
    Tags(Vec<String>),
}

impl IfNoneMatch {
    /// Reads the header of a request. A malformed one counts as missing, so that the client gets a whole answer.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let value = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).map(str::trim);
        match value {
            None => Self::Nothing,
            Some("*") => Self::Anything,
            Some(value) => parse_tags(value).map_or(Self::Nothing, Self::Tags),
        }
    }

    /// True if the client has the representation with the tag. Tags are compared weakly.
    pub(crate) fn has(&self, tag: &EntityTag) -> bool {
        matches!(self, Self::Tags(tags) if tags.contains(&tag.0))
    }

    /// True if the client has the representation with the tag, which exists.
    pub(crate) fn has_existing(&self, tag: &EntityTag) -> bool {
        *self == Self::Anything || self.has(tag)
    }
}

/// Reads a list of tags such as `W/"a", "b"`. Returns `None` if it is malformed. A tag may have commas and blanks, but no quotation mark.
fn parse_tags(value: &str) -> Option<Vec<String>> {
    let (mut tags, mut rest) = (Vec::new(), value);
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t']);
        if rest.is_empty() {
            return Some(tags);
        }
        let opaque = rest.strip_prefix(WEAK).unwrap_or(rest).strip_prefix('"')?;
        let (tag, after) = opaque.split_once('"')?;
        tags.push(tag.to_owned());
        rest = after.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambda_http::http::HeaderValue;
    use proptest::prelude::*;

    fn read(value: &str) -> IfNoneMatch {
        let value = HeaderValue::from_str(value).expect("a header value");
        IfNoneMatch::from_headers(&HeaderMap::from_iter([(IF_NONE_MATCH, value)]))
    }

    fn tags(tags: &[&str]) -> IfNoneMatch {
        IfNoneMatch::Tags(tags.iter().map(|tag| (*tag).to_owned()).collect())
    }

    #[test]
    fn header_is_read_as_a_list_of_tags() {
        for (value, expected) in [
            ("*", IfNoneMatch::Anything),
            (" * ", IfNoneMatch::Anything),
            ("W/\"a\"", tags(&["a"])),
            ("\"a\"", tags(&["a"])),
            ("\"a\",W/\"b\" , \"c\"", tags(&["a", "b", "c"])),
            (",, \"a\",,", tags(&["a"])),
            ("\"a, b\", \"\"", tags(&["a, b", ""])),
            ("\"*\"", tags(&["*"])),
            ("", tags(&[])),
            ("a", IfNoneMatch::Nothing),
            ("\"a", IfNoneMatch::Nothing),
            ("\"a\"b", IfNoneMatch::Nothing),
            ("\"a\" \"b\"", IfNoneMatch::Nothing),
            ("w/\"a\"", IfNoneMatch::Nothing),
            ("W/ \"a\"", IfNoneMatch::Nothing),
            ("*, \"a\"", IfNoneMatch::Nothing),
        ] {
            assert_eq!(read(value), expected, "{value:?}");
        }
        assert_eq!(IfNoneMatch::from_headers(&HeaderMap::new()), IfNoneMatch::Nothing);
    }

    #[test]
    fn tag_depends_on_every_part_and_on_where_it_ends() {
        let tag = EntityTag::of(["ab", "c"]);
        assert_eq!(tag, EntityTag::of(["ab", "c"]));
        for other in [&["a", "bc"][..], &["abc"], &["ab", "c", ""], &["ab", "d"], &["c", "ab"]] {
            assert_ne!(tag, EntityTag::of(other.iter().copied()), "{other:?}");
        }
    }

    #[test]
    fn star_is_any_representation_that_exists() {
        let tag = EntityTag::of(["a"]);
        assert!(!IfNoneMatch::Anything.has(&tag) && IfNoneMatch::Anything.has_existing(&tag));
        assert!(!IfNoneMatch::Nothing.has_existing(&tag) && !tags(&["b"]).has_existing(&tag));
        assert!(read(&tag.header()).has_existing(&tag));
    }

    proptest! {
        #[test]
        fn any_list_of_tags_is_read_as_it_was_written(
            written in proptest::collection::vec((any::<bool>(), "[!#-~]{0,12}"), 1..6),
            comma in "[ \t]{0,2},[ \t,]{0,2}",
        ) {
            let list = written.iter().map(|(is_weak, tag)| format!("{}\"{tag}\"", if *is_weak { WEAK } else { "" }));
            let header = list.collect::<Vec<_>>().join(&comma);
            prop_assert_eq!(read(&header), IfNoneMatch::Tags(written.into_iter().map(|(_, tag)| tag).collect()));
        }

        #[test]
        fn any_text_is_read_without_a_panic(value in "[ -~\t]{0,40}") {
            read(&value);
        }
    }
}
