//! Filters of reviews in a query string. The search and the statistics read the same ones.

use presence_api::{Fields, RawValue, read};
use presence_domain::error::FieldError;
use presence_domain::ids::BusinessId;
use presence_domain::instant::DateInput;
use presence_domain::review::{FacetMask, Partner, Rating, ReviewState};
use presence_store::ReviewFilter;

/// Reads the filters, newest reviews first.
pub(crate) fn read_filter(fields: &mut Fields<'_>) -> ReviewFilter {
    let businesses = fields.list("business__in", |raw| read::text(raw).map(BusinessId::parse));
    ReviewFilter {
        // A text that is no valid id matches nothing, like the id of an unknown business.
        businesses: businesses.map(|ids| ids.into_iter().flatten().collect()),
        city_key: fields.optional("business_city", read::city),
        mask: read_mask(fields),
        from: fields.optional("update_date__gte", |raw| Ok(read_date(raw)?.first_second())),
        to: fields.optional("update_date__lte", |raw| Ok(read_date(raw)?.last_second())),
        newest_first: true,
    }
}

/// Reads the filters on facets. All of them must admit a review.
fn read_mask(fields: &mut Fields<'_>) -> FacetMask {
    let states = fields.list("state", |raw| read::choice(raw, &ReviewState::ALL, ReviewState::as_str));
    let ratings = fields.list("rating__in", read_rating);
    let only_rating = fields.optional("rating", read_only_rating);
    let partners = fields.list("partner__in", |raw| read::choice(raw, &Partner::ALL, Partner::as_str));
    let without_content = fields.optional_strict("content__isnull", read::boolean);
    FacetMask::from_predicate(|state, rating, partner, has_content| {
        states.as_ref().is_none_or(|states| states.contains(&state))
            && ratings.as_ref().is_none_or(|ratings| ratings.contains(&rating))
            && only_rating.is_none_or(|only| only == rating)
            && partners.as_ref().is_none_or(|partners| partners.contains(&partner))
            && without_content.is_none_or(|without| without != has_content)
    })
}

fn read_only_rating(raw: RawValue<'_>) -> Result<Rating, FieldError> {
    if raw.is_list_of_integers(&[',', ';', '|', ' ']) {
        return Err("must be one integer: use rating__in for several".into());
    }
    read_rating(raw)
}

/// Reads a rating, or one of a list. Commas have split the list.
fn read_rating(raw: RawValue<'_>) -> Result<Rating, FieldError> {
    if raw.is_list_of_integers(&[';', '|', ' ']) {
        return Err("must be integers separated by commas".into());
    }
    Rating::new(read::integer(raw)?).ok_or_else(|| "must be an integer from 1 to 5".into())
}

fn read_date(raw: RawValue<'_>) -> Result<DateInput, FieldError> {
    DateInput::parse(read::text(raw)?.trim())
        .ok_or_else(|| "must be a date (YYYY-MM-DD) or a date and time (YYYY-MM-DDTHH:MM:SS, Z or ±hh:mm)".into())
}
