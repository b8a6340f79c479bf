//! Credentials of operators: every kind that the AWS CLI accepts, and clear errors if there are none.

use std::error::Error;
use std::fmt;

use aws_config::default_provider::credentials::DefaultCredentialsChain;
use aws_config::profile::{self, ProfileFileCredentialsProvider, ProfileSet};
use aws_config::provider_config::ProviderConfig;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::future::ProvideCredentials as ProvideCredentialsFuture;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sdk_dynamodb::config::Region;
use aws_types::os_shim_internal::{Env, Fs};
use presence_runtime::aws::https_client;

/// Longest chain of profiles that name each other as their source. A longer chain is a loop.
const MAX_SOURCE_PROFILES: usize = 10;

/// Prefix of the SDK's error texts that means nothing to an operator. It is cut off.
const NOT_ENABLED: &str = "the credential provider was not enabled: ";

/// Ways out for an operator who named no profile.
const NAME_A_PROFILE: &str = "name a profile with --profile or AWS_PROFILE, or the stack of `cargo run` with --local";

/// Reason why there are no credentials, as a text for the operator.
#[derive(Debug)]
pub(crate) struct OperatorCredentialsError(String);

impl fmt::Display for OperatorCredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for OperatorCredentialsError {}

/// Profile that an option or `AWS_PROFILE` names.
#[derive(Clone, Debug)]
pub(crate) struct NamedProfile {
    name: String,
    /// Profile whose SSO session supplies the credentials: this profile or one of its sources.
    sso_profile: Option<String>,
}

impl NamedProfile {
    /// Looks the profile up in the files of the AWS CLI.
    #[expect(clippy::default_trait_access, reason = "the type is of a crate that the SDK keeps to itself")]
    pub(crate) async fn find(name: &str, config_file: &str) -> Result<Self, OperatorCredentialsError> {
        let profiles = profile::load(&Fs::real(), &Env::real(), &Default::default(), None).await;
        let profiles = profiles.map_err(|error| {
            OperatorCredentialsError(format!(
                "the profiles of the AWS CLI cannot be read: {}",
                format_with_causes(&error)
            ))
        })?;
        if profiles.get_profile(name).is_none() {
            return Err(OperatorCredentialsError(format!("the profile {name} is not in {config_file}")));
        }
        Ok(Self { name: name.to_owned(), sso_profile: find_sso_profile(&profiles, name) })
    }

    fn explain(&self, text: &str, is_not_loaded: bool) -> String {
        let Self { name, sso_profile } = self;
        match sso_profile {
            Some(sso) if is_expired_sso(text) => {
                format!("the SSO session of profile {sso} has expired: aws sso login --profile {sso}")
            }
            Some(sso) if is_missing_sso(text) => {
                format!("profile {sso} has no SSO session: aws sso login --profile {sso}")
            }
            _ if is_not_loaded => format!("the profile {name} has no credentials ({text})"),
            _ => format!("the credentials of profile {name} cannot be had: {text}"),
        }
    }
}

/// Follows `source_profile` to the first profile that has an SSO session.
fn find_sso_profile(profiles: &ProfileSet, name: &str) -> Option<String> {
    let mut name = name;
    for _ in 0..MAX_SOURCE_PROFILES {
        let profile = profiles.get_profile(name)?;
        if profile.get("sso_session").or(profile.get("sso_start_url")).is_some() {
            return Some(name.to_owned());
        }
        name = profile.get("source_profile")?;
    }
    None
}

/// Provider of credentials from the same sources as the AWS CLI. Its errors tell the operator how to sign in.
#[derive(Debug)]
pub(crate) struct OperatorCredentials {
    inner: SharedCredentialsProvider,
    profile: Option<NamedProfile>,
}

impl OperatorCredentials {
    /// Returns the provider of the named profile. Without a profile, returns the SDK's default chain: environment, default
    /// profile, web identity, role of a container or machine. Makes no call.
    pub(crate) async fn new(profile: Option<NamedProfile>, region: Option<Region>) -> Self {
        let config = ProviderConfig::without_region().with_region(region).with_http_client(https_client());
        let inner = if let Some(NamedProfile { name, .. }) = &profile {
            let provider = ProfileFileCredentialsProvider::builder().configure(&config).profile_name(name);
            SharedCredentialsProvider::new(provider.build())
        } else {
            SharedCredentialsProvider::new(DefaultCredentialsChain::builder().configure(config).build().await)
        };
        Self { inner, profile }
    }

    /// Returns the text of an error for the operator, with the command that helps.
    fn explain(&self, error: &CredentialsError) -> String {
        let causes = format_with_causes(error);
        let text = causes.strip_prefix(NOT_ENABLED).unwrap_or(&causes);
        let is_not_loaded = matches!(error, CredentialsError::CredentialsNotLoaded(_));
        match &self.profile {
            Some(profile) => profile.explain(text, is_not_loaded),
            None if is_expired_sso(text) => "the SSO session has expired: aws sso login".to_owned(),
            None if is_missing_sso(text) => "there is no SSO session: aws sso login".to_owned(),
            None if is_not_loaded => format!(
                "there are no credentials: none in the environment, no default profile in ~/.aws, and no role of this machine; \
                 {NAME_A_PROFILE}"
            ),
            None => format!("the credentials cannot be had; {NAME_A_PROFILE} ({text})"),
        }
    }
}

impl ProvideCredentials for OperatorCredentials {
    fn provide_credentials<'a>(&'a self) -> ProvideCredentialsFuture<'a>
    where
        Self: 'a,
    {
        ProvideCredentialsFuture::new(async move {
            let provided = self.inner.provide_credentials().await;
            provided.map_err(|error| CredentialsError::provider_error(OperatorCredentialsError(self.explain(&error))))
        })
    }
}

/// True if the text of an error is about an SSO token that has expired. The SDK has no type for it.
fn is_expired_sso(text: &str) -> bool {
    text.contains("SSO token has expired") || text.contains("UnauthorizedException")
}

/// True if the text of an error is about the missing file that `aws sso login` writes.
fn is_missing_sso(text: &str) -> bool {
    text.contains("cached SSO token") || text.contains("/sso/cache/")
}

/// Formats an error and its causes in one line. A cause that an earlier text quotes is left out.
fn format_with_causes(error: &dyn Error) -> String {
    let mut texts = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !texts.iter().any(|seen| seen.contains(&text)) {
            texts.push(text);
        }
        cause = error.source();
    }
    texts.join(": ")
}
