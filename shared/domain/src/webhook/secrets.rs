//! Secrets that sign the messages of a webhook: the present one, and those before it for a day.

use jiff::{SignedDuration, Timestamp};

use super::signature::WebhookSecret;
use crate::error::Error;

/// Time for which the secret before a rotation still signs.
pub const OVERLAP: SignedDuration = SignedDuration::from_hours(24);
/// Largest number of secrets that sign at a time.
pub const MAX_SECRETS: usize = 5;

/// Secret with the instant until which it signs; `None` for the present one.
#[derive(Clone, Debug)]
pub struct SigningSecret {
    /// Secret.
    pub secret: WebhookSecret,
    /// End.
    pub until: Option<Timestamp>,
}

/// Secrets of a webhook, newest first.
#[derive(Clone, Debug)]
pub struct SigningSecrets(Vec<SigningSecret>);

impl SigningSecrets {
    /// Returns the secrets of a new webhook: one.
    pub fn new(secret: WebhookSecret) -> Self {
        Self(vec![SigningSecret { secret, until: None }])
    }

    /// Returns the secrets as they are stored.
    pub fn from_stored(secrets: Vec<SigningSecret>) -> Self {
        Self(secrets)
    }

    /// Returns all secrets, also those that ended.
    pub fn all(&self) -> &[SigningSecret] {
        &self.0
    }

    /// Returns those that sign at an instant, newest first.
    pub fn at(&self, now: Timestamp) -> impl Iterator<Item = &WebhookSecret> {
        self.live(now).map(|signing| &signing.secret)
    }

    fn live(&self, now: Timestamp) -> impl Iterator<Item = &SigningSecret> {
        self.0.iter().filter(move |signing| signing.until.is_none_or(|until| now < until))
    }

    /// Returns the secrets after a rotation. The present one signs for [`OVERLAP`] more, and each before it to its end.
    pub(super) fn rotated(&self, secret: WebhookSecret, now: Timestamp) -> Result<Self, Error> {
        let end = now + OVERLAP;
        let before = self.live(now).map(|old| SigningSecret { until: old.until.or(Some(end)), ..old.clone() });
        let secrets: Vec<_> = std::iter::once(SigningSecret { secret, until: None }).chain(before).collect();
        if secrets.len() > MAX_SECRETS {
            return Err(Error::invalid(format!("the webhook has {MAX_SECRETS} secrets that sign: rotate it later")));
        }
        Ok(Self(secrets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_before_a_rotation_sign_for_a_day_and_five_at_most() {
        let at = |hour: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour);
        let mut secrets = SigningSecrets::new(WebhookSecret::generate());
        for hour in 0..4 {
            secrets = secrets.rotated(WebhookSecret::generate(), at(hour)).expect("a rotation");
        }
        let signing = |hour| secrets.at(at(hour)).count();
        assert_eq!([3, 23, 24, 25, 27, 99].map(signing), [5, 5, 4, 3, 1, 1]);
        assert!(secrets.rotated(WebhookSecret::generate(), at(23)).is_err());
        assert_eq!(secrets.rotated(WebhookSecret::generate(), at(24)).expect("a rotation").all().len(), 5);
    }
}
