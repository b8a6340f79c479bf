//! Objects of a bucket of S3: <https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html>.

use std::borrow::Cow;
use std::fmt::Write as _;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use aws_types::SdkConfig;
use http::{Method, Request};
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::service::{AnswerBody, CallError, Service, code_of};

/// Metadata of a report: the mark of the object that it is about.
const SOURCE_ETAG: &str = "x-amz-meta-source-etag";
/// Characters that are encoded in a path: all but those that signatures leave as they are, and the slashes of the key.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// Failure of a call to S3.
#[derive(Debug, thiserror::Error)]
pub enum S3Error {
    /// S3 refused, or did not answer.
    #[error("{}", describe(.0))]
    Call(#[from] Box<CallError>),
    /// The answer lacks something, or its body broke off.
    #[error("unreadable answer of S3: {0}")]
    Answer(String),
}

fn describe(error: &CallError) -> String {
    match error.as_service_error() {
        Some(error) => format!("S3 refused: {error}"),
        None => aws_smithy_types::error::display::DisplayErrorContext(error).to_string(),
    }
}

impl S3Error {
    /// Code of an error that S3 answered.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Call(error) => code_of(error),
            Self::Answer(_) => None,
        }
    }

    fn is_missing(&self) -> bool {
        let Self::Call(error) = self else { return false };
        match code_of(error) {
            Some(code) => code == "NoSuchKey",
            // An answer to HEAD has no body, and so no code.
            None => error.as_service_error().is_some_and(|error| error.status() == 404),
        }
    }
}

/// Bucket of S3. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bucket {
    service: Service,
    /// The same, for answers that may be large.
    streaming: Service,
    name: String,
    /// Path of the bucket, with a slash at its end. Alone if the name of the host has the bucket.
    path: String,
}

/// Facts about an object beside its content.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Time of its upload, in whole seconds.
    pub modified_at: Timestamp,
    /// Mark of its content; empty if S3 tells none.
    pub etag: String,
    /// Mark of the object that a report is about; none on other objects.
    pub source_etag: Option<String>,
    /// Id of the version, which no other object has; none if the bucket keeps no versions.
    pub version: Option<String>,
}

impl Bucket {
    /// Builds a client for a bucket. Makes no call.
    pub fn new(config: &SdkConfig, name: &str) -> Self {
        // Another endpoint than the region's has no host name for each bucket. With a dot in it, a certificate does not match.
        let is_in_path = config.endpoint_url().is_some() || name.contains('.');
        let (host, path) =
            if is_in_path { ("s3".to_owned(), format!("/{name}/")) } else { (format!("{name}.s3"), "/".to_owned()) };
        let service = |body| Service::new(config, "s3", &host, body);
        Self {
            service: service(AnswerBody::Whole),
            streaming: service(AnswerBody::Streamed),
            name: name.to_owned(),
            path,
        }
    }

    /// Returns the URL of an object, as people write it.
    pub fn url(&self, key: &str) -> String {
        format!("s3://{}/{key}", self.name)
    }

    /// Writes an object, in place of one that has this key.
    pub async fn put(
        &self,
        key: &str,
        media_type: &str,
        source_etag: Option<&str>,
        body: Vec<u8>,
    ) -> Result<(), S3Error> {
        let mut request = self.request(Method::PUT, key, "").header("content-type", media_type);
        if let Some(etag) = source_etag {
            request = request.header(SOURCE_ETAG, etag);
        }
        self.call(request, body).await.map(drop)
    }

    /// Opens an object at an offset in bytes. Returns `None` if there is none.
    pub async fn get(&self, key: &str, offset: u64) -> Result<Option<(Head, ByteStream)>, S3Error> {
        let mut request = self.request(Method::GET, key, "");
        if offset > 0 {
            request = request.header("range", format!("bytes={offset}-"));
        }
        let Some(response) = found(call(&self.streaming, request, Vec::new()).await)? else { return Ok(None) };
        Ok(Some((read_head(&response)?, ByteStream::new(response.into_body()))))
    }

    /// Looks for an object. Returns `None` if there is none.
    pub async fn head(&self, key: &str) -> Result<Option<Head>, S3Error> {
        let response = found(self.call(self.request(Method::HEAD, key, ""), Vec::new()).await)?;
        response.as_ref().map(read_head).transpose()
    }

    /// Deletes an object, if there is one.
    pub async fn delete(&self, key: &str) -> Result<(), S3Error> {
        self.call(self.request(Method::DELETE, key, ""), Vec::new()).await.map(drop)
    }

    /// Begins an upload in parts, and returns its id.
    pub async fn create_upload(&self, key: &str) -> Result<String, S3Error> {
        let answer = self.call(self.request(Method::POST, key, "?uploads="), Vec::new()).await?;
        let body = text(&answer);
        let id = super::xml_text(&body, "UploadId").ok_or_else(|| S3Error::Answer("no id of an upload".to_owned()))?;
        Ok(id.to_owned())
    }

    /// Uploads a part, from number 1, and returns its mark.
    pub async fn upload_part(&self, key: &str, upload: &str, number: usize, body: Vec<u8>) -> Result<String, S3Error> {
        let query = format!("?partNumber={number}&{}", upload_id(upload));
        let response = self.call(self.request(Method::PUT, key, &query), body).await?;
        let etag = response.headers().get("etag").ok_or_else(|| S3Error::Answer("a part without a mark".to_owned()))?;
        Ok(etag.to_owned())
    }

    /// Makes an object of all parts, by their marks in the order of their numbers.
    pub async fn complete_upload(&self, key: &str, upload: &str, etags: &[String]) -> Result<(), S3Error> {
        let mut list = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">".to_owned();
        for (number, etag) in (1..).zip(etags) {
            let _ = write!(list, "<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>");
        }
        list.push_str("</CompleteMultipartUpload>");
        let query = format!("?{}", upload_id(upload));
        let answer = self.call(self.request(Method::POST, key, &query), list.into_bytes()).await?;
        let body = text(&answer);
        // S3 answers 200 before it knows, and may say in the body that it failed.
        if body.contains("<Error>") {
            let code = super::xml_text(&body, "Code").unwrap_or("no code");
            return Err(S3Error::Answer(format!("the parts of an upload were not joined: {code}")));
        }
        Ok(())
    }

    /// Deletes the parts of an upload that will not be completed.
    pub async fn abort_upload(&self, key: &str, upload: &str) -> Result<(), S3Error> {
        let query = format!("?{}", upload_id(upload));
        self.call(self.request(Method::DELETE, key, &query), Vec::new()).await.map(drop)
    }

    fn request(&self, method: Method, key: &str, query: &str) -> http::request::Builder {
        let key = utf8_percent_encode(key, ENCODED);
        Request::builder().method(method).uri(format!("{}{key}{query}", self.path))
    }

    async fn call(&self, request: http::request::Builder, body: Vec<u8>) -> Result<HttpResponse, S3Error> {
        call(&self.service, request, body).await
    }
}

async fn call(service: &Service, request: http::request::Builder, body: Vec<u8>) -> Result<HttpResponse, S3Error> {
    let request = request.body(SdkBody::from(body)).map_err(|error| S3Error::Answer(error.to_string()))?;
    service.call(request).await.map_err(|error| Box::new(error).into())
}

/// Returns the parameter that names an upload.
fn upload_id(upload: &str) -> String {
    format!("uploadId={}", utf8_percent_encode(upload, NON_ALPHANUMERIC))
}

fn text(response: &HttpResponse) -> Cow<'_, str> {
    String::from_utf8_lossy(response.body().bytes().unwrap_or_default())
}

fn found(result: Result<HttpResponse, S3Error>) -> Result<Option<HttpResponse>, S3Error> {
    match result {
        Ok(response) => Ok(Some(response)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_head(response: &HttpResponse) -> Result<Head, S3Error> {
    let header = |name: &str| response.headers().get(name).map(str::to_owned);
    let modified_at = header("last-modified").ok_or_else(|| S3Error::Answer("an object without a time".to_owned()))?;
    let modified_at = jiff::fmt::rfc2822::parse(&modified_at).map_err(|error| S3Error::Answer(error.to_string()))?;
    Ok(Head {
        modified_at: modified_at.timestamp(),
        etag: header("etag").unwrap_or_default(),
        source_etag: header(SOURCE_ETAG),
        version: header("x-amz-version-id"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::scripted::Script;
    use super::*;

    const HEADERS: &[(&str, &str)] = &[
        ("last-modified", "Sun, 01 Mar 2026 12:00:00 GMT"),
        ("etag", "\"1\""),
        (SOURCE_ETAG, "\"0\""),
        ("x-amz-version-id", "v1"),
    ];

    fn head() -> Head {
        let modified_at = "2026-03-01T12:00:00Z".parse().expect("an instant");
        let (source_etag, version) = (Some("\"0\"".to_owned()), Some("v1".to_owned()));
        Head { modified_at, etag: "\"1\"".to_owned(), source_etag, version }
    }

    #[tokio::test]
    async fn objects_are_read_written_and_deleted() {
        const MISSING: &str = "<Error><Code>NoSuchKey</Code></Error>";
        let script = Script::new(&[
            (200, &[], ""),
            (206, HEADERS, "rows"),
            (404, &[], MISSING),
            (404, &[], ""),
            (200, HEADERS, ""),
            (200, &[], ""),
            (403, &[], "<Error><Code>AccessDenied</Code><Message>no</Message></Error>"),
            (204, &[], ""),
        ]);
        let bucket = Bucket::new(&script.config(Some("http://s3.test")), "files");
        assert_eq!(bucket.url("in box/é"), "s3://files/in box/é");
        bucket.put("in box/é", "text/plain", Some("\"0\""), b"report".to_vec()).await.expect("it is written");
        let (found, body) = bucket.get("a", 5).await.expect("an answer").expect("an object");
        assert_eq!((found, &*body.collect().await.expect("a body").into_bytes()), (head(), &b"rows"[..]));
        assert!(bucket.get("a", 0).await.expect("an answer").is_none());
        assert_eq!(bucket.head("a").await.expect("an answer"), None);
        assert_eq!(bucket.head("a").await.expect("an answer"), Some(head()));
        assert_eq!(
            bucket.head("a").await.expect_err("no time").to_string(),
            "unreadable answer of S3: an object without a time"
        );
        let refused = bucket.delete("a").await.expect_err("a refusal");
        assert_eq!(
            (refused.code(), refused.to_string().as_str()),
            (Some("AccessDenied"), "S3 refused: 403 AccessDenied: no")
        );
        bucket.delete("a").await.expect("it is deleted");
        let requests = script.requests().into_iter().map(|(request, _)| request).collect::<Vec<_>>();
        let url = "http://s3.test/files";
        let expected = [
            format!("PUT {url}/in%20box/%C3%A9"),
            format!("GET {url}/a bytes=5-"),
            format!("GET {url}/a"),
            format!("HEAD {url}/a"),
            format!("HEAD {url}/a"),
            format!("HEAD {url}/a"),
            format!("DELETE {url}/a"),
            format!("DELETE {url}/a"),
        ];
        assert_eq!(requests, expected);
    }

    #[tokio::test]
    async fn parts_become_an_object_or_are_deleted() {
        let script = Script::new(&[
            (200, &[], "<R><UploadId>u/1</UploadId></R>"),
            (200, &[("etag", "\"p1\"")], ""),
            (200, &[], "<R/>"),
            (200, &[], "<Error><Code>InternalError</Code></Error>"),
            (204, &[], ""),
            (200, &[], ""),
            (200, &[], ""),
        ]);
        let bucket = Bucket::new(&script.config(None), "files");
        let upload = bucket.create_upload("a").await.expect("an id");
        let parts = [bucket.upload_part("a", &upload, 1, b"1".to_vec()).await.expect("a mark")];
        bucket.complete_upload("a", &upload, &parts).await.expect("an object");
        let failed = bucket.complete_upload("a", &upload, &parts).await.expect_err("an error in the body");
        assert_eq!(
            failed.to_string(),
            "unreadable answer of S3: the parts of an upload were not joined: InternalError"
        );
        bucket.abort_upload("a", &upload).await.expect("they are deleted");
        assert!(bucket.create_upload("a").await.is_err() && bucket.upload_part("a", "u", 1, Vec::new()).await.is_err());
        let requests = script.requests();
        let url = "https://files.s3.eu-west-1.amazonaws.com/a";
        let list = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Part><PartNumber>1\
                    </PartNumber><ETag>\"p1\"</ETag></Part></CompleteMultipartUpload>";
        let expected = [
            (format!("POST {url}?uploads="), String::new()),
            (format!("PUT {url}?partNumber=1&uploadId=u%2F1"), "1".to_owned()),
            (format!("POST {url}?uploadId=u%2F1"), list.to_owned()),
            (format!("POST {url}?uploadId=u%2F1"), list.to_owned()),
            (format!("DELETE {url}?uploadId=u%2F1"), String::new()),
        ];
        assert_eq!(requests[..5], expected);
    }
}
