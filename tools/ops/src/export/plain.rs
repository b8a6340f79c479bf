//! Exports of organisations, businesses and categories, whose rows are read once.

use presence_domain::ids::OrgId;
use presence_store::{Business, ListPage, Org};

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
    let mut start = output.progress().list.clone();
    loop {
        let ListPage { items, next } = context.stores.businesses.list_orgs_page(start).await?;
        let wanted = |org: &&Org| only.is_none_or(|only| org.id == only);
        let rows: Vec<_> = items.iter().filter(wanted).map(OrgRow::from).collect();
        output.write_rows(&rows)?;
        let Some(position) = next else { return Ok(()) };
        output.save(Progress { list: Some(position.clone()), ..Progress::default() })?;
        start = Some(position);
    }
}

pub(super) async fn export_businesses(
    only: Option<OrgId>,
    context: &Context,
    output: &mut Output,
) -> Result<(), CommandError> {
    let mut start = output.progress().list.clone();
    loop {
        let ListPage { items, next } = context.stores.businesses.list_businesses_page(start).await?;
        let wanted = |business: &&Business| only.is_none_or(|only| business.org_id == only);
        let rows: Vec<_> = items.iter().filter(wanted).map(BusinessRow::from).collect();
        output.write_rows(&rows)?;
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
