//! Documents that anyone may read: without a key, without parameters, the same bytes for all.

use std::borrow::Cow;
use std::sync::OnceLock;

use lambda_http::http::header::CACHE_CONTROL;
use lambda_http::http::{Method, Response, StatusCode};
use lambda_http::{Body, Request};

use super::Answer;
use super::accept_encoding::ContentCoding;
use super::content::{AnswerForm, Content};
use super::entity_tag::{EntityTag, IfNoneMatch};
use super::error_answer::RequestError;
use super::gzip;
use super::invocation::Invocation;
use super::serve::end;

/// Methods of every document.
const METHODS: &str = "GET, HEAD";
/// Time for which anyone may keep a document. A new deployment may replace it.
const CACHE: &str = "public, max-age=300";

/// JSON document. It is made and compressed once, when the first client asks for it.
#[derive(Debug)]
pub struct Document {
    /// Name of the operation in the log.
    operation: &'static str,
    make: fn() -> Cow<'static, str>,
    prepared: OnceLock<PreparedDocument>,
}

/// Document with its tag and its compressed content.
#[derive(Debug)]
struct PreparedDocument {
    json: Cow<'static, str>,
    tag: EntityTag,
    gzip: Vec<u8>,
}

impl Document {
    /// Returns the document whose text `make` returns. `operation` is its name in the log.
    pub const fn new(operation: &'static str, make: fn() -> Cow<'static, str>) -> Self {
        Self { operation, make, prepared: OnceLock::new() }
    }

    /// Serves one request. Other methods than GET and HEAD are answered with 405.
    pub fn serve(&self, request: &Request) -> Response<Body> {
        let invocation = Invocation::start(request);
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return end(&invocation, "none", Err(RequestError::MethodNotAllowed(METHODS.to_owned())));
        }
        let prepared = self.prepared.get_or_init(|| {
            let json = (self.make)();
            PreparedDocument { tag: EntityTag::of([&*json]), gzip: gzip::compress_document(&json), json }
        });
        let has_it = IfNoneMatch::from_headers(request.headers()).has_existing(&prepared.tag);
        let answer = if has_it {
            Answer::not_modified(&prepared.tag)
        } else {
            Answer::from_content(StatusCode::OK, prepared.content(invocation.form)).with_tag(&prepared.tag)
        };
        end(&invocation, self.operation, Ok(answer.with(CACHE_CONTROL, CACHE)))
    }
}

impl PreparedDocument {
    fn content(&self, form: AnswerForm) -> Content {
        match form.coding {
            ContentCoding::Identity => Content::Text(self.json.clone().into_owned()),
            ContentCoding::Gzip | ContentCoding::OnlyGzip => Content::Gzip(self.gzip.clone()),
        }
    }
}
