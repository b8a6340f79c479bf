//! Author of the changes that a command makes, for the audit trail.

use anyhow::Context as _;
use presence_domain::audit::{Actor, OperatorName};

use crate::Context;
use crate::error::CommandError;

impl Context {
    /// Returns the operator who runs the command. The first call asks STS for the identity, if the tables are in AWS.
    pub(crate) async fn actor(&self) -> Result<Actor, CommandError> {
        let identity = self.target.identity().await?;
        let name = OperatorName::parse(&identity.name).context("the name of this identity has another form")?;
        Ok(Actor::Operator(name))
    }
}
