//! Bodies of keys, and the readers of their fields.

use jiff::Timestamp;
use presence_api::{Fields, RawValue, read};
use presence_domain::error::FieldError;
use presence_domain::instant::DateInput;
use presence_domain::key_rights::{
    AllowedNetworks, AskedRights, DEFAULT_OVERLAP_SECONDS, KeyAccess, MAX_OVERLAP_SECONDS, parse_label,
};
use presence_domain::rate_limit::KeyLimit;
use presence_store::ApiKeyRecord;
use serde::Serialize;
use serde_json::Value;

use super::format_instant;

/// Keys of a user.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = KeyList))]
pub(crate) struct KeyListBody<'a> {
    pub(crate) keys: Vec<KeyBody<'a>>,
}

/// Key as the list shows it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Key))]
pub(crate) struct KeyBody<'a> {
    id: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    label: Option<&'a str>,
    access: &'static str,
    allowed_networks: Vec<String>,
    created_at: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    expires_at: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    last_used_at: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    revoked_at: Option<String>,
}

/// Key that was just issued: the only answer that has the key itself.
#[derive(Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = IssuedKey))]
pub(crate) struct IssuedKeyBody<'a> {
    id: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    key: Option<&'a str>,
    #[cfg_attr(feature = "openapi", schema(required))]
    label: Option<&'a str>,
    access: &'static str,
    allowed_networks: Vec<String>,
    created_at: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    expires_at: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    last_used_at: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    revoked_at: Option<String>,
}

impl<'a> KeyBody<'a> {
    pub(crate) fn new(record: &'a ApiKeyRecord) -> Self {
        Self {
            id: record.id().to_string(),
            label: record.label.as_deref(),
            access: record.access.as_str(),
            allowed_networks: record.networks.to_texts(),
            created_at: format_instant(record.created_at),
            expires_at: record.expires_at.map(format_instant),
            last_used_at: record.last_used_at.map(format_instant),
            revoked_at: record.revoked_at.map(format_instant),
        }
    }
}

impl<'a> IssuedKeyBody<'a> {
    /// Returns the body with the key in plain text, or without it.
    pub(super) fn new(record: &'a ApiKeyRecord, key: Option<&'a str>) -> Self {
        let KeyBody { id, label, access, allowed_networks, created_at, expires_at, last_used_at, revoked_at } =
            KeyBody::new(record);
        Self { id, key, label, access, allowed_networks, created_at, expires_at, last_used_at, revoked_at }
    }
}

/// Reads the rights that are asked for a new key.
pub(super) fn asked_rights(fields: &mut Fields<'_>) -> AskedRights {
    AskedRights {
        access: fields.optional("access", |raw| read::choice(raw, &KeyAccess::ALL, KeyAccess::as_str)),
        networks: fields.optional("allowed_networks", networks),
        expires_at: fields.optional("expires_at", instant),
        limit: KeyLimit::Default,
    }
}

/// Reads the label of a key.
pub(super) fn label(raw: RawValue<'_>) -> Result<String, FieldError> {
    parse_label(read::any_text(raw)?)
}

/// Reads the overlap of a rotation, in seconds.
pub(super) fn overlap(fields: &mut Fields<'_>) -> i64 {
    let read = |raw: RawValue<'_>| {
        let seconds = i64::try_from(read::integer(raw)?).ok();
        let seconds = seconds.filter(|seconds| (0..=MAX_OVERLAP_SECONDS).contains(seconds));
        seconds.ok_or_else(|| format!("must be an integer from 0 to {MAX_OVERLAP_SECONDS}").into())
    };
    fields.optional("overlap_seconds", read).unwrap_or(DEFAULT_OVERLAP_SECONDS)
}

fn networks(raw: RawValue<'_>) -> Result<AllowedNetworks, FieldError> {
    const NO_LIST: &str = "must be a list of strings";
    let RawValue::Json(Value::Array(values)) = raw else { return Err(NO_LIST.into()) };
    let texts: Option<Vec<_>> = values.iter().map(Value::as_str).collect();
    AllowedNetworks::parse(texts.ok_or(NO_LIST)?)
}

/// Reads an instant in whole seconds, as answers have it. A day means its start.
fn instant(raw: RawValue<'_>) -> Result<Timestamp, FieldError> {
    let second = DateInput::parse(read::text(raw)?.trim()).and_then(DateInput::second);
    let instant = second.and_then(|second| Timestamp::from_second(second).ok());
    instant.ok_or_else(|| "must be a date and time, such as 2027-03-01T12:00:00Z".into())
}
