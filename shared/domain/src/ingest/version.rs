//! Versions of an object: which one is read, and in which order their rows stand.

use serde::{Deserialize, Serialize};

/// Microseconds in a second. S3 tells the time of an upload in whole seconds.
const SECOND: i64 = 1_000_000;

/// Version of an object, as it was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectVersion {
    /// Name of the object below the inbox.
    pub object: String,
    /// Mark of its content.
    pub etag: String,
    /// Time of its upload, in microseconds since 1970. Later versions of an object have greater ones, also in one second.
    pub object_at: i64,
}

impl ObjectVersion {
    /// Returns the version of an object that is opened with this mark and time of upload, in microseconds since 1970. `known` is the version
    /// that was registered when the object was opened.
    ///
    /// A version that replaces the known one in its second gets the next microsecond, so that its rows are newer than those of the
    /// known one.
    #[must_use]
    pub fn opened(object: &str, etag: String, modified_at: i64, known: Option<&Self>) -> Self {
        let of_this_second = known.filter(|known| known.object_at.div_euclid(SECOND) == modified_at.div_euclid(SECOND));
        let object_at = match of_this_second {
            Some(known) if known.etag == etag => return known.clone(),
            Some(known) => modified_at.max(known.object_at.saturating_add(1)),
            None => modified_at,
        };
        Self { object: object.to_owned(), etag, object_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_known_by_mark_and_second_and_stands_behind_the_one_before() {
        let version =
            |etag: &str, object_at| ObjectVersion { object: "a.jsonl".to_owned(), etag: etag.to_owned(), object_at };
        for (case, known, opened, expected) in [
            ("the first", None, ("x", 5 * SECOND), 5 * SECOND),
            ("opened again", Some(("x", 5 * SECOND)), ("x", 5 * SECOND), 5 * SECOND),
            ("replaced in its second", Some(("x", 5 * SECOND)), ("y", 5 * SECOND), 5 * SECOND + 1),
            ("that one, opened again", Some(("y", 5 * SECOND + 1)), ("y", 5 * SECOND), 5 * SECOND + 1),
            ("the first content again", Some(("y", 5 * SECOND + 1)), ("x", 5 * SECOND), 5 * SECOND + 2),
            ("a finer clock", Some(("x", 5 * SECOND + 7)), ("y", 5 * SECOND + 9), 5 * SECOND + 9),
            ("the same content a second later", Some(("x", 5 * SECOND)), ("x", 6 * SECOND), 6 * SECOND),
            ("another second", Some(("x", 5 * SECOND + 3)), ("y", 6 * SECOND), 6 * SECOND),
        ] {
            let known = known.map(|(etag, object_at)| version(etag, object_at));
            let opened = ObjectVersion::opened("a.jsonl", opened.0.to_owned(), opened.1, known.as_ref());
            assert_eq!((opened.object.as_str(), opened.object_at), ("a.jsonl", expected), "{case}");
        }
    }
}
