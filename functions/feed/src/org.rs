//! Organisation whose feed or webhooks a request is about.
#![expect(
    clippy::option_option,
    reason = "`none` names the users without an organisation, and a request may name nothing"
)]

use presence_api::{RawValue, read};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::ids::OrgId;
use presence_domain::user::Role;

/// Reads the id of an organisation, or `none` for users without one.
pub(crate) fn org_or_none(raw: RawValue<'_>) -> Result<Option<OrgId>, FieldError> {
    if read::text(raw).is_ok_and(|text| text.trim() == "none") {
        return Ok(None);
    }
    read::org_id(raw).map(Some)
}

/// Checks the rights of a caller who names an organisation, or none. The caller's own one is meant where it names none.
pub(crate) fn authorize_org(caller: &Principal, action: Action, named: Option<Option<OrgId>>) -> Result<(), Error> {
    authorize(caller, action, Target::in_org(named.unwrap_or(caller.org_id), caller.role))
}

/// Returns the organisation that a request is about. A PROVIDER must name it: otherwise the mistake is added to the others.
pub(crate) fn org_of(
    caller: &Principal,
    named: Option<Option<OrgId>>,
    errors: &mut FieldErrors,
) -> Option<Option<OrgId>> {
    if caller.role == Role::Provider && named.is_none() {
        errors.add("org_id", "is required");
        return None;
    }
    Some(named.unwrap_or(caller.org_id))
}
