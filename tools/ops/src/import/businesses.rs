//! Rows of businesses.

use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::text::city_key;
use presence_store::{Business, BusinessLocation, PutOutcome, keys};
use serde::Deserialize;
use serde_json::Number;

use super::rows::{self, Row, Tables, Verdict};

/// The longest sort key of an index: the limit of `DynamoDB`. Some letters fold to many.
const SORT_KEY_MAX_BYTES: usize = 1_024;

/// A business.
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
    const PLURAL: &str = "businesses";

    fn parse(raw: RawBusiness) -> Result<Self, String> {
        let id = BusinessId::parse(&raw.id).ok_or("id: must have 1 to 64 letters, digits and : _ . -")?;
        let org_id = rows::org_id("org_id", &raw.org_id)?;
        let name = rows::name("name", &raw.name)?;
        // A business without a city (a web shop) is a business; no search by city finds it.
        let city = rows::short_text("city", &raw.city)?;
        if keys::city_listing(&city_key(&city), &id).len() > SORT_KEY_MAX_BYTES {
            return Err("city: is too long to be sorted".to_owned());
        }
        Ok(Self(Business { id, org_id, name, city }))
    }

    fn key(&self) -> String {
        self.0.id.as_str().to_owned()
    }

    async fn put(self, tables: &Tables) -> Result<Verdict, Error> {
        let Self(business) = self;
        if !tables.has_org(business.org_id).await? {
            let reason = format!("org_id: there is no organisation {}: import it first", business.org_id);
            return Ok(Verdict::Rejected(reason));
        }
        let store = &tables.store;
        let outcome = store.compare_business(&business).await?;
        let place = BusinessLocation { org_id: business.org_id, city_key: city_key(&business.city) };
        let old_place = if outcome == PutOutcome::Updated {
            let mut stored = store.business_locations(std::slice::from_ref(&business.id)).await?;
            stored.remove(&business.id).filter(|stored| *stored != place)
        } else {
            None
        };
        let old_org = old_place.as_ref().map(|old| old.org_id).filter(|old| *old != business.org_id);
        // Before the business, so that a run that is killed in between is taken up by the next one; and after it, for
        // the reviews that came meanwhile. Users that got the business meanwhile are seen to at the end of the import.
        if let Some(old_org) = old_org {
            tables.departures.leave(&business.id, old_org).await?;
        }
        if tables.dry_run {
            return Ok(Verdict::Put(outcome));
        }
        if old_place.is_some() {
            store.relocate_business_reviews(&business.id, &place).await?;
        }
        let outcome = store.put_business(&business).await?;
        if old_place.is_some() {
            store.relocate_business_reviews(&business.id, &place).await?;
        }
        Ok(Verdict::Put(outcome))
    }

    async fn finish(tables: &Tables) -> Result<(), Error> {
        tables.departures.finish().await
    }

    fn users_updated(tables: &Tables) -> Option<u64> {
        Some(tables.departures.users()).filter(|users| *users > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(id: &str, city: &str) -> Result<BusinessRow, String> {
        rows::read(&serde_json::json!({ "id": id, "org_id": 42, "name": "Shop", "city": city }).to_string())
    }

    #[test]
    fn a_city_may_be_blank_but_not_missing() {
        assert!(read("b1", " ").is_ok_and(|BusinessRow(business)| business.city.is_empty()));
        let missing = rows::read::<BusinessRow>(r#"{"id":"b1","org_id":42,"name":"Shop"}"#);
        assert_eq!(missing.expect_err("city is missing"), "missing field `city`");
    }

    #[test]
    fn a_city_that_folds_to_more_than_an_index_takes_is_refused() {
        assert!(read("b1", &"é".repeat(255)).is_ok());
        assert!(read("b1", &"\u{fdfa}".repeat(255)).is_err_and(|reason| reason.starts_with("city:")));
    }

    #[test]
    fn an_id_is_opaque_but_bounded() {
        for wrong in ["", "a b", "a/b", "é", &"a".repeat(65)] {
            assert!(read(wrong, "Lyon").is_err_and(|reason| reason.starts_with("id:")), "{wrong:?}");
        }
    }
}
