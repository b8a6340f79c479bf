//! Removal of components that nothing refers to.

use std::collections::BTreeSet;

use crate::json::{Json, Members};

const COMPONENTS: &str = "components";
/// Components that are used by their names, and not by references.
const SECURITY_SCHEMES: &str = "securitySchemes";

/// Removes the components that nothing outside refers to, directly or through others.
pub(super) fn remove_unused_components(document: &mut Json) {
    let used = used_references(document);
    let Some(components) = document.find_mut(&[COMPONENTS]).and_then(Json::as_object_mut) else { return };
    for (kind, named) in components {
        if let Some(named) = named.as_object_mut().filter(|_| kind != SECURITY_SCHEMES) {
            named.retain(|name, _| used.contains(&reference(kind, name)));
        }
    }
}

fn reference(kind: &str, name: &str) -> String {
    format!("#/{COMPONENTS}/{kind}/{name}")
}

/// Returns all references that are reached from the parts of the document outside the components.
fn used_references(document: &Json) -> BTreeSet<String> {
    let members: Vec<&Json> = document
        .as_object()
        .map(|members| members.iter().filter(|(name, _)| *name != COMPONENTS).map(|(_, member)| member).collect())
        .unwrap_or_default();
    let mut used = BTreeSet::new();
    let mut waiting: Vec<String> = members.into_iter().flat_map(references).collect();
    while let Some(next) = waiting.pop() {
        if used.insert(next.clone()) {
            waiting.extend(find(document, &next).map(references).unwrap_or_default());
        }
    }
    used
}

fn find<'a>(document: &'a Json, reference: &str) -> Option<&'a Json> {
    let mut names = reference.strip_prefix("#/")?.split('/');
    names.try_fold(document, |value, name| value.as_object()?.get(name))
}

/// Returns the references inside a value.
fn references(value: &Json) -> Vec<String> {
    match value {
        Json::Object(members) => {
            own_reference(members).into_iter().chain(members.values().flat_map(references)).collect()
        }
        Json::Array(items) => items.iter().flat_map(references).collect(),
        Json::Scalar(_) => Vec::new(),
    }
}

fn own_reference(members: &Members) -> Option<String> {
    members.get("$ref").and_then(Json::as_str).map(str::to_owned)
}
