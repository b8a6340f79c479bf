//! Parts of ingest: stores, bucket and queue.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use presence_domain::ids::OrgId;
use presence_store::{BusinessStore, Database, ReviewStore};

use crate::outside::{Objects, Queue};

/// Everything that ingest reads and writes. Cheap to clone.
#[derive(Clone)]
pub struct Ingest {
    pub(crate) reviews: ReviewStore,
    pub(crate) businesses: BusinessStore,
    pub(crate) objects: Arc<dyn Objects>,
    pub(crate) queue: Arc<dyn Queue>,
    /// Organisations that the store lists among those with reviews.
    pub(crate) registered_orgs: Arc<Mutex<HashSet<OrgId>>>,
}

impl Ingest {
    /// Builds ingest over these tables, bucket and queue. Makes no call.
    #[must_use]
    pub fn new(database: &Database, objects: Arc<dyn Objects>, queue: Arc<dyn Queue>) -> Self {
        Self {
            reviews: ReviewStore::new(database),
            businesses: BusinessStore::new(database),
            objects,
            queue,
            registered_orgs: Arc::default(),
        }
    }
}
