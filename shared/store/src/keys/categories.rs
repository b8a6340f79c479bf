//! Keys of the categories table.

use presence_domain::category::CategoryId;

/// Key of the head of the category directory.
pub const DIRECTORY_PK: &str = "DIRECTORY";

/// Returns the key of a category.
pub fn category_pk(id: &CategoryId) -> String {
    format!("CATEGORY#{}", id.as_str())
}

/// Reads [`category_pk`]; `None` if the text has another form.
pub fn parse_category_pk(text: &str) -> Option<CategoryId> {
    text.strip_prefix("CATEGORY#").and_then(CategoryId::parse)
}
