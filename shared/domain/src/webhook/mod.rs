//! Webhooks: addresses of an organisation that are told of its events. A webhook is a reader of the feed with a cursor.

mod id;
mod secret;
mod url;

use jiff::Timestamp;

pub use id::{MAX_WEBHOOKS, WebhookId};
pub use secret::{MAX_SECRETS, OVERLAP, SigningSecret, SigningSecrets, WebhookSecret};
pub use self::url::{MAX_URL_BYTES, WebhookReach, WebhookUrl};

use crate::error::Error;
use crate::patch::Patch;

crate::listed_enum! {
    /// State of a webhook.
    pub enum WebhookState {
        /// What is due was delivered.
        Enabled => "enabled",
        /// An attempt failed, and something still waits.
        Failing => "failing",
        /// Nothing is sent until the webhook is enabled again.
        Disabled => "disabled",
    }
}

crate::listed_enum! {
    /// Field of a webhook that people set, as the API names it.
    pub enum WebhookField {
        /// Address.
        Url => "url",
        /// Types of events.
        Types => "types",
        /// Label.
        Label => "label",
    }
}

/// Webhook.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// Id, which names the organisation.
    pub id: WebhookId,
    /// Address of the receiver.
    pub url: WebhookUrl,
    /// Name for people.
    pub label: Option<String>,
    /// Secrets that sign its messages.
    pub secrets: SigningSecrets,
    /// Instant of its creation.
    pub created_at: Timestamp,
    /// Version of the fields above. Each change of them raises it by one.
    pub version: u64,
}

/// Change of a webhook. What it leaves out stays.
#[derive(Clone, Debug, Default)]
pub struct WebhookPatch {
    /// Address.
    pub url: Option<WebhookUrl>,
    /// Label.
    pub label: Patch<String>,
}

impl Webhook {
    /// Returns the webhook with the changes of a patch, and the fields that changed; `None` if nothing does.
    #[must_use]
    pub fn patched(&self, patch: &WebhookPatch) -> Option<(Self, Vec<WebhookField>)> {
        let label = match &patch.label {
            Patch::Keep => self.label.clone(),
            Patch::Clear => None,
            Patch::Set(label) => Some(label.clone()),
        };
        let url = patch.url.clone().unwrap_or_else(|| self.url.clone());
        let new = Self { url, label, version: self.version + 1, ..self.clone() };
        let differs = |field: &WebhookField| match field {
            WebhookField::Url => new.url != self.url,
            WebhookField::Types => false,
            WebhookField::Label => new.label != self.label,
        };
        let fields: Vec<_> = WebhookField::ALL.into_iter().filter(differs).collect();
        (!fields.is_empty()).then_some((new, fields))
    }

    /// Returns the webhook with a new secret. The secrets before it sign for [`OVERLAP`] more.
    ///
    /// # Errors
    /// [`Error::Invalid`] if [`MAX_SECRETS`] sign already.
    pub fn rotated(&self, secret: WebhookSecret, now: Timestamp) -> Result<Self, Error> {
        let secrets = self.secrets.rotated(secret, now)?;
        Ok(Self { secrets, version: self.version + 1, ..self.clone() })
    }
}
