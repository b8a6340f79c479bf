//! Checkpoint of an export: the file `FILE.state`.

use std::collections::BTreeMap;

use presence_domain::ids::OrgId;
use presence_store::{ListPosition, LogMark, ReviewPosition};
use serde::{Deserialize, Serialize};

use super::Resource;
use crate::target::Target;

/// Checkpoint of an export. It belongs to an export with the same options only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    what: Resource,
    org: Option<u64>,
    /// Endpoint or region, and prefix of the tables.
    tables: String,
    /// Number of bytes of `FILE.part` that are whole.
    pub(super) bytes: u64,
    /// Number of rows in them.
    pub(super) rows: u64,
    pub(super) progress: Progress,
}

/// Progress of an export.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Progress {
    /// Last organisation that is whole, as its key.
    pub(super) after_org: Option<String>,
    /// Reviews of the organisation that is under way.
    pub(super) reviews: Option<ReviewsProgress>,
    /// Position in a list of organisations or businesses.
    pub(super) list: Option<ListPosition>,
}

/// Progress in the reviews of an organisation. The rows so far are in `FILE.section`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ReviewsProgress {
    pub(super) org: u64,
    /// Position of the next window; `None` if all windows are read.
    pub(super) next: Option<ReviewPosition>,
    pub(super) is_listed: bool,
    /// Mark up to which changes are known.
    pub(super) mark: LogMark,
    /// Reviews whose row has not the version of the mark, with that version; `None` if the organisation has them no more.
    pub(super) changed: BTreeMap<String, Option<u64>>,
    /// Number of bytes of the section that are whole.
    pub(super) section_bytes: u64,
}

impl Checkpoint {
    /// Returns the checkpoint of an export that begins.
    pub(super) fn new(what: Resource, org: Option<OrgId>, target: &Target) -> Self {
        let place = target.endpoint.as_deref().or(target.region.as_deref()).unwrap_or_default();
        let reviews = target.reviews_table.as_ref().map(|reviews| format!(" {reviews}")).unwrap_or_default();
        let tables = format!("{place} {}*{reviews}", target.prefix);
        Self { what, org: org.map(OrgId::get), tables, bytes: 0, rows: 0, progress: Progress::default() }
    }

    /// True if both are of exports with the same options.
    pub(super) fn is_of_same_export(&self, other: &Self) -> bool {
        (self.what, self.org, &self.tables) == (other.what, other.org, &other.tables)
    }
}
