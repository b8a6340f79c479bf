//! Place in a bucket where a file of reviews is handed to ingest.

use std::fmt;
use std::path::Path;

/// Folder whose new objects ingest reads.
const INBOX: &str = "inbox/";
/// Endings of the names of objects that ingest reads.
const ENDINGS: [&str; 2] = [".jsonl", ".jsonl.gz"];
/// Longest name of an object in bytes that leaves room for the names of its reports.
const MAX_NAME_BYTES: usize = 900;

/// Folder of a bucket, or one object in it: `s3://BUCKET/inbox/`, `s3://BUCKET/inbox/NAME.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::import) struct RemoteLocation {
    bucket: String,
    /// Path below the inbox: empty, a folder that ends in a slash, or the name of an object.
    path: String,
}

/// Object in the inbox of a bucket, with its reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RemoteObject {
    pub(super) bucket: String,
    /// Name below the inbox.
    pub(super) name: String,
}

impl RemoteLocation {
    /// Parses a URL of S3.
    pub(in crate::import) fn parse(text: &str) -> Result<Self, &'static str> {
        let rest = text.strip_prefix("s3://").ok_or("must begin with s3://")?;
        let (bucket, key) = rest.split_once('/').ok_or("must be s3://BUCKET/inbox/")?;
        if bucket.is_empty() {
            return Err("must name a bucket");
        }
        let path = key.strip_prefix(INBOX).ok_or("must be in the folder inbox/ of the bucket")?;
        Ok(Self { bucket: bucket.to_owned(), path: path.to_owned() })
    }

    /// Returns the object for a file: in a folder, it has the name of the file.
    pub(super) fn object_of(&self, file: &Path) -> Result<RemoteObject, String> {
        let is_folder = self.path.is_empty() || self.path.ends_with('/');
        let file_name = file.file_name().and_then(|name| name.to_str()).filter(|name| *name != "-");
        let name = match (is_folder, file_name) {
            (_, None) => return Err("a file with a name is needed, not standard input".to_owned()),
            (false, Some(_)) => self.path.clone(),
            (true, Some(file_name)) => format!("{}{file_name}", self.path),
        };
        if name.len() > MAX_NAME_BYTES {
            return Err(format!("the name of the object has more than {MAX_NAME_BYTES} bytes"));
        }
        if !ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            return Err(format!("ingest reads objects that end in {}: {name} does not", ENDINGS.join(" or ")));
        }
        Ok(RemoteObject { bucket: self.bucket.clone(), name })
    }
}

impl RemoteObject {
    /// Returns the key of the object itself.
    pub(super) fn key(&self) -> String {
        format!("{INBOX}{}", self.name)
    }

    /// Returns the key of its summary.
    pub(super) fn done_key(&self) -> String {
        format!("done/{}.json", self.name)
    }

    /// Returns the key of its rejected rows.
    pub(super) fn rejected_key(&self) -> String {
        format!("rejected/{}.jsonl", self.name)
    }

    /// True if the object is compressed.
    pub(super) fn is_compressed(&self) -> bool {
        self.name.strip_suffix(".gz").is_some()
    }
}

impl fmt::Display for RemoteObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{}", self.bucket, self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(url: &str, file: &str) -> Result<RemoteObject, String> {
        RemoteLocation::parse(url).expect("a location").object_of(Path::new(file))
    }

    #[test]
    fn an_object_in_a_folder_has_the_name_of_the_file() {
        for (url, file, name) in [
            ("s3://b/inbox/", "data/may.jsonl", "may.jsonl"),
            ("s3://b/inbox/partner 8/", "may.jsonl.gz", "partner 8/may.jsonl.gz"),
            ("s3://b/inbox/other.jsonl", "may.txt", "other.jsonl"),
            ("s3://b/inbox/a/other.jsonl.gz", "may.gz", "a/other.jsonl.gz"),
        ] {
            assert_eq!(object(url, file).map(|object| object.name), Ok(name.to_owned()), "{url} {file}");
        }
        let object = object("s3://b/inbox/", "may.jsonl.gz").expect("an object");
        assert_eq!(object.to_string(), "s3://b/inbox/may.jsonl.gz");
        assert_eq!((object.done_key(), object.is_compressed()), ("done/may.jsonl.gz.json".to_owned(), true));
        assert_eq!(object.rejected_key(), "rejected/may.jsonl.gz.jsonl");
    }

    #[test]
    fn a_file_that_ingest_does_not_read_is_refused() {
        for (url, file) in [
            ("s3://b/inbox/", "may.json"),
            ("s3://b/inbox/", "-"),
            ("s3://b/inbox/may.jsonl", "-"),
            ("s3://b/inbox/may.zip", "may.jsonl"),
            ("s3://b/inbox/", "/"),
        ] {
            assert!(object(url, file).is_err(), "{url} {file}");
        }
        assert!(object(&format!("s3://b/inbox/{}/", "x".repeat(900)), "a.jsonl").is_err());
    }

    #[test]
    fn a_url_outside_the_inbox_is_refused() {
        for wrong in [
            "",
            "b/inbox/",
            "https://b/inbox/",
            "s3://b",
            "s3://b/",
            "s3:///inbox/",
            "s3://b/outbox/a.jsonl",
            "s3://b/inbox",
        ] {
            assert!(RemoteLocation::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
