//! Fake bucket of S3 on one port: it keeps objects, and answers a new one of the inbox with the reports that a test chose.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::fake_http::{self, Message};

/// Instant of the uploads, and of reports that are in time.
const NOW: &str = "Sun, 01 Mar 2026 09:30:00 GMT";
/// Instant of a report on an earlier object.
const EARLIER: &str = "Sun, 01 Mar 2026 09:29:00 GMT";

/// Mark of every object that is uploaded.
const ETAG: &str = "\"1\"";

/// Object of the bucket.
#[derive(Clone)]
struct StoredObject {
    content: Vec<u8>,
    modified_at: &'static str,
    /// Mark of the object that a report is about.
    source_etag: Option<&'static str>,
}

#[derive(Default)]
struct Objects {
    stored: BTreeMap<String, StoredObject>,
    /// Reports on the object that an upload replaces, by key: they are written right behind the upload.
    reports_on_replaced: BTreeMap<String, Vec<u8>>,
    /// Reports that an upload brings about, by key.
    reports: BTreeMap<String, Vec<u8>>,
    /// Looks at a missing or old report before the new one is there.
    looks: u32,
    parts: BTreeMap<u32, Vec<u8>>,
}

/// Fake bucket.
pub(super) struct FakeBucket {
    pub(super) url: String,
    objects: Arc<Mutex<Objects>>,
}

impl FakeBucket {
    /// Starts a bucket that writes these reports once somebody has looked for one twice.
    pub(super) fn start(reports: &[(&str, &str)]) -> Self {
        let reports = reports.iter().map(|(key, text)| ((*key).to_owned(), text.as_bytes().to_vec())).collect();
        let objects = Arc::new(Mutex::new(Objects { reports, ..Objects::default() }));
        let shared = Arc::clone(&objects);
        let url =
            fake_http::start(move |request| shared.lock().unwrap_or_else(PoisonError::into_inner).answer(request));
        Self { url, objects }
    }

    fn lock(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a report on an earlier object.
    pub(super) fn put_earlier(&self, key: &str, text: &str) {
        let content = text.as_bytes().to_vec();
        let report = StoredObject { content, modified_at: EARLIER, source_etag: Some(ETAG) };
        self.lock().stored.insert(key.to_owned(), report);
    }

    /// Writes a report on the object that the next upload replaces, right behind that upload.
    pub(super) fn overtake(&self, key: &str, text: &str) {
        self.lock().reports_on_replaced.insert(key.to_owned(), text.as_bytes().to_vec());
    }

    /// Returns the content of an object.
    pub(super) fn content(&self, key: &str) -> Option<Vec<u8>> {
        self.lock().stored.get(key).map(|object| object.content.clone())
    }
}

/// Returns the content of a body in chunks, each of which has its length in front.
fn without_chunks(body: &[u8]) -> Vec<u8> {
    let (mut content, mut rest) = (Vec::new(), body);
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let line = String::from_utf8_lossy(&rest[..end]);
        let size = line.split(';').next().and_then(|size| usize::from_str_radix(size, 16).ok()).expect("a length");
        if size == 0 {
            break;
        }
        content.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
    content
}

fn response(status: &str, time: &str, body: &[u8], length: usize) -> Vec<u8> {
    response_about(None, status, time, body, length)
}

/// Returns a response with the mark of the object that the content is about.
fn response_about(source_etag: Option<&str>, status: &str, time: &str, body: &[u8], length: usize) -> Vec<u8> {
    let about = source_etag.map(|etag| format!("x-amz-meta-source-etag: {etag}\r\n")).unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {status}\r\nlast-modified: {time}\r\netag: {ETAG}\r\n{about}content-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

impl Objects {
    fn answer(&mut self, request: &Message) -> Option<Vec<u8>> {
        let mut words = request.head.split_whitespace();
        let (method, target) = (words.next()?, words.next()?);
        let is_chunked = request.header("content-encoding").is_some_and(|encoding| encoding.contains("aws-chunked"));
        let body = if is_chunked { without_chunks(&request.body) } else { request.body.clone() };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let key = path.trim_start_matches("/reviews-bucket/").to_owned();
        let part =
            query.split('&').find_map(|one| one.strip_prefix("partNumber=")).and_then(|number| number.parse().ok());
        Some(match (method, part) {
            ("POST", _) if query.contains("uploads") => {
                let xml = b"<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>";
                response("200 OK", NOW, xml, xml.len())
            }
            ("PUT", Some(number)) => {
                self.parts.insert(number, body);
                response("200 OK", NOW, b"", 0)
            }
            ("POST", _) => {
                let content = std::mem::take(&mut self.parts).into_values().flatten().collect();
                self.put(key, content);
                let xml = b"<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>";
                response("200 OK", NOW, xml, xml.len())
            }
            ("PUT", _) => {
                self.put(key, body);
                response("200 OK", NOW, b"", 0)
            }
            _ => self.get(method, &key),
        })
    }

    fn put(&mut self, key: String, content: Vec<u8>) {
        self.stored.insert(key, StoredObject { content, modified_at: NOW, source_etag: None });
        let object = |content| StoredObject { content, modified_at: NOW, source_etag: Some("\"0\"") };
        let replaced = std::mem::take(&mut self.reports_on_replaced).into_iter();
        self.stored.extend(replaced.map(|(key, content)| (key, object(content))));
        self.looks = 2;
    }

    fn get(&mut self, method: &str, key: &str) -> Vec<u8> {
        if method == "HEAD" && key.starts_with("done/") && self.looks > 0 {
            self.looks -= 1;
            if self.looks == 0 {
                let object = |content| StoredObject { content, modified_at: NOW, source_etag: Some(ETAG) };
                let reports = self.reports.iter().map(|(key, text)| (key.clone(), object(text.clone())));
                self.stored.extend(reports);
            }
        }
        match self.stored.get(key) {
            Some(StoredObject { content, modified_at, source_etag }) => {
                let body: &[u8] = if method == "HEAD" { b"" } else { content };
                response_about(*source_etag, "200 OK", modified_at, body, content.len())
            }
            None => response("404 Not Found", NOW, b"", 0),
        }
    }
}
