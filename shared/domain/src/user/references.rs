//! References of a request to an organisation and to businesses.

use std::collections::HashMap;

use super::Role;
use crate::error::{FieldError, FieldErrors};
use crate::ids::{BusinessId, OrgId};

/// Stored facts on the organisation and the businesses that a request names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// True if the organisation exists, or if none had to be looked up.
    pub org_exists: bool,
    /// Organisation of each of the businesses that exists.
    pub owners: HashMap<BusinessId, OrgId>,
}

impl References {
    /// Adds the errors of the organisation of a user: it is required but for a PROVIDER, and a new one must exist.
    pub fn check_org(&self, role: Role, org_id: Option<OrgId>, is_new: bool, errors: &mut FieldErrors) {
        if org_id.is_none() && role != Role::Provider {
            errors.add("org_id", "is required");
        }
        if is_new && !self.org_exists {
            errors.add("org_id", "is unknown");
        }
    }

    /// Returns the ids as such, if each is a business of the organisation; else the error names the others.
    pub fn parse_businesses(&self, texts: &[String], org_id: Option<OrgId>) -> Result<Vec<BusinessId>, FieldError> {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for text in texts {
            match BusinessId::parse(text).filter(|id| org_id.is_some() && self.owners.get(id).copied() == org_id) {
                Some(id) => known.push(id),
                None => unknown.push(text.as_str()),
            }
        }
        if unknown.is_empty() { Ok(known) } else { Err(format!("unknown businesses: {}", unknown.join(", ")).into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{business, org};
    use super::*;

    fn texts(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn businesses_must_be_of_the_organisation() {
        let owners = HashMap::from([(business("a"), org(1)), (business("b"), org(2))]);
        let references = References { org_exists: true, owners };
        assert_eq!(references.parse_businesses(&texts(&["a"]), Some(org(1))), Ok(vec![business("a")]));
        assert_eq!(references.parse_businesses(&[], None), Ok(Vec::new()));
        for (ids, org_id, error) in [
            (&["a", "b", "c d"][..], Some(org(1)), "unknown businesses: b, c d"),
            (&["a"][..], None, "unknown businesses: a"),
        ] {
            assert_eq!(references.parse_businesses(&texts(ids), org_id), Err(error.to_owned().into()), "{ids:?}");
        }
    }

    #[test]
    fn an_organisation_is_required_and_must_exist() {
        let none = References::default();
        let known = References { org_exists: true, ..References::default() };
        for (references, role, org_id, is_new, expected) in [
            (&known, Role::OrgAdmin, Some(org(1)), true, None),
            (&known, Role::Provider, None, true, None),
            (&known, Role::BusinessManager, None, true, Some("is required")),
            (&none, Role::OrgAdmin, Some(org(1)), true, Some("is unknown")),
            (&none, Role::OrgAdmin, Some(org(1)), false, None),
        ] {
            let mut errors = FieldErrors::default();
            references.check_org(role, org_id, is_new, &mut errors);
            let expected = expected.map(|text| FieldErrors::one("org_id", text)).unwrap_or_default();
            assert_eq!(errors, expected, "{role:?} {org_id:?}");
        }
    }
}
