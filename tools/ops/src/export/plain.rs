//! Exports of organisations, businesses and categories, whose rows are read once.

use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_store::{Business, ListPage, ListPosition, Org};

use super::checkpoint::Progress;
use super::output::Output;
use crate::Context;
use crate::error::CommandError;
use crate::rows::{BusinessRow, CategoryRow, OrgRow};

pub(super) async fn export_orgs(
    only: Option<OrgId>,
    context: &Context,
    output: &mut Output,
) -> Result<(), CommandError> {
    let read = async |start| context.stores.businesses.list_orgs_page(start).await;
    let write = |output: &mut Output, orgs: &[Org]| {
        let wanted = orgs.iter().filter(|org| only.is_none_or(|only| org.id == only));
        output.write_rows(&wanted.map(OrgRow::from).collect::<Vec<_>>())
    };
    export_pages(output, read, write).await
}

pub(super) async fn export_businesses(
    only: Option<OrgId>,
    context: &Context,
    output: &mut Output,
) -> Result<(), CommandError> {
    let read = async |start| context.stores.businesses.list_businesses_page(start).await;
    let write = |output: &mut Output, businesses: &[Business]| {
        let wanted = businesses.iter().filter(|business| only.is_none_or(|only| business.org_id == only));
        output.write_rows(&wanted.map(BusinessRow::from).collect::<Vec<_>>())
    };
    export_pages(output, read, write).await
}

/// Exports a list page by page, and saves the position after each.
async fn export_pages<T>(
    output: &mut Output,
    read: impl AsyncFn(Option<ListPosition>) -> Result<ListPage<T>, Error>,
    write: impl Fn(&mut Output, &[T]) -> anyhow::Result<()>,
) -> Result<(), CommandError> {
    let mut start = output.progress().list.clone();
    loop {
        let ListPage { items, next } = read(start).await?;
        write(output, &items)?;
        let Some(position) = next else { return Ok(()) };
        output.save(Progress { list: Some(position.clone()), ..Progress::default() })?;
        start = Some(position);
    }
}

/// Exports the categories of the published version. They fit into memory: a function holds them too.
pub(super) async fn export_categories(context: &Context, output: &mut Output) -> Result<(), CommandError> {
    let categories = &context.stores.categories;
    let directory = categories.get_directory(categories.get_head().await?).await?;
    let rows: Vec<_> = directory.categories().iter().map(CategoryRow::from).collect();
    Ok(output.write_rows(&rows)?)
}
