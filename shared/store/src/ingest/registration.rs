//! Version of each object that was opened last.

use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::ingest::ObjectVersion;
use serde::{Deserialize, Serialize};

use super::{IngestStore, PK_START, expiry, unchanged_since};
use crate::client::read::pk_sk;
use crate::format::{item, parse};
use crate::schema;

/// Sort key of the item.
const SK: &str = "OBJECT";

/// Registered version of an object, with the revision of the registration.
#[derive(Clone, Debug)]
pub struct Registration {
    /// Version that was opened last.
    pub version: ObjectVersion,
    revision: u64,
}

#[derive(Serialize, Deserialize)]
struct RegistrationItem {
    pk: String,
    sk: String,
    #[serde(flatten)]
    version: ObjectVersion,
    revision: u64,
    ttl: i64,
}

fn registration_pk(object: &str) -> String {
    format!("{PK_START}{object}")
}

impl IngestStore {
    /// Returns the version of an object that was opened last, by a strong read.
    pub async fn registration(&self, object: &str) -> Result<Option<Registration>, Error> {
        let found = self.db.get(&schema::REVIEWS, pk_sk(registration_pk(object), SK)).await?;
        let found: Option<RegistrationItem> = found.map(parse).transpose()?;
        Ok(found.map(|RegistrationItem { version, revision, .. }| Registration { version, revision }))
    }

    /// Registers a version that was opened after `known` was read. False if another version was registered meanwhile.
    pub async fn register(
        &self,
        version: &ObjectVersion,
        known: Option<&Registration>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        if known.is_some_and(|known| known.version == *version) {
            return Ok(true);
        }
        let known = known.map(|known| known.revision);
        let item = item(&RegistrationItem {
            pk: registration_pk(&version.object),
            sk: SK.to_owned(),
            version: version.clone(),
            revision: known.unwrap_or_default() + 1,
            ttl: expiry(now),
        })?;
        self.db.put_if(&schema::REVIEWS, item, unchanged_since(known)).await
    }
}
