//! Webhooks: addresses of an organisation that are told of its events. A webhook is a reader of the feed with a cursor.

pub mod address;
mod attempt;
pub mod progress;
pub mod schedule;
mod secrets;
pub mod signature;
mod url;

use jiff::Timestamp;

pub use self::attempt::{Attempt, Delivery};
pub use self::progress::{DeliveryState, Progress, WebhookState};
pub use self::secrets::{MAX_SECRETS, OVERLAP, SigningSecret, SigningSecrets};
pub use self::signature::WebhookSecret;
pub use self::url::{MAX_URL_BYTES, WebhookReach, WebhookUrl};
pub use crate::authorship::WebhookField;
pub use crate::webhook_id::{MAX_WEBHOOKS, WebhookId};

use crate::error::Error;
use crate::feed::EventFilter;
use crate::patch::Patch;

/// Webhook.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// Id, which names the organisation.
    pub id: WebhookId,
    /// Address of the receiver.
    pub url: WebhookUrl,
    /// Events that it is told of.
    pub types: EventFilter,
    /// Name for people.
    pub label: Option<String>,
    /// Secrets that sign its messages.
    pub secrets: SigningSecrets,
    /// Instant of its creation.
    pub created_at: Timestamp,
    /// Deliveries so far.
    pub progress: Progress,
    /// Version. Each write raises it by one.
    pub version: u64,
}

/// Change of a webhook. What it leaves out stays.
#[derive(Clone, Debug, Default)]
pub struct WebhookPatch {
    /// Address.
    pub url: Option<WebhookUrl>,
    /// Types of events.
    pub types: Option<EventFilter>,
    /// Label.
    pub label: Patch<String>,
}

impl Webhook {
    /// Returns the webhook with the changes of a patch, and the fields that changed; `None` if nothing does.
    #[must_use]
    pub fn patched(&self, patch: &WebhookPatch, now: Timestamp) -> Option<(Self, Vec<WebhookField>)> {
        let WebhookPatch { url, types, label } = patch.clone();
        let url = url.unwrap_or_else(|| self.url.clone());
        let types = types.unwrap_or_else(|| self.types.clone());
        let label = label.apply(self.label.clone());
        let new = Self { url, types, label, ..self.interrupted(now) };
        let differs = |field: &WebhookField| match field {
            WebhookField::Url => new.url != self.url,
            WebhookField::Types => new.types != self.types,
            WebhookField::Label => new.label != self.label,
        };
        let fields: Vec<_> = WebhookField::ALL.into_iter().filter(differs).collect();
        (!fields.is_empty()).then_some((new, fields))
    }

    /// Returns the webhook with a new secret. Those before it sign for [`OVERLAP`] more.
    ///
    /// # Errors
    /// [`Error::Invalid`] if [`MAX_SECRETS`] sign already.
    pub fn rotated(&self, secret: WebhookSecret, now: Timestamp) -> Result<Self, Error> {
        Ok(Self { secrets: self.secrets.rotated(secret, now)?, ..self.interrupted(now) })
    }

    /// Returns the webhook with other deliveries; `None` if they are the same.
    #[must_use]
    pub fn with_progress(&self, progress: Progress) -> Option<Self> {
        (progress != self.progress).then(|| Self { progress, version: self.version + 1, ..self.clone() })
    }

    /// Returns the next version. A deliverer that sends now reads the webhook again.
    fn interrupted(&self, now: Timestamp) -> Self {
        Self { progress: self.progress.clone().interrupted(now), version: self.version + 1, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::fixture::{at, org};

    #[test]
    fn each_change_is_the_next_version_and_one_by_a_caller_interrupts_the_deliverer() {
        let sending = Progress::starting_after(0, at(1)).claimed(7, at(2));
        let webhook = Webhook {
            id: WebhookId::random(org(1), 0),
            url: WebhookUrl::from_stored("https://example.org/hook").expect("a URL"),
            types: EventFilter::default(),
            label: None,
            secrets: SigningSecrets::new(WebhookSecret::generate()),
            created_at: at(0),
            progress: sending.clone(),
            version: 4,
        };
        assert!(webhook.with_progress(sending.clone()).is_none(), "nothing changed");
        let released = webhook.with_progress(sending.clone().released(None)).expect("a change");
        assert_eq!((released.version, released.progress), (5, sending.clone().released(None)));
        let patch = WebhookPatch { label: Patch::Set("shop".to_owned()), ..WebhookPatch::default() };
        let (patched, fields) = webhook.patched(&patch, at(3)).expect("a change");
        assert_eq!((patched.version, &patched.progress), (5, &sending.clone().interrupted(at(3))));
        assert_eq!(fields, [WebhookField::Label]);
        assert!(webhook.patched(&WebhookPatch::default(), at(3)).is_none(), "nothing changed");
        let rotated = webhook.rotated(WebhookSecret::generate(), at(3)).expect("the second secret");
        assert_eq!((rotated.version, rotated.progress), (5, sending.interrupted(at(3))));
    }
}
