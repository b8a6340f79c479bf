//! Compression of bodies.
//!
//! `shared/docs/api.md` says which answers are compressed, and why that leaks nothing. `shared/docs/benchmarks.md` has the
//! measurements behind the constants.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::accept_encoding::ContentCoding;

/// Maximum size of a body that is sent as it is, in bytes. With its headers, it fits into one or two packets.
const MAX_PLAIN_BYTES: usize = 1024;
/// Level of answers that are compressed while the client waits: higher ones take longer, and save hardly a byte more.
const ANSWER_LEVEL: Compression = Compression::new(5);
/// Level of documents, which are compressed once.
const DOCUMENT_LEVEL: Compression = Compression::new(9);

/// Compresses a body in the coding. Returns `None` for a body that is sent as it is: without gzip, or a small one.
pub(crate) fn compress(text: &str, coding: ContentCoding) -> Option<Vec<u8>> {
    match coding {
        ContentCoding::Identity => None,
        ContentCoding::Gzip if text.len() <= MAX_PLAIN_BYTES => None,
        ContentCoding::Gzip | ContentCoding::OnlyGzip => Some(gzip(text, ANSWER_LEVEL)),
    }
}

/// Compresses a document as far as gzip can.
pub(crate) fn compress_document(text: &str) -> Vec<u8> {
    gzip(text, DOCUMENT_LEVEL)
}

fn gzip(text: &str, level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), level);
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.expect("memory takes every byte")
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read as _;

    fn decompress(bytes: &[u8]) -> String {
        let mut text = String::new();
        GzDecoder::new(bytes).read_to_string(&mut text).expect("gzip");
        text
    }

    #[test]
    fn only_a_body_above_the_limit_is_compressed_unless_the_client_refuses_others() {
        let (small, large) = ("a".repeat(MAX_PLAIN_BYTES), "a".repeat(MAX_PLAIN_BYTES + 1));
        for (coding, of_small, of_large) in [
            (ContentCoding::Identity, false, false),
            (ContentCoding::Gzip, false, true),
            (ContentCoding::OnlyGzip, true, true),
        ] {
            for (text, is_compressed) in [(&small, of_small), (&large, of_large)] {
                let compressed = compress(text, coding);
                assert_eq!(compressed.is_some(), is_compressed, "{coding:?}, {} bytes", text.len());
                assert!(compressed.is_none_or(|bytes| decompress(&bytes) == *text));
            }
        }
        assert_eq!(decompress(&compress_document(&large)), large);
    }
}
