//! Actors: the callers of the API, invited people, operators and the service itself.

use std::fmt;

use crate::api_key::ApiKeyId;
use crate::ids::UserId;
use crate::text::has_control;

/// Author of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// Caller of the API, by its key. The owner of the key is the actor.
    Key(ApiKeyId),
    /// User who accepted an invitation by the link in a mail, without a key.
    Invitee(UserId),
    /// Caller of a command of the operator's tool.
    Operator(OperatorName),
    /// The service itself: it disables a webhook that takes nothing.
    Service,
}

/// Id of the service as an actor.
const SERVICE: &str = "service";

impl Actor {
    /// Returns the actor that a stored record names: by its id, and by the key that it used.
    pub fn parse(id: &str, key: Option<&str>) -> Option<Self> {
        if let Some(key) = key {
            return ApiKeyId::parse(key).filter(|key| key.owner().to_string() == id).map(Self::Key);
        }
        if id == SERVICE {
            return Some(Self::Service);
        }
        let invitee = UserId::parse(id).map(Self::Invitee);
        invitee.or_else(|| OperatorName::parse(id).map(Self::Operator))
    }

    /// Returns the id under which the actor is found: the id of a user, the name of an operator, or `service`. No id is two of them.
    pub fn id(&self) -> String {
        match self {
            Self::Key(key) => key.owner().to_string(),
            Self::Invitee(user) => user.to_string(),
            Self::Operator(name) => name.to_string(),
            Self::Service => SERVICE.to_owned(),
        }
    }

    /// Returns the key that the actor used; `None` for an actor without one.
    pub fn key_id(&self) -> Option<ApiKeyId> {
        match self {
            Self::Key(key) => Some(*key),
            Self::Invitee(_) | Self::Operator(_) | Self::Service => None,
        }
    }
}

/// Name of an operator: the ARN of an AWS identity, or `local:` and the name of an account on the operator's machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperatorName(String);

impl OperatorName {
    /// Largest number of bytes. The longest ARN of an IAM user has 12 digits, a path of 512 characters and a name of 64.
    pub const MAX_BYTES: usize = 620;

    /// Prefix of names of accounts outside AWS.
    const LOCAL: &str = "local:";

    /// Parses a name: an ARN, or `local:` and a name.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.strip_prefix("arn:").or_else(|| text.strip_prefix(Self::LOCAL))?;
        let is_name = !name.trim().is_empty() && text.len() <= Self::MAX_BYTES && !has_control(text);
        is_name.then(|| Self(text.to_owned()))
    }

    /// Returns the name of an account on the operator's machine; `None` if the account has no usable name.
    pub fn local(account: &str) -> Option<Self> {
        Self::parse(&format!("{}{account}", Self::LOCAL))
    }
}

impl fmt::Display for OperatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_read_from_its_id_and_key() {
        let user = UserId::parse("42").expect("an id");
        let key = ApiKeyId::parse("42-0a0a0a0a0a0a").expect("an id");
        let operator = OperatorName::local("ada").expect("a name");
        for actor in [Actor::Key(key), Actor::Invitee(user), Actor::Operator(operator), Actor::Service] {
            let stored_key = actor.key_id().map(|key| key.to_string());
            assert_eq!(Actor::parse(&actor.id(), stored_key.as_deref()), Some(actor));
        }
        for (id, key) in [("", None), ("ada", None), ("42", Some("42")), ("41", Some("42-0a0a0a0a0a0a"))] {
            assert_eq!(Actor::parse(id, key), None, "{id} {key:?}");
        }
    }

    #[test]
    fn the_owner_of_a_key_is_the_actor() {
        let key = ApiKeyId::parse("42-0a0a0a0a0a0a").expect("an id");
        assert_eq!((Actor::Key(key).id().as_str(), Actor::Key(key).key_id()), ("42", Some(key)));
    }

    #[test]
    fn an_operator_is_named_by_an_arn_or_a_local_account() {
        let longest = format!("arn:aws:iam::123456789012:user/{}/{}", "p".repeat(510), "u".repeat(64));
        for name in ["arn:aws:sts::123456789012:assumed-role/Operator/ada", "local:ada", "local:Zoë Müller", &longest]
        {
            assert_eq!(OperatorName::parse(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
        let too_long = format!("local:{}", "a".repeat(OperatorName::MAX_BYTES));
        for text in ["", "42", "ada", "local:", "local: ", "arn:", "arn:a\nb", &too_long] {
            assert_eq!(OperatorName::parse(text), None, "{text}");
        }
    }
}
