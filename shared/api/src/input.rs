//! Input of a request: its parameters, body and key, read before the key is verified.

use lambda_http::{Request, RequestExt as _};
use serde_json::Value;

use super::Answer;
use super::entity_tag::{EntityTag, IfNoneMatch};
use super::fields::Fields;
use super::page_links::SearchUrl;
use super::route::{Body, PathParameters};

/// Parameters and body of a request, without its key.
#[derive(Debug)]
pub struct Input {
    /// Path as the client sent it.
    path: String,
    /// Address without the query; `None` if the event does not tell it.
    url: Option<SearchUrl>,
    if_none_match: IfNoneMatch,
    /// Version of the function. Each deployment makes a new one.
    function_version: String,
    parameters: PathParameters,
    query: Vec<(String, String)>,
    pub(super) body: Vec<(String, Value)>,
    body_use: Body,
}

impl Input {
    /// Returns the input of a request, from the parts that were read without its key.
    pub(super) fn new(
        request: &Request,
        parameters: PathParameters,
        query: Vec<(String, String)>,
        body: Vec<(String, Value)>,
        body_use: Body,
    ) -> Self {
        let context = request.lambda_context_ref();
        Self {
            path: request.uri().path().to_owned(),
            url: SearchUrl::of(request),
            if_none_match: IfNoneMatch::from_headers(request.headers()),
            function_version: context.map_or("", |context| &context.env_config.version).to_owned(),
            parameters,
            query,
            body,
            body_use,
        }
    }

    /// Returns a path parameter, decoded. It is empty if the route has none of that name.
    pub fn path(&self, name: &str) -> &str {
        self.parameters.get(name).map_or("", String::as_str)
    }

    /// Returns the fields of the body if the operation reads one, and else the parameters of the query string.
    pub fn fields(&self) -> Fields<'_> {
        match self.body_use {
            Body::Json => Fields::of_body(&self.query, &self.body),
            Body::Ignored => Fields::of_query(&self.query),
        }
    }

    /// True if the query string or the body has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.query.iter().any(|(other, _)| other == name) || self.body.iter().any(|(other, _)| other == name)
    }

    /// Returns the value of the header `Link` for a page of a search; `None` if it would be larger than 4 KB.
    pub fn page_links(&self, page: u64, max_page: u64) -> Option<String> {
        self.url.as_ref()?.links(&self.query, page, max_page)
    }

    /// Returns the tag of the answer to this request, for an answer that depends on it and on the version of some data alone. Every
    /// deployment changes all tags, since it may change the answers.
    pub fn entity_tag(&self, data_version: u64) -> EntityTag {
        let fixed = [self.function_version.as_str(), &data_version.to_string(), &self.path].map(str::to_owned);
        let query = self.query.iter().flat_map(|(name, value)| [name, value]).map(String::as_str);
        EntityTag::of(fixed.iter().map(String::as_str).chain(query))
    }

    /// Returns a 304 if the client has the answer with this tag. Such a tag was sent with a 200 only, so that the operation need not run.
    pub fn not_modified(&self, tag: &EntityTag) -> Option<Answer> {
        self.if_none_match.has(tag).then(|| Answer::not_modified(tag).revalidated())
    }

    /// True if the client has the answer with this tag, which exists.
    pub(super) fn has_existing(&self, tag: &EntityTag) -> bool {
        self.if_none_match.has_existing(tag)
    }
}
