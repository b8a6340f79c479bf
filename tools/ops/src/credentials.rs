//! The credentials of operators: every kind that the AWS CLI takes, and a plain word when they cannot be had.

use std::error::Error;
use std::fmt;

use aws_config::default_provider::credentials::DefaultCredentialsChain;
use aws_config::profile::{self, ProfileFileCredentialsProvider, ProfileSet};
use aws_config::provider_config::ProviderConfig;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::future::ProvideCredentials as Providing;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sdk_dynamodb::config::Region;
use aws_types::os_shim_internal::{Env, Fs};

/// Profiles that name each other as their source: a longer row of them is a loop.
const MAX_SOURCES: usize = 10;

/// The SDK's words before the reason why a provider has nothing: nobody but its authors knows what they mean.
const NOT_ENABLED: &str = "the credential provider was not enabled: ";

/// Why there are no credentials, for the operator to read.
#[derive(Debug)]
pub(crate) struct CredentialsTrouble(String);

impl fmt::Display for CredentialsTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for CredentialsTrouble {}

/// The profile that is named, by an option or by `AWS_PROFILE`.
#[derive(Clone, Debug)]
pub(crate) struct NamedProfile {
    name: String,
    /// The profile whose SSO session it rests on: itself, or one of its sources.
    of_sso: Option<String>,
}

impl NamedProfile {
    /// Looks the profile up in the files of the AWS CLI.
    #[expect(clippy::default_trait_access, reason = "the type is of a crate that the SDK keeps to itself")]
    pub(crate) async fn find(name: &str, config_file: &str) -> Result<Self, CredentialsTrouble> {
        let profiles = profile::load(&Fs::real(), &Env::real(), &Default::default(), None).await;
        let profiles = profiles.map_err(|error| {
            CredentialsTrouble(format!("the profiles of the AWS CLI cannot be read: {}", with_causes(&error)))
        })?;
        if profiles.get_profile(name).is_none() {
            return Err(CredentialsTrouble(format!("the profile {name} is not in {config_file}")));
        }
        Ok(Self { name: name.to_owned(), of_sso: profile_of_sso(&profiles, name) })
    }
}

fn profile_of_sso(profiles: &ProfileSet, name: &str) -> Option<String> {
    let mut name = name;
    for _ in 0..MAX_SOURCES {
        let profile = profiles.get_profile(name)?;
        if profile.get("sso_session").or(profile.get("sso_start_url")).is_some() {
            return Some(name.to_owned());
        }
        name = profile.get("source_profile")?;
    }
    None
}

/// Credentials that are looked for where the AWS CLI looks, and that say plainly why they are missing.
#[derive(Debug)]
pub(crate) struct OperatorCredentials {
    inner: SharedCredentialsProvider,
    profile: Option<NamedProfile>,
}

impl OperatorCredentials {
    /// Those of the named profile and no others; else the usual chain: environment, default profile, web identity, the role of
    /// a container or machine. Makes no call.
    pub(crate) async fn new(profile: Option<NamedProfile>, region: Option<Region>) -> Self {
        let inner = if let Some(NamedProfile { name, .. }) = &profile {
            let config = ProviderConfig::without_region().with_region(region);
            let provider = ProfileFileCredentialsProvider::builder().configure(&config).profile_name(name);
            SharedCredentialsProvider::new(provider.build())
        } else {
            let chain = DefaultCredentialsChain::builder();
            SharedCredentialsProvider::new(match region {
                Some(region) => chain.region(region).build().await,
                None => chain.build().await,
            })
        };
        Self { inner, profile }
    }

    fn explain(&self, error: &CredentialsError) -> String {
        let text = with_causes(error);
        let text = text.strip_prefix(NOT_ENABLED).unwrap_or(&text);
        let not_loaded = matches!(error, CredentialsError::CredentialsNotLoaded(_));
        match &self.profile {
            Some(NamedProfile { of_sso: Some(of_sso), .. }) if is_of_expired_sso(text) => {
                format!("the SSO session of profile {of_sso} has expired: aws sso login --profile {of_sso}")
            }
            Some(NamedProfile { of_sso: Some(of_sso), .. }) if is_of_missing_sso(text) => {
                format!("profile {of_sso} has no SSO session: aws sso login --profile {of_sso}")
            }
            Some(NamedProfile { name, .. }) if not_loaded => format!("the profile {name} has no credentials ({text})"),
            Some(NamedProfile { name, .. }) => format!("the credentials of profile {name} cannot be had: {text}"),
            None if is_of_expired_sso(text) => "the SSO session has expired: aws sso login".to_owned(),
            None if is_of_missing_sso(text) => "there is no SSO session: aws sso login".to_owned(),
            None if not_loaded => {
                "there are no credentials: none in the environment, no default profile in ~/.aws, and no \
                                   role of this machine; name a profile with --profile or AWS_PROFILE"
                    .to_owned()
            }
            None => format!("the credentials cannot be had: {text}"),
        }
    }
}

impl ProvideCredentials for OperatorCredentials {
    fn provide_credentials<'a>(&'a self) -> Providing<'a>
    where
        Self: 'a,
    {
        Providing::new(async move {
            let provided = self.inner.provide_credentials().await;
            provided.map_err(|error| CredentialsError::provider_error(CredentialsTrouble(self.explain(&error))))
        })
    }
}

/// True if the text of an error is about a token that was valid once. The SDK has no type for it.
fn is_of_expired_sso(text: &str) -> bool {
    text.contains("SSO token has expired") || text.contains("UnauthorizedException")
}

/// True if the text of an error is about the file that `aws sso login` writes.
fn is_of_missing_sso(text: &str) -> bool {
    text.contains("cached SSO token") || text.contains("/sso/cache/")
}

/// An error with its causes in one line, each once.
fn with_causes(error: &dyn Error) -> String {
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
