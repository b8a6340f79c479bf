//! Key that a client gives to a change.

use crate::error::FieldError;

/// Maximum size of a key, in bytes.
pub const MAX_KEY_BYTES: usize = 255;

/// Key that a client gives to a change. Its `Debug` output is silent: a client may have put anything in it.
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Parses the value of the header. A header that was sent twice arrives as one value, joined with a comma: it is that key.
    pub fn parse(header: &str) -> Result<Self, FieldError> {
        let key = header.trim_matches(' ');
        let is_valid =
            (1..=MAX_KEY_BYTES).contains(&key.len()) && key.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        if is_valid { Ok(Self(key.to_owned())) } else { Err("must have 1 to 255 printable ASCII characters".into()) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IdempotencyKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_1_to_255_printable_ascii_characters() {
        let longest = "~".repeat(255);
        for (header, key) in
            [("a", "a"), (" a b ", "a b"), ("\"1-2\"", "\"1-2\""), (&longest, &longest), ("k,l", "k,l")]
        {
            assert_eq!(IdempotencyKey::parse(header).map(|key| key.0), Ok(key.to_owned()), "{header}");
        }
        for header in ["", "  ", "é", "a\tb", "a\u{7f}", &"~".repeat(256)] {
            let expected = Err("must have 1 to 255 printable ASCII characters".into());
            assert_eq!(IdempotencyKey::parse(header), expected, "{header:?}");
        }
    }

    #[test]
    fn a_key_does_not_show_itself() {
        let key = IdempotencyKey::parse("zoe@example.org").expect("a key");
        assert_eq!(format!("{key:?}"), "IdempotencyKey(..)");
    }
}
