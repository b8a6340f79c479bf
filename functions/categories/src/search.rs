//! GET /api/v2/category/search

use presence_api::{Answer, Given, Input, read};
use presence_domain::category::{CategoryDirectory, NameFilter};
use presence_domain::error::{Error, FieldError};
use presence_domain::page::PageRequest;

use crate::wire::{CategoryBody, PageEnvelope, lang};

pub(crate) fn run(directory: &CategoryDirectory, input: &Input) -> Result<Answer, Error> {
    let mut fields = input.query();
    let lang = lang(&mut fields, directory);
    let filter = fields.optional("name", name);
    let request = PageRequest {
        page: fields.optional("page", read::page).unwrap_or(1),
        size: fields.optional("per_page", read::per_page).unwrap_or(PageRequest::DEFAULT_SIZE),
    };
    fields.finish()?;
    let lang = lang.ok_or_else(|| Error::internal("no language, and no mistake either"))?;
    let page = directory.search(lang, filter.as_ref(), request);
    let categories = page.items.iter().map(|category| CategoryBody::new(category, lang)).collect();
    Ok(Answer::page(&PageEnvelope {
        page: page.request.page,
        max_page: page.max_page(),
        count: page.count,
        categories,
    }))
}

fn name(given: Given<'_>) -> Result<NameFilter, FieldError> {
    let exact = read::text(given)?.trim().to_owned();
    Ok(NameFilter { exact, folded: read::search_text(given)? })
}
