//! User in a list.

use presence_domain::ids::OrgId;
use presence_domain::user_directory::ListedUser;
use presence_store::FoundUser;
use serde::Serialize;

use crate::table::{Column, column};

pub(super) const COLUMNS: [Column; 6] = [
    column("ID", "id"),
    column("ORG", "org_id"),
    column("STATUS", "status"),
    column("ROLE", "role"),
    column("EMAIL", "email"),
    column("NAME", "first_name last_name"),
];

/// User in a list, in the form of its JSON.
#[derive(Serialize)]
pub(super) struct UserRow<'a> {
    id: String,
    email: &'a str,
    org_id: Option<u64>,
    status: &'static str,
    role: &'static str,
    first_name: &'a str,
    last_name: &'a str,
}

impl<'a> UserRow<'a> {
    pub(super) fn listed(user: &'a ListedUser, org_id: Option<OrgId>) -> Self {
        Self {
            id: user.id.to_string(),
            email: &user.email,
            org_id: org_id.map(OrgId::get),
            status: user.status.as_str(),
            role: user.role.as_str(),
            first_name: &user.first_name,
            last_name: &user.last_name,
        }
    }

    pub(super) fn found(found: &'a FoundUser) -> Self {
        Self {
            id: found.id.to_string(),
            email: &found.email,
            org_id: found.org_id.map(OrgId::get),
            status: found.status.as_str(),
            role: found.role.as_str(),
            first_name: &found.first_name,
            last_name: &found.last_name,
        }
    }
}
