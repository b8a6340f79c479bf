//! GET /api/v2/category/{categoryId}

use presence::app::App;
use presence::error::Error;
use presence::http::{Answer, Call};
use presence::store::CategoryHead;

use crate::wire::{CategoryBody, category_id, lang};

pub(crate) async fn run(app: &App, call: &Call, head: Result<CategoryHead, Error>) -> Result<Answer, Error> {
    let id = category_id(call)?;
    let directory = app.store.category_directory(head?).await?;
    let category = directory.get(&id).ok_or(Error::NotFound)?;
    let mut fields = call.query();
    let lang = lang(&mut fields, &directory);
    fields.finish()?;
    let lang = lang.ok_or_else(|| Error::internal("no language, and no mistake either"))?;
    Ok(Answer::ok(&CategoryBody::new(category, lang)))
}
