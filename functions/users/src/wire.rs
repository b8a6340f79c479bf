//! Bodies of requests and answers, and their conversion from and to the domain. The functions that read a field return the error
//! that the client reads.

use std::collections::HashSet;

use presence_api::{AuthenticatedRequest, Fields, RawValue, read};
use presence_domain::email::EmailAddress;
use presence_domain::error::{Error, FieldError};
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::password::Password;
use presence_domain::user::{Lang, PersonName, Phone, Role, Status, User};
use presence_domain::user_directory::ListedUser;
use presence_store::BusinessIds;
use serde::Serialize;

/// Largest number of businesses of one user.
pub(crate) const MAX_BUSINESSES: usize = 2_000;

/// User as get and me return it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = User))]
pub(crate) struct UserBody<'a> {
    id: String,
    status: &'static str,
    first_name: &'a str,
    last_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    business_ids: Option<Vec<&'a str>>,
    #[cfg_attr(feature = "openapi", schema(required))]
    org_id: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    phone: Option<&'a str>,
    role: &'static str,
    email: &'a str,
}

impl<'a> UserBody<'a> {
    pub(crate) fn new(user: &'a User, with_business_ids: bool) -> Self {
        Self {
            id: user.id.to_string(),
            status: user.status.as_str(),
            first_name: user.first_name.as_str(),
            last_name: user.last_name.as_str(),
            business_ids: with_business_ids.then(|| user.business_ids.iter().map(BusinessId::as_str).collect()),
            org_id: user.org_id.map(OrgId::get),
            phone: user.phone.as_ref().map(Phone::as_str),
            role: user.role.as_str(),
            email: user.email.as_str(),
        }
    }
}

/// User as search returns it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = FoundUser))]
pub(crate) struct FoundUserBody {
    id: String,
    status: &'static str,
    first_name: String,
    last_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    business_ids: Option<Vec<String>>,
    #[cfg_attr(feature = "openapi", schema(required))]
    phone: Option<String>,
    email: String,
}

impl FoundUserBody {
    /// Converts a user. `business_ids` has those of every user of the page; `None` leaves them out.
    pub(crate) fn new(user: ListedUser, business_ids: Option<&mut BusinessIds>) -> Self {
        Self {
            id: user.id.to_string(),
            status: user.status.as_str(),
            first_name: user.first_name,
            last_name: user.last_name,
            business_ids: business_ids.map(|of| of.remove(&user.id).unwrap_or_default()),
            phone: user.phone,
            email: user.email,
        }
    }
}

/// Page of a search.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = UserPage))]
pub(crate) struct PageEnvelope {
    pub(crate) page: u64,
    pub(crate) max_page: u64,
    pub(crate) count: u64,
    pub(crate) users: Vec<FoundUserBody>,
}

/// Numbers of users by status.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = UserStats))]
pub(crate) struct StatsBody {
    pub(crate) count: i64,
    pub(crate) invited_count: i64,
    pub(crate) activate_count: i64,
}

/// Response to create, update, delete and invite, and to the revocation of a key. Invite leaves the id out.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Success))]
pub(crate) struct SuccessBody {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    id: Option<String>,
}

impl SuccessBody {
    pub(crate) fn of(id: impl std::fmt::Display) -> Self {
        Self { status: "success", id: Some(id.to_string()) }
    }

    pub(crate) fn without_id() -> Self {
        Self { status: "success", id: None }
    }
}

/// Returns the id in the path. Text that is no id is not found, like an id that nobody has.
pub(crate) fn user_id(request: &AuthenticatedRequest) -> Result<UserId, Error> {
    UserId::parse(request.path("user_id")).ok_or(Error::NotFound)
}

/// True if the answer has business ids: unless the caller declines them.
pub(crate) fn display_business_ids(fields: &mut Fields<'_>) -> bool {
    fields.optional_strict("display_business_ids", read::boolean).unwrap_or(true)
}

pub(crate) fn status(raw: RawValue<'_>) -> Result<Status, FieldError> {
    read::choice(raw, &Status::ALL, Status::as_str)
}

pub(crate) fn role(raw: RawValue<'_>) -> Result<Role, FieldError> {
    read::choice(raw, &Role::ALL, Role::as_str)
}

pub(crate) fn email(raw: RawValue<'_>) -> Result<EmailAddress, FieldError> {
    EmailAddress::parse(read::text(raw)?).map_err(FieldError::from)
}

/// Reads an address that a user is to get: mail can be sent to it.
pub(crate) fn new_email(raw: RawValue<'_>) -> Result<EmailAddress, FieldError> {
    let address = email(raw)?;
    address.check_deliverable()?;
    Ok(address)
}

pub(crate) fn name(raw: RawValue<'_>) -> Result<PersonName, FieldError> {
    PersonName::parse(read::text(raw)?).map_err(FieldError::from)
}

pub(crate) fn phone(raw: RawValue<'_>) -> Result<Option<Phone>, FieldError> {
    Phone::parse(read::text(raw)?).map_err(FieldError::from)
}

pub(crate) fn password(raw: RawValue<'_>) -> Result<Password, FieldError> {
    Password::parse(read::text(raw)?).map_err(FieldError::from)
}

pub(crate) fn lang(raw: RawValue<'_>) -> Result<Option<Lang>, FieldError> {
    let lang = Lang::from_tag(read::text(raw)?.trim());
    lang.map(Some).ok_or_else(|| FieldError::choice(Lang::ALL.map(Lang::as_str)))
}

/// Reads business ids as given, in order, without duplicates. They may name businesses that do not exist.
pub(crate) fn business_ids(raw: RawValue<'_>) -> Result<Vec<String>, FieldError> {
    let RawValue::Json(serde_json::Value::Array(values)) = raw else {
        return Err("must be a list of strings".into());
    };
    let mut seen = HashSet::new();
    let mut ids = Vec::new();
    for value in values {
        let text =
            read::text(RawValue::Json(value)).map_err(|_| "must be a list of strings without control characters")?;
        if seen.insert(text) {
            ids.push(text.to_owned());
        }
    }
    if ids.len() > MAX_BUSINESSES { Err(format!("must have at most {MAX_BUSINESSES} ids").into()) } else { Ok(ids) }
}
