//! Parts of ingest: stores, bucket and queue.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use presence_domain::ids::OrgId;
use presence_runtime::clock::{Clock, SystemClock};
use presence_store::{BusinessStore, Database, FoldLimits, IngestStore, ReviewStore};

use crate::outside::{Objects, Queue};

/// Changes of an organisation from which a process folds its log, before the factor of imports: 8 times as many. Eight processes may
/// write the lanes of one organisation, and together they leave as many changes as one import does.
const FOLD_FROM: u64 = 64;

/// Everything that ingest reads and writes. Cheap to clone.
#[derive(Clone)]
pub struct Ingest {
    pub(crate) reviews: ReviewStore,
    pub(crate) businesses: BusinessStore,
    pub(crate) store: IngestStore,
    pub(crate) objects: Arc<dyn Objects>,
    pub(crate) queue: Arc<dyn Queue>,
    pub(crate) clock: Arc<dyn Clock>,
    database: Database,
    /// Organisations that the store lists among those with reviews.
    pub(crate) registered_orgs: Arc<Mutex<HashSet<OrgId>>>,
}

impl Ingest {
    /// Builds ingest over these tables, bucket and queue. Makes no call.
    #[must_use]
    pub fn new(database: &Database, objects: Arc<dyn Objects>, queue: Arc<dyn Queue>) -> Self {
        Self {
            reviews: ReviewStore::new(database)
                .with_fold_limits(FoldLimits { fold_from: FOLD_FROM, ..FoldLimits::default() }),
            businesses: BusinessStore::new(database),
            store: IngestStore::new(database),
            objects,
            queue,
            clock: Arc::new(SystemClock),
            database: database.clone(),
            registered_orgs: Arc::default(),
        }
    }

    /// Returns the same ingest with other limits of folds, for tests.
    #[must_use]
    pub fn with_fold_limits(self, fold_limits: FoldLimits) -> Self {
        Self { reviews: self.reviews.with_fold_limits(fold_limits), ..self }
    }

    /// Tells the pace of writes that reviews were written.
    pub(crate) fn reviews_written(&self) {
        self.database.note_progress();
    }
}
