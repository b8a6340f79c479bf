//! Kinds of import files: names, fields and an example row of each.

presence_domain::listed_enum! {
    /// Kind of rows in an import file.
    pub(super) enum ImportKind {
        Orgs,
        Businesses,
        Categories,
        Reviews,
    }
}

impl ImportKind {
    /// Returns the name of the rows, which is also that of the command.
    pub(super) const fn plural(self) -> &'static str {
        match self {
            Self::Orgs => "orgs",
            Self::Businesses => "businesses",
            Self::Categories => "categories",
            Self::Reviews => "reviews",
        }
    }

    /// Returns the command that usually follows an import.
    pub(super) const fn next(self) -> &'static str {
        match self {
            Self::Orgs => "ops import businesses FILE",
            Self::Businesses => "ops import reviews FILE",
            Self::Categories => "ops status",
            Self::Reviews => "ops reviews audit",
        }
    }

    /// Returns a complete row.
    pub(super) const fn example(self) -> &'static str {
        match self {
            Self::Orgs => r#"{"id": 42, "name": "Fast Retailer"}"#,
            Self::Businesses => {
                r#"{"id": "5409c35a97bbc544d8e26737", "org_id": 42, "name": "Corner shop", "city": "Saint-Étienne"}"#
            }
            Self::Categories => {
                r#"{"id": "c98c57c34311d078171539c5", "code": "shop_bakery", "names": {"GB": "Bakery", "FR": "Boulangerie"}}"#
            }
            Self::Reviews => {
                r#"{"business_id": "5409c35a97bbc544d8e26737", "partner": "partner_8", "partner_id": "Ab12", "date": "2024-03-01", "rating": 5, "state": "not_treated"}"#
            }
        }
    }

    /// Returns the fields that every row has.
    pub(super) const fn required_fields(self) -> &'static [&'static str] {
        match self {
            Self::Orgs => &["id", "name"],
            Self::Businesses => &["id", "org_id", "name", "city"],
            Self::Categories => &["id", "code", "names"],
            Self::Reviews => &["business_id", "partner", "partner_id", "date", "rating", "state"],
        }
    }

    /// Returns the fields that a row may have in addition.
    const fn optional_fields(self) -> &'static [&'static str] {
        match self {
            Self::Orgs | Self::Businesses => &[],
            Self::Categories => &["ancestors", "partners"],
            Self::Reviews => &[
                "key",
                "author_name",
                "update_date",
                "delete_date",
                "title",
                "content",
                "reply_comment",
                "link",
                "seen_at",
                "stamp",
                "acts",
            ],
        }
    }

    /// True if an object with these fields may be a row of this kind.
    pub(super) fn fits(self, fields: &[&str]) -> bool {
        self.required_fields().iter().all(|field| fields.contains(field))
            && fields.iter().all(|field| self.has_field(field))
    }

    /// True if a row of this kind may have the field.
    pub(super) fn has_field(self, field: &str) -> bool {
        self.required_fields().contains(&field) || self.optional_fields().contains(&field)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;

    #[test]
    fn example_of_a_kind_fits_this_kind_only() {
        for kind in ImportKind::ALL {
            let row: Map<String, Value> = serde_json::from_str(kind.example()).expect("an object");
            let fields: Vec<_> = row.keys().map(String::as_str).collect();
            let fitting: Vec<_> = ImportKind::ALL.into_iter().filter(|other| other.fits(&fields)).collect();
            assert_eq!(fitting, [kind]);
        }
    }
}
