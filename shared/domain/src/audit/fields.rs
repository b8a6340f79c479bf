//! Names of the fields of a user that a change touched.

use crate::user::User;

crate::listed_enum! {
    /// Field of a user, as the API names it. It has no value, so that no record of the audit trail can have one.
    pub enum UserField {
        /// Address.
        Email => "email",
        /// First name.
        FirstName => "first_name",
        /// Last name.
        LastName => "last_name",
        /// Phone number.
        Phone => "phone",
        /// Language of mails and pages.
        Lang => "lang",
        /// Password.
        Password => "password",
        /// Role.
        Role => "role",
        /// Status of the account.
        Status => "status",
        /// Organisation.
        OrgId => "org_id",
        /// Businesses with WRITE permission.
        BusinessIds => "business_ids",
    }
}

impl UserField {
    /// Returns the fields in which two users differ.
    pub fn changed(before: &User, after: &User) -> Vec<Self> {
        Self::ALL.into_iter().filter(|field| field.differs(before, after)).collect()
    }

    /// Returns the fields that a new user was given.
    pub fn given(user: &User) -> Vec<Self> {
        Self::ALL.into_iter().filter(|field| field.is_set(user)).collect()
    }

    fn differs(self, before: &User, after: &User) -> bool {
        match self {
            Self::Email => before.email != after.email,
            Self::FirstName => before.first_name != after.first_name,
            Self::LastName => before.last_name != after.last_name,
            Self::Phone => before.phone != after.phone,
            Self::Lang => before.lang != after.lang,
            Self::Password => before.password != after.password,
            Self::Role => before.role != after.role,
            Self::Status => before.status != after.status,
            Self::OrgId => before.org_id != after.org_id,
            Self::BusinessIds => before.business_ids != after.business_ids,
        }
    }

    fn is_set(self, user: &User) -> bool {
        match self {
            Self::Email | Self::FirstName | Self::LastName | Self::Role | Self::Status => true,
            Self::Phone => user.phone.is_some(),
            Self::Lang => user.lang.is_some(),
            Self::Password => user.password.is_some(),
            Self::OrgId => user.org_id.is_some(),
            Self::BusinessIds => !user.business_ids.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::fixture::{at, business, email, hash, org, user};
    use crate::user::{Lang, PersonName, Phone, Role, Status};

    #[test]
    fn each_field_is_told_from_the_others() {
        let before = user(Status::Active);
        let name = |text| PersonName::parse(text).expect("a name");
        let same = || before.clone();
        for (after, field) in [
            (User { email: email("ANN@example.org"), ..same() }, "email"),
            (User { first_name: name("Zoe"), ..same() }, "first_name"),
            (User { last_name: name("Lea"), ..same() }, "last_name"),
            (User { phone: Phone::parse("1").expect("a number"), ..same() }, "phone"),
            (User { lang: Some(Lang::Fr), ..same() }, "lang"),
            (User { password: Some(hash("b")), ..same() }, "password"),
            (User { password: None, ..same() }, "password"),
            (User { role: Role::OrgAdmin, ..same() }, "role"),
            (User { status: Status::Invited, ..same() }, "status"),
            (User { org_id: Some(org(2)), ..same() }, "org_id"),
            (User { business_ids: vec![business("a")], ..same() }, "business_ids"),
        ] {
            assert_eq!(UserField::changed(&before, &after), [UserField::parse(field).expect("a field")], "{field}");
        }
        // The rest of a user is the service's own bookkeeping.
        let bookkeeping = User { version: 9, invited_at: Some(at(1)), quiet_until: Some(at(2)), ..same() };
        assert_eq!(UserField::changed(&before, &bookkeeping), []);
    }

    #[test]
    fn a_new_user_has_been_given_the_fields_that_it_has() {
        let names = |user: &User| UserField::given(user).into_iter().map(UserField::as_str).collect::<Vec<_>>();
        let invited = User { org_id: None, ..user(Status::Invited) };
        assert_eq!(names(&invited), ["email", "first_name", "last_name", "role", "status"]);
        let full = User {
            phone: Phone::parse("1").expect("a number"),
            lang: Some(Lang::Fr),
            business_ids: vec![business("a")],
            ..user(Status::Active)
        };
        assert_eq!(names(&full), UserField::ALL.map(UserField::as_str));
    }
}
