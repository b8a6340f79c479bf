//! Parts of ingest: stores, bucket and queue.

use std::sync::Arc;

use presence_runtime::clock::{Clock, SystemClock};
use presence_store::{Database, FoldLimits, IngestStore, ReviewStore};

use crate::outside::{Objects, Queue};

/// Changes of an organisation from which a process folds its log, before the factor of imports: 8 times as many. Eight processes may
/// write the lanes of one organisation, and together they leave as many changes as one import does.
const FOLD_FROM: u64 = 64;

/// Everything that ingest reads and writes. Cheap to clone.
#[derive(Clone)]
pub struct Ingest {
    pub(crate) reviews: ReviewStore,
    pub(crate) store: IngestStore,
    pub(crate) objects: Arc<dyn Objects>,
    pub(crate) queue: Arc<dyn Queue>,
    pub(crate) clock: Arc<dyn Clock>,
    database: Database,
}

impl Ingest {
    /// Builds ingest over these tables, bucket and queue. Makes no call.
    pub fn new(database: &Database, objects: Arc<dyn Objects>, queue: Arc<dyn Queue>) -> Self {
        Self {
            reviews: ReviewStore::new(database)
                .with_fold_limits(FoldLimits { fold_from: FOLD_FROM, ..FoldLimits::default() }),
            store: IngestStore::new(database),
            objects,
            queue,
            clock: Arc::new(SystemClock),
            database: database.clone(),
        }
    }

    /// Returns the same ingest with other limits of folds, for tests.
    #[must_use]
    pub fn with_fold_limits(self, fold_limits: FoldLimits) -> Self {
        Self { reviews: self.reviews.with_fold_limits(fold_limits), ..self }
    }

    /// Returns the same ingest with another clock, for tests.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Tells the pace of writes that reviews were written.
    pub(crate) fn reviews_written(&self) {
        self.database.note_progress();
    }
}
