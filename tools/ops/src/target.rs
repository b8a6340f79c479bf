//! Tables that a command works on, and the identity of its caller.

use std::time::Duration;

use anyhow::Context as _;
use aws_types::SdkConfig;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use url::Url;

use crate::error::CommandError;

/// Longest time that an emergency waits for STS.
const STS_PATIENCE: Duration = Duration::from_secs(5);
/// Text after the name of an account on this machine that stands for an AWS identity.
const UNCONFIRMED: &str = " (STS did not answer)";

/// Account, region, endpoint and prefix of the tables that a command works on.
#[derive(Debug)]
pub(crate) struct Target {
    /// Prefix of the names of the tables.
    pub(crate) prefix: String,
    /// Full name of the table of reviews; none if it begins with the prefix.
    pub(crate) reviews_table: Option<String>,
    /// Endpoint of DynamoDB, without user and password; none for that of the region.
    pub(crate) endpoint: Option<String>,
    /// Region of the tables; none for an endpoint outside AWS.
    pub(crate) region: Option<String>,
    /// Settings of the calls to STS; none if the tables are outside AWS, which know no accounts.
    sts: Option<SdkConfig>,
    identity: OnceCell<Identity>,
}

/// Caller of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// AWS account of 12 digits; none outside AWS.
    pub(crate) account: Option<String>,
    /// ARN of the AWS identity, or `local:` and the name of the account on this machine.
    pub(crate) name: String,
}

impl Target {
    /// Returns the target for tables outside AWS.
    pub(crate) fn outside_aws(prefix: &str, endpoint: Option<&str>) -> Self {
        Self {
            prefix: prefix.to_owned(),
            reviews_table: None,
            endpoint: endpoint.map(without_user),
            region: None,
            sts: None,
            identity: OnceCell::new(),
        }
    }

    /// Returns the target for tables in AWS.
    pub(crate) fn in_aws(prefix: &str, endpoint: Option<&str>, config: &SdkConfig) -> Self {
        let region = config.region().map(ToString::to_string);
        // An endpoint of DynamoDB is none of STS. AWS_ENDPOINT_URL_STS still counts.
        let mut sts = config.clone().into_builder();
        sts.set_endpoint_url(None);
        Self { region, sts: Some(sts.build()), ..Self::outside_aws(prefix, endpoint) }
    }

    /// Returns the target with this table of reviews; `None` leaves the one that begins with the prefix.
    pub(crate) fn with_reviews_table(self, full_name: Option<String>) -> Self {
        Self { reviews_table: full_name, ..self }
    }

    /// True if the tables are in AWS.
    pub(crate) fn is_in_aws(&self) -> bool {
        self.sts.is_some()
    }

    /// Returns the identity of the caller. The first call asks STS, if the tables are in AWS.
    pub(crate) async fn identity(&self) -> Result<&Identity, CommandError> {
        let identity = self.identity.get_or_try_init(|| async {
            match &self.sts {
                Some(config) => get_caller_identity(config).await,
                None => local_identity(),
            }
        });
        Ok(identity.await?)
    }

    /// Returns the identity of the caller. If STS refuses or does not answer, it is the account on this machine, whose name says so, for
    /// the rest of the command; then also returns a warning.
    ///
    /// For commands that must not wait for STS: the credentials still decide what DynamoDB lets them do.
    pub(crate) async fn identity_in_an_emergency(&self) -> Result<Option<String>, CommandError> {
        let reason = match timeout(STS_PATIENCE, self.identity()).await {
            Ok(Ok(_)) => return Ok(None),
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("STS did not answer within {} s", STS_PATIENCE.as_secs()),
        };
        let Identity { account, name } = local_identity()?;
        let name = format!("{name}{UNCONFIRMED}");
        let warning = format!("warning: {reason}; the audit trail names you {name}");
        // Another call may have set it meanwhile. That one counts.
        let _ = self.identity.set(Identity { account, name });
        Ok(Some(warning))
    }

    /// Returns one line that names the account, region or endpoint, and the tables.
    pub(crate) async fn describe(&self) -> Result<String, CommandError> {
        let tables = self.describe_tables(&self.prefix).await?;
        Ok(match &self.reviews_table {
            Some(reviews) => format!("{tables}, reviews in {reviews}"),
            None => tables,
        })
    }

    /// Returns the same line for tables with another prefix, that of the reviews included.
    pub(crate) async fn describe_tables(&self, prefix: &str) -> Result<String, CommandError> {
        let tables = format!("tables {prefix}*");
        let endpoint = self.endpoint.as_ref().map(|endpoint| format!("endpoint {endpoint}"));
        if !self.is_in_aws() {
            return Ok(endpoint.into_iter().chain([tables]).collect::<Vec<_>>().join(", "));
        }
        let account = self.identity().await?.account.as_deref().unwrap_or("unknown");
        let region = self.region.as_deref().unwrap_or("unknown");
        let place = [format!("account {account}"), format!("region {region}")];
        Ok(place.into_iter().chain(endpoint).chain([tables]).collect::<Vec<_>>().join(", "))
    }
}

async fn get_caller_identity(config: &SdkConfig) -> anyhow::Result<Identity> {
    let answer = aws_sdk_sts::Client::new(config).get_caller_identity().send().await;
    let answer = answer.context("STS does not tell whose credentials these are")?;
    let name = answer.arn.context("STS names no identity")?;
    Ok(Identity { account: answer.account, name })
}

fn local_identity() -> anyhow::Result<Identity> {
    let account = whoami::username().context("the account on this machine has no name")?;
    Ok(Identity { account: None, name: format!("local:{account}") })
}

/// Returns a URL without user and password, which are no part of an address.
fn without_user(endpoint: &str) -> String {
    let Ok(mut url) = Url::parse(endpoint) else { return endpoint.to_owned() };
    if url.username().is_empty() && url.password().is_none() {
        return endpoint.trim_end_matches('/').to_owned();
    }
    // Both fail only for URLs that cannot have them.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.as_str().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_is_shown_without_user_and_password() {
        assert_eq!(without_user("http://ada:secret@db.example.org:8000/"), "http://db.example.org:8000");
        assert_eq!(without_user("http://127.0.0.1:8000"), "http://127.0.0.1:8000");
    }
}
