//! `GET /api/v2/category/search`

use presence_api::{Answer, Input, RawValue, read};
use presence_domain::category::{CategoryDirectory, NameFilter};
use presence_domain::error::{Error, FieldError};

use crate::wire::{CategoryBody, PageEnvelope, lang};

pub(crate) fn answer(directory: &CategoryDirectory, input: &Input) -> Result<Answer, Error> {
    let mut fields = input.fields();
    let lang = lang(&mut fields, directory);
    let filter = fields.optional("name", name);
    let request = fields.page_request();
    fields.finish()?;
    let lang = lang.ok_or_else(|| Error::internal("a required language is missing without an error"))?;
    let page = directory.search(lang, filter.as_ref(), request);
    let categories = page.items.iter().map(|category| CategoryBody::new(category, lang)).collect();
    let (number, max_page) = (page.request.page, page.max_page());
    let body = PageEnvelope { page: number, max_page, count: page.count, categories };
    Ok(Answer::page(&body).linked(input.page_links(number, max_page)))
}

fn name(raw: RawValue<'_>) -> Result<NameFilter, FieldError> {
    let exact = read::text(raw)?.trim().to_owned();
    Ok(NameFilter { exact, folded: read::search_text(raw)? })
}
