//! Strict parsing of a whole request. `robustness` has the malformed bodies, and the names that an operation does not have.

use crate::api::users::fixture::{Case, get, post};

/// Returns a body with so many spellings of `phone`, in the order of the names.
fn many_fields(count: usize) -> String {
    let fields: Vec<String> = (0..count).map(|number| format!(r#""phone{}":1"#, "_".repeat(number + 1))).collect();
    format!("{{{}}}", fields.join(","))
}

/// Returns the errors of [`many_fields`]: the first 16 have a hint.
fn many_errors(count: usize) -> String {
    let text = |number: usize| match number {
        0..16 => r#"is not a field of this operation; did you mean \"phone\"?"#,
        _ => "is not a field of this operation",
    };
    let errors: Vec<String> =
        (0..count).map(|number| format!(r#""phone{}":"{}""#, "_".repeat(number + 1), text(number))).collect();
    format!("{{{}}}", errors.join(","))
}

pub(super) fn cases() -> Vec<Case> {
    let by_admin_2 = |reason, query: &str| get(reason, &format!("/user/search?{query}")).by("admin_2").finds("admin_2");
    vec![
        post("as many unknown fields as fit get the hints of 16", "/user/<invited_1>", many_fields(40))
            .bad_fields(&many_errors(40)),
        post("all unknown names at once", "/user/<invited_1>?c=1", r#"{"b":1,"a":1}"#).bad_fields(
            r#"{"a":"is not a field of this operation","b":"is not a field of this operation","c":"is not a parameter of this operation"}"#,
        ),
        by_admin_2("empty pairs are nothing", "&&last_name=admin-2&"),
        by_admin_2("plus is a blank", "last_name=+admin-2+"),
        by_admin_2("an encoded name is the name", "last%5Fname=admin-2"),
    ]
}
