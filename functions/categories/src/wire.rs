//! Bodies of answers and values of requests.

use presence::domain::category::{Category, CategoryDirectory, CategoryId, Country, Partners};
use presence::error::{Error, FieldError};
use presence::http::{Fields, Input, read};
use serde::Serialize;

/// A category in one language.
#[derive(Debug, Serialize)]
pub(crate) struct CategoryBody<'a> {
    id: &'a str,
    code: &'a str,
    name: &'a str,
    ancestors: &'a [String],
    partners: &'a Partners,
}

impl<'a> CategoryBody<'a> {
    pub(crate) fn new(category: &'a Category, lang: Country) -> Self {
        Self {
            id: category.id.as_str(),
            code: &category.code,
            name: category.name(lang),
            ancestors: category.ancestors(lang),
            partners: &category.partners,
        }
    }
}

/// One page of a search.
#[derive(Debug, Serialize)]
pub(crate) struct PageEnvelope<'a> {
    pub(crate) page: u64,
    pub(crate) max_page: u64,
    pub(crate) count: u64,
    pub(crate) categories: Vec<CategoryBody<'a>>,
}

/// The category that the path names. Whatever is not an id is not found, like an id that nothing has.
pub(crate) fn category_id(input: &Input) -> Result<CategoryId, Error> {
    CategoryId::parse(input.path("categoryId")).ok_or(Error::NotFound)
}

/// The language of names. It must be one that the directory is kept in.
pub(crate) fn lang(fields: &mut Fields<'_>, directory: &CategoryDirectory) -> Option<Country> {
    let text = fields.required("lang", |given| read::text(given).map(str::to_owned))?;
    let lang = directory.language(&text);
    if lang.is_none() {
        fields.fail("lang", FieldError::choice(directory.languages().map(|lang| lang.to_string())));
    }
    lang
}
