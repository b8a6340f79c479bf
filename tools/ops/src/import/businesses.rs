//! Rows of businesses.

use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::text::city_key;
use presence_store::{Business, PutOutcome, keys};
use serde::Deserialize;
use serde_json::Number;

use super::context::ImportContext;
use super::kind::ImportKind;
use super::row::{self, Row, RowOutcome};

/// Largest number of bytes in a sort key of an index, a limit of `DynamoDB`. Case folding may make a text longer.
const SORT_KEY_MAX_BYTES: usize = 1_024;

/// Row of a business.
#[derive(Debug)]
pub(super) struct BusinessRow(Business);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBusiness {
    id: String,
    org_id: Number,
    name: String,
    city: String,
}

impl Row for BusinessRow {
    type Raw = RawBusiness;
    const KIND: ImportKind = ImportKind::Businesses;

    fn from_raw(raw: RawBusiness) -> Result<Self, String> {
        let id = BusinessId::parse(&raw.id).ok_or("id: must have 1 to 64 letters, digits and : _ . -")?;
        let org_id = row::parse_org_id("org_id", &raw.org_id)?;
        let name = row::parse_name("name", &raw.name)?;
        // A blank city is valid: a web shop is in no city, and no search by city finds it.
        let city = row::parse_short_text("city", &raw.city)?;
        if keys::city_listing(&city_key(&city), &id).len() > SORT_KEY_MAX_BYTES {
            return Err("city: is too long to be sorted".to_owned());
        }
        Ok(Self(Business { id, org_id, name, city }))
    }

    fn key(&self) -> String {
        self.0.id.as_str().to_owned()
    }

    async fn write(self, context: &ImportContext) -> Result<RowOutcome, Error> {
        let Self(business) = self;
        if !context.has_org(business.org_id).await? {
            let reason = format!("org_id: there is no organisation {}: import it first", business.org_id);
            return Ok(RowOutcome::Rejected(reason));
        }
        let stores = &context.stores;
        let outcome = stores.businesses.compare(&business).await?;
        if outcome == PutOutcome::Updated
            && let Some(old_org) = find_old_org(&business, context).await?
        {
            context.transfers.remove_from_users(&business.id, old_org).await?;
        }
        if context.dry_run {
            return Ok(RowOutcome::Accepted(outcome));
        }
        let outcome = stores.reviews.put_business(&business).await?;
        Ok(RowOutcome::Accepted(outcome))
    }

    async fn finish(context: &ImportContext) -> Result<(), Error> {
        if !context.dry_run {
            context.stores.businesses.release_changes().await?;
        }
        context.transfers.finish().await
    }

    async fn finish_stopped(context: &ImportContext) -> Result<(), &'static str> {
        let finished = context.transfers.finish().await;
        finished.map_err(|_| "lists of users may name a business that moved: `ops users audit` finds them")
    }

    fn users_updated(context: &ImportContext) -> Option<u64> {
        Some(context.transfers.count_changed_users()).filter(|users| *users > 0)
    }
}

/// Returns the organisation that a business leaves, if it moves to another one.
async fn find_old_org(business: &Business, context: &ImportContext) -> Result<Option<OrgId>, Error> {
    let mut owners = context.stores.businesses.get_owners(std::slice::from_ref(&business.id)).await?;
    Ok(owners.remove(&business.id).filter(|owner| *owner != business.org_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(id: &str, city: &str) -> Result<BusinessRow, String> {
        row::parse(&serde_json::json!({ "id": id, "org_id": 42, "name": "Shop", "city": city }).to_string())
    }

    #[test]
    fn city_may_be_blank_but_not_missing() {
        assert!(parse("b1", " ").is_ok_and(|BusinessRow(business)| business.city.is_empty()));
        let missing = row::parse::<BusinessRow>(r#"{"id":"b1","org_id":42,"name":"Shop"}"#);
        assert_eq!(missing.expect_err("city is missing"), "missing field `city`");
    }

    #[test]
    fn city_whose_folded_form_exceeds_a_sort_key_is_rejected() {
        assert!(parse("b1", &"é".repeat(255)).is_ok());
        assert!(parse("b1", &"\u{fdfa}".repeat(255)).is_err_and(|reason| reason.starts_with("city:")));
    }

    #[test]
    fn id_with_other_characters_or_length_is_rejected() {
        for wrong in ["", "a b", "a/b", "é", &"a".repeat(65)] {
            assert!(parse(wrong, "Lyon").is_err_and(|reason| reason.starts_with("id:")), "{wrong:?}");
        }
    }
}
