//! Bodies of answers, and readers of parameters.

use presence_api::{Fields, read};
use presence_domain::category::{Category, CategoryDirectory, Country, PartnerCategory, Partners};
use presence_domain::error::FieldError;
use serde::Serialize;

/// A category in one language.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Category))]
pub(crate) struct CategoryBody<'a> {
    id: &'a str,
    code: &'a str,
    name: &'a str,
    ancestors: &'a [String],
    partners: PartnersBody<'a>,
}

impl<'a> CategoryBody<'a> {
    pub(crate) fn new(category: &'a Category, lang: Country) -> Self {
        Self {
            id: category.id.as_str(),
            code: &category.code,
            name: category.name(lang),
            ancestors: category.ancestors(lang),
            partners: PartnersBody::new(&category.partners),
        }
    }
}

/// Ids of a category at the listing partners. Every partner is present; an empty list means that no id is known.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Partners))]
#[expect(clippy::struct_field_names, reason = "the interface names them")]
pub(crate) struct PartnersBody<'a> {
    partner_1: &'a [String],
    partner_2: &'a [String],
    partner_3: &'a [String],
    partner_4: Vec<PartnerCategoryBody<'a>>,
    partner_5: &'a [String],
    partner_6: &'a [String],
    partner_7: &'a [String],
    partner_8: &'a [String],
    partner_9: &'a [String],
    partner_10: &'a [String],
    partner_11: &'a [String],
    partner_12: &'a [String],
}

impl<'a> PartnersBody<'a> {
    fn new(partners: &'a Partners) -> Self {
        let Partners {
            partner_1,
            partner_2,
            partner_3,
            partner_4,
            partner_5,
            partner_6,
            partner_7,
            partner_8,
            partner_9,
            partner_10,
            partner_11,
            partner_12,
        } = partners;
        Self {
            partner_1,
            partner_2,
            partner_3,
            partner_4: partner_4.iter().map(PartnerCategoryBody::new).collect(),
            partner_5,
            partner_6,
            partner_7,
            partner_8,
            partner_9,
            partner_10,
            partner_11,
            partner_12,
        }
    }
}

/// Id and name of a category at the listing partner that names its categories.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PartnerCategory))]
pub(crate) struct PartnerCategoryBody<'a> {
    /// Its id there.
    id: &'a str,
    /// Its name there.
    name: &'a str,
}

impl<'a> PartnerCategoryBody<'a> {
    fn new(category: &'a PartnerCategory) -> Self {
        Self { id: &category.id, name: &category.name }
    }
}

/// One page of a search.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = CategoryPage))]
pub(crate) struct PageEnvelope<'a> {
    pub(crate) page: u64,
    pub(crate) max_page: u64,
    pub(crate) count: u64,
    pub(crate) categories: Vec<CategoryBody<'a>>,
}

/// Reads the language of names. It must be a language of the directory.
pub(crate) fn lang(fields: &mut Fields<'_>, directory: &CategoryDirectory) -> Option<Country> {
    let text = fields.required("lang", |given| read::text(given).map(str::to_owned))?;
    let lang = directory.language(&text);
    if lang.is_none() {
        fields.fail("lang", FieldError::choice(directory.languages().map(|lang| lang.to_string())));
    }
    lang
}
