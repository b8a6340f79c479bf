//! Stores, clock and console that every command gets.

use std::sync::Arc;

use aws_types::SdkConfig;
use presence_runtime::clock::Clock;
use presence_store::Stores;

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
    #[must_use]
    pub fn new(stores: Stores, clock: Arc<dyn Clock>, console: Console) -> Self {
        let target = Target::outside_aws(stores.database.prefix(), None);
        Self { stores, clock, console, target, s3: None, aws: None }
    }

    /// Returns the context with a program for `CloudFormation`.
    #[must_use]
    pub fn with_aws_program(self, aws: AwsProgram) -> Self {
        Self { aws: Some(aws), ..self }
    }
}
