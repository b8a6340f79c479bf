//! `GET /api/v2/category/{categoryId}`

use presence_api::{Answer, Input};
use presence_domain::category::{CategoryDirectory, CategoryId};
use presence_domain::error::Error;

use crate::wire::{CategoryBody, lang};

pub(crate) fn answer(directory: &CategoryDirectory, input: &Input) -> Result<Answer, Error> {
    // A text that is no id is answered like an unknown id.
    let id = CategoryId::parse(input.path("categoryId")).ok_or(Error::NotFound)?;
    let category = directory.get(&id).ok_or(Error::NotFound)?;
    let mut fields = input.fields();
    let lang = lang(&mut fields, directory);
    fields.finish()?;
    let lang = lang.ok_or_else(|| Error::internal("a required language is missing without an error"))?;
    Ok(Answer::ok(&CategoryBody::new(category, lang)))
}
