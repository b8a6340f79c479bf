//! Operations on categories.

use super::{Operation, body, operation};
use crate::parameters::{Parameter, paging};
use crate::values;

const TAG: &str = "categories";
const INVALID: &str = "Causes: `lang` is missing or not a language of the directory (the response lists the languages); a \
                       parameter is unknown, or its value is not allowed.";

pub(super) fn operations() -> Vec<Operation> {
    vec![search_categories(), get_category()]
}

fn search_categories() -> Operation {
    let name = Parameter::text(
        "name",
        values::search_text,
        "boul",
        "Only categories with this text in their name, ignoring case, accents and width, or with exactly this id or code.",
    );
    Operation {
        name: "search_categories",
        parameters: [lang_parameter(), name].into_iter().chain(paging()).collect(),
        summary: "Search categories",
        description: "The categories of the directory in one language, in pages; without `name`, all of them.\n\n\
                **Order**: name, then id.\n\n**Roles**: all. The directory is the same for everyone.",
        success: body("CategoryPage", "A page of categories."),
        invalid: INVALID,
        extra_statuses: &[304],
        ..operation(TAG)
    }
}

fn get_category() -> Operation {
    let id = Parameter::path(
        "categoryId",
        values::opaque_id,
        "5a45214f0d526ae15e54381f",
        "Id of the category. A malformed id is answered like an unknown one: 404.",
    );
    Operation {
        name: "get_category",
        parameters: vec![id, lang_parameter()],
        summary: "Get one category",
        description: "One category, by id, in one language.\n\n**Roles**: all.",
        success: body("Category", "The category."),
        invalid: INVALID,
        extra_statuses: &[304, 404],
        ..operation(TAG)
    }
}

fn lang_parameter() -> Parameter {
    Parameter::required(
        "lang",
        values::directory_lang,
        "FR",
        "Language of the names: an ISO 3166 alpha-2 country code of the directory, in any case. Other codes are mapped to \
         one of these (`EN` and `US` to `GB`, `PT-BR` to `BR` or else to `PT`).",
    )
}
