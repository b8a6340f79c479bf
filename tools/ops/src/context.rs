//! Stores, clock and console that every command gets.

use std::sync::Arc;

use anyhow::Context as _;
use aws_types::SdkConfig;
use presence_domain::access::Scope;
use presence_domain::audit::{Actor, OperatorName};
use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_runtime::clock::Clock;
use presence_store::Stores;

use crate::error::CommandError;
use crate::target::Target;
use crate::{AwsProgram, Console};

/// Stores, clock and console of a command.
pub struct Context {
    /// Store that the command reads and writes.
    pub stores: Stores,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Output of the command.
    pub console: Console,
    pub(crate) target: Target,
    /// Settings of the calls to S3; none for a context without an environment.
    pub(crate) s3: Option<SdkConfig>,
    /// Program for `CloudFormation`; none for tables outside AWS, where there are no stacks.
    pub(crate) aws: Option<AwsProgram>,
}

impl Context {
    /// Returns a context for tables outside AWS.
    pub fn new(stores: Stores, clock: Arc<dyn Clock>, console: Console) -> Self {
        let target = Target::outside_aws(stores.database.prefix(), None);
        Self { stores, clock, console, target, s3: None, aws: None }
    }

    /// Returns the id of the user with this id or address. That an id has a user is not looked at.
    pub(crate) async fn find_user(&self, text: &str) -> Result<UserId, CommandError> {
        if let Some(id) = UserId::parse(text) {
            return Ok(id);
        }
        let not_found = || CommandError::user_not_found(text);
        let address = EmailAddress::parse(text).map_err(|_| not_found())?;
        self.stores.users.get_id_by_email(address.key()).await?.ok_or_else(not_found)
    }

    /// Returns the operator who runs the command. The first call asks STS for the identity, if the tables are in AWS.
    pub(crate) async fn actor(&self) -> Result<Actor, CommandError> {
        let identity = self.target.identity().await?;
        let name = OperatorName::parse(&identity.name).context("the name of this identity has another form")?;
        Ok(Actor::Operator(name))
    }

    /// Returns the context with a program for `CloudFormation`.
    #[must_use]
    pub fn with_aws_program(self, aws: AwsProgram) -> Self {
        Self { aws: Some(aws), ..self }
    }
}

/// Returns the scope of all organisations.
#[expect(clippy::disallowed_methods, reason = "an operator has the credentials of the tables")]
pub(crate) fn operator_scope() -> Scope {
    Scope::for_operator()
}
