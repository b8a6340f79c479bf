//! Type of a file that is no import file of the wanted kind, by its first bytes: what it looks like, and how to convert it.

use serde_json::{Map, Value};

use super::kind::ImportKind;

/// Number of bytes at the start of a file that decide.
pub(super) const PREFIX_BYTES: usize = 64 << 10;
/// Number of bytes among which a byte of value 0 means that the file is no text.
const BINARY_BYTES: usize = 1 << 10;
/// Mark before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// First bytes of files that are no text, and their types.
const SIGNATURES: [(&[u8], &str, &str); 9] = [
    (b"\x1f\x8b", "a gzip file", "gunzip it first"),
    (b"BZh", "a bzip2 file", "unpack it first"),
    (b"\xfd7zXZ", "an xz file", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "unpack it first"),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", "export it as JSON Lines"),
    (b"PAR1", "a Parquet file", "export it as JSON Lines"),
    (b"%PDF", "a PDF file", "it has no rows"),
    (b"SQLite format 3", "an SQLite database", "export it as JSON Lines"),
    (b"PK\x03\x04", "a ZIP archive", "unpack it first"),
];

/// Type of a file, and the advice to its owner.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrongType {
    pub(super) looks_like: &'static str,
    pub(super) advice: String,
}

impl WrongType {
    fn new(looks_like: &'static str, advice: impl Into<String>) -> Self {
        Self { looks_like, advice: advice.into() }
    }

    /// Recognises a file by its start; `None` for JSON Lines of the kind, and for files that rows must decide on.
    pub(super) fn of(start: &[u8], kind: ImportKind) -> Option<Self> {
        if let Some(found) = of_binary(start) {
            return Some(found);
        }
        let text = String::from_utf8_lossy(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start));
        let text = text.trim_start();
        match text.chars().next()? {
            '[' => Some(Self::new("a JSON array", "convert it: jq -c '.[]' FILE > FILE.jsonl")),
            '<' => Some(Self::new("XML or HTML", "export it as JSON Lines")),
            '{' => of_object(text, kind),
            _ => of_table(text),
        }
    }
}

fn of_binary(start: &[u8]) -> Option<WrongType> {
    if let Some((signature, looks_like, advice)) = SIGNATURES.iter().find(|(bytes, ..)| start.starts_with(bytes)) {
        let is_workbook = signature.starts_with(b"PK") && has_bytes(start, b"xl/");
        let workbook = || WrongType::new("an Excel workbook", "export it as JSON Lines");
        return Some(if is_workbook { workbook() } else { WrongType::new(looks_like, *advice) });
    }
    if is_utf_16(start) {
        return Some(WrongType::new("UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8 FILE > FILE.jsonl"));
    }
    let is_binary = start[..start.len().min(BINARY_BYTES)].contains(&0);
    is_binary.then(|| WrongType::new("binary data", "it has no rows"))
}

fn has_bytes(start: &[u8], wanted: &[u8]) -> bool {
    start.windows(wanted.len()).any(|bytes| bytes == wanted)
}

/// True for a byte order mark of UTF-16, or for ASCII characters of two bytes.
fn is_utf_16(start: &[u8]) -> bool {
    let has_mark = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    let pairs: Vec<&[u8]> = start.chunks_exact(2).take(16).collect();
    let all =
        |position: usize| !pairs.is_empty() && pairs.iter().all(|pair| pair[position] == 0 && pair[1 - position] != 0);
    has_mark || all(0) || all(1)
}

/// Recognises an object: one that spans several lines, or a row of another kind.
fn of_object(text: &str, kind: ImportKind) -> Option<WrongType> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let first = values.next()?;
    // Only the first lines are here. A line that ends inside an object is no row, unless a whole one follows: then it is damaged.
    let second_line = || text.lines().filter(|line| !line.trim().is_empty()).nth(1);
    let goes_on = first.as_ref().is_err_and(serde_json::Error::is_eof)
        && second_line().is_some_and(|line| !line.trim_start().starts_with('{'));
    if goes_on || text[..values.byte_offset()].contains('\n') {
        let advice = "put each object on one line: jq -c . FILE > FILE.jsonl";
        return Some(WrongType::new("JSON objects of several lines each", advice));
    }
    let first = first.ok()?;
    let fields: Vec<_> = first.keys().map(String::as_str).collect();
    if kind.fits(&fields) {
        return None;
    }
    if ["line", "reason", "row"].iter().all(|field| fields.contains(field)) {
        let advice = "take the rows out: jq -r .row FILE > again.jsonl";
        return Some(WrongType::new("a file of rejected rows", advice));
    }
    let other = ImportKind::ALL.into_iter().find(|other| other.fits(&fields))?;
    let looks_like = match other {
        ImportKind::Orgs => "rows of organisations",
        ImportKind::Businesses => "rows of businesses",
        ImportKind::Categories => "rows of categories",
        ImportKind::Reviews => "rows of reviews",
    };
    Some(WrongType::new(looks_like, format!("import them with `ops import {}`", other.plural())))
}

/// Recognises a table of values, such as CSV: known names of columns, or two lines with as many separators.
fn of_table(text: &str) -> Option<WrongType> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (first, second) = (lines.next()?, lines.next());
    let separator = [',', ';', '\t'].into_iter().max_by_key(|separator| first.matches(*separator).count())?;
    let columns: Vec<_> = first.split(separator).map(|name| name.trim().trim_matches('"')).collect();
    if columns.len() < 2 {
        return None;
    }
    let has_names = columns.iter().any(|name| ImportKind::ALL.iter().any(|kind| kind.has_field(name)));
    let is_regular = second.is_some_and(|second| second.matches(separator).count() == columns.len() - 1);
    let advice = "convert it to JSON, one object a line; numbers stay without quotes";
    (has_names || is_regular).then(|| WrongType::new("CSV", advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks_like(start: impl AsRef<[u8]>, kind: ImportKind) -> Option<&'static str> {
        WrongType::of(start.as_ref(), kind).map(|found| found.looks_like)
    }

    #[test]
    fn files_of_other_types_are_recognised() {
        let utf_16: Vec<u8> = "{\"id\": 42}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let with_mark = [b"\xff\xfe".as_slice(), &utf_16].concat();
        let exported = ImportKind::Reviews.example().replace('}', r#", "acts": "AAAA"}"#);
        let cases: [(&[u8], &str); 19] = [
            (b"\x1f\x8b\x08\x00\x00", "a gzip file"),
            (b"PK\x03\x04\x14\x00jsonl", "a ZIP archive"),
            (b"PK\x03\x04\x14\x00[Content_Types].xml xl/workbook.xml", "an Excel workbook"),
            (&utf_16, "UTF-16 text"),
            (&with_mark, "UTF-16 text"),
            (b"\x00\x01\x02\x03", "binary data"),
            (b"\xef\xbb\xbf [\n {\"id\": 42, \"name\": \"x\"}\n]", "a JSON array"),
            (b"<?xml version=\"1.0\"?>", "XML or HTML"),
            (b"{\n  \"id\": 42,\n  \"name\": \"x\"\n}\n", "JSON objects of several lines each"),
            (b"{\n  \"id\": 42,\n", "JSON objects of several lines each"),
            (b"{\"id\": 42,\n\n  \"name\": \"x\"", "JSON objects of several lines each"),
            (b"id,name\n42,Fast Retailer\n", "CSV"),
            (b"\"id\";\"name\"\n42;\"Fast Retailer\"\n", "CSV"),
            (b"id\tname\n", "CSV"),
            (b"42,Fast Retailer\n43,Slow Retailer\n", "CSV"),
            (b"{\"line\":3,\"reason\":\"no\",\"row\":\"{}\"}\n", "a file of rejected rows"),
            (ImportKind::Businesses.example().as_bytes(), "rows of businesses"),
            (ImportKind::Reviews.example().as_bytes(), "rows of reviews"),
            (exported.as_bytes(), "rows of reviews"),
        ];
        for (start, expected) in cases {
            assert_eq!(looks_like(start, ImportKind::Orgs), Some(expected), "{}", String::from_utf8_lossy(start));
        }
        assert_eq!(looks_like(ImportKind::Orgs.example(), ImportKind::Businesses), Some("rows of organisations"));
    }

    #[test]
    fn rows_decide_on_json_lines_and_on_damaged_ones() {
        for kind in ImportKind::ALL {
            assert_eq!(looks_like(kind.example(), kind), None, "{kind:?}");
        }
        for start in [
            "",
            "\n \n",
            "{\"id\": 42}\n",
            "{\"id\": 42,\n",
            "{\"id\": 42,\n{\"id\": 43}\n",
            "{}\n",
            "nonsense\n",
            "well, no\nnonsense\n",
            "\"id\"\n",
        ] {
            assert_eq!(looks_like(start, ImportKind::Orgs), None, "{start:?}");
        }
    }
}
