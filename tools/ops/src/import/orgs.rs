//! Rows of organisations.

use presence_domain::error::Error;
use presence_store::Org;
use serde::Deserialize;
use serde_json::Number;

use super::context::ImportContext;
use super::kind::ImportKind;
use super::row::{self, Row, RowOutcome};

/// Row of an organisation.
#[derive(Debug)]
pub(super) struct OrgRow(Org);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawOrg {
    id: Number,
    name: String,
}

impl Row for OrgRow {
    type Raw = RawOrg;
    const KIND: ImportKind = ImportKind::Orgs;

    fn from_raw(raw: RawOrg) -> Result<Self, String> {
        Ok(Self(Org { id: row::parse_org_id("id", &raw.id)?, name: row::parse_name("name", &raw.name)? }))
    }

    fn key(&self) -> String {
        self.0.id.to_string()
    }

    async fn write(self, context: &ImportContext) -> Result<RowOutcome, Error> {
        let Self(org) = self;
        let stores = &context.stores;
        let outcome = if context.dry_run {
            stores.businesses.compare_org(&org).await?
        } else {
            stores.businesses.put_org(&org).await?
        };
        Ok(RowOutcome::Accepted(outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(line: &str) -> String {
        row::parse::<OrgRow>(line).expect_err("the row is wrong")
    }

    #[test]
    fn name_is_trimmed() {
        let OrgRow(org) = row::parse(r#" {"name": "  Fast Retailer ", "id": 42} "#).expect("the row is right");
        assert_eq!((org.id.get(), org.name.as_str()), (42, "Fast Retailer"));
    }

    #[test]
    fn reason_names_the_error() {
        let long = format!(r#"{{"id":1,"name":"{}"}}"#, "x".repeat(256));
        let cases = [
            ("no JSON", "{", "is not valid JSON: EOF while parsing an object (column 1)"),
            ("more than one value", r#"{"id":1,"name":"x"} {}"#, "is not valid JSON: trailing characters (column 21)"),
            ("no object", "42", "must be a JSON object"),
            ("the values of an object", r#"[42,"x"]"#, "must be a JSON object"),
            ("a field is missing", r#"{"id":1}"#, "missing field `name`"),
            (
                "a field is unknown",
                r#"{"id":1,"name":"x","city":""}"#,
                "city: unknown field `city`, expected `id` or `name`",
            ),
            ("a field is repeated", r#"{"id":1,"id":2,"name":"x"}"#, "duplicate field `id`"),
            ("a type is wrong", r#"{"id":"1","name":"x"}"#, "id: invalid type: string \"1\", expected a JSON number"),
            ("a fraction", r#"{"id":1.5,"name":"x"}"#, "id: must be an integer from 1 to 9007199254740991"),
            ("null", r#"{"id":1,"name":null}"#, "name: invalid type: null, expected a string"),
            ("zero", r#"{"id":0,"name":"x"}"#, "id: must be an integer from 1 to 9007199254740991"),
            ("negative", r#"{"id":-1,"name":"x"}"#, "id: must be an integer from 1 to 9007199254740991"),
            ("too large", r#"{"id":9007199254740992,"name":"x"}"#, "id: must be an integer from 1 to 9007199254740991"),
            ("a blank name", r#"{"id":1,"name":"  "}"#, "name: must have 1 to 255 characters"),
            ("a long name", &long, "name: must have at most 255 characters"),
            ("a control character", r#"{"id":1,"name":"a\u0000b"}"#, "name: must not contain control characters"),
        ];
        for (case, line, expected) in cases {
            assert_eq!(reason(line), expected, "{case}");
        }
    }

    #[test]
    fn reason_is_short_for_a_long_value() {
        assert!(reason(&format!(r#"{{"id":"{}","name":"x"}}"#, "9".repeat(100_000))).len() < 400);
    }
}
